/** Whether the engine is there, as far as the page can tell. */
import { create } from "zustand";

interface Link {
  engine: "running" | "stopped";
  /** The line that pushes come over. */
  line: "up" | "down" | "refused";
  setEngine(engine: Link["engine"]): void;
  setLine(line: Link["line"]): void;
}

export const useLink = create<Link>()((set) => ({
  engine: "running",
  line: "up",
  setEngine: (engine) => set({ engine }),
  setLine: (line) => set({ line }),
}));
