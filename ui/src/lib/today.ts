/** The day it is, for what is called by its day: another one after midnight. */
import { useSyncExternalStore } from "react";

/** A timer stands still while the machine sleeps, and a clock can be set: the day is looked at this often at least. */
const LOOK_AGAIN_MS = 600_000;

function untilMidnight(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() - now.getTime();
}

const today = () => new Date().toDateString();

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

function wait(): void {
  const ms = Math.min(untilMidnight(new Date()), LOOK_AGAIN_MS);
  timer = setTimeout(() => {
    wait();
    for (const listener of listeners) listener();
  }, ms);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) wait();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearTimeout(timer);
  };
}

/** The present day as a text that is another one on another day. Draws the caller again when it changes. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, today);
}
