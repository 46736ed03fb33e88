/** Where a new hook is asked for: the way in may know dialect and event already, or the recorded event itself. */
import { create } from "zustand";
import type { Payload, Trace } from "@/ipc";

/** What a new hook can begin with. */
export const WAYS = ["event", "sample", "recorded", "dialect"] as const;
export type Way = (typeof WAYS)[number];

/** An event with its payload, to guard against. */
export interface RecordedEvent {
  dialect: string;
  event: string;
  payload: Payload;
}

/** What a guard is made from. */
export function recordedOf(trace: Trace): RecordedEvent {
  return { dialect: trace.dialect, event: trace.event, payload: trace.payload_before };
}

export interface Wanted {
  dialect?: string;
  event?: string;
  way?: Way;
  recorded?: RecordedEvent;
  /** Id of the sample that is chosen first. */
  sample?: string;
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
