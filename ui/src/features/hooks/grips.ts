/** The grips of the rows on show. What makes rows draggable is loaded after the list and finds them here. */
import { useSyncExternalStore } from "react";
import type { HookRow } from "@/ipc";

export interface GripPlace {
  hook: HookRow;
  element: HTMLElement;
}

let places: ReadonlyMap<string, GripPlace> = new Map();
const listeners = new Set<() => void>();

function change(next: Map<string, GripPlace>): void {
  places = next;
  for (const listener of listeners) listener();
}

/** Adds a grip; the returned function takes it away. */
export function addGrip(key: string, place: GripPlace): () => void {
  change(new Map(places).set(key, place));
  return () => {
    if (places.get(key) !== place) return;
    const next = new Map(places);
    next.delete(key);
    change(next);
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function useGrips(): ReadonlyMap<string, GripPlace> {
  return useSyncExternalStore(subscribe, () => places);
}
