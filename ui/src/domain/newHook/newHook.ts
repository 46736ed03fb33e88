/** Where a new hook is asked for: the way in may know dialect and event already. */
import { create } from "zustand";

export interface Wanted {
  dialect?: string;
  event?: string;
}

interface NewHook {
  /** Null while nobody asks. */
  wanted: Wanted | null;
  ask(wanted: Wanted): void;
  close(): void;
}

export const useNewHook = create<NewHook>()((set) => ({
  wanted: null,
  ask: (wanted) => set({ wanted }),
  close: () => set({ wanted: null }),
}));
