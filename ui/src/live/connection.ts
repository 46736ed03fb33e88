/** Whether the engine is there, as far as the page can tell. */
import { create } from "zustand";

interface Connection {
  engine: "running" | "stopped";
  /** The line that pushes come over; `refused` in a window that may not call the engine. */
  line: "up" | "down" | "refused";
  setEngine(engine: Connection["engine"]): void;
  setLine(line: Connection["line"]): void;
}

export const useConnection = create<Connection>()((set) => ({
  engine: "running",
  line: "up",
  setEngine: (engine) => set({ engine }),
  setLine: (line) => set({ line }),
}));
