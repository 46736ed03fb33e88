/** Carrying out the actions of `commands.ts`: their keys are bound, and the palette offers them, while a screen does. */

import { useEffect, useRef } from "react";
import { create } from "zustand";
import { ACTIONS, type ActionId } from "@/commands";
import { bindKeys, type KeyHandler } from "./keys";
import { useLatest } from "./useLatest";

/** Null or undefined while the action makes no sense. */
export type ActionHandlers = Partial<Record<ActionId, KeyHandler | null | undefined>>;

interface OfferedAction {
  id: ActionId;
  run: () => void;
}

interface OfferedActions {
  /** In the order in which they came; the last one of an id counts. */
  offered: readonly OfferedAction[];
}

/** What the screens on show carry out, for the palette. */
export const useOfferedActions = create<OfferedActions>()(() => ({ offered: [] }));

function offer(action: OfferedAction): () => void {
  useOfferedActions.setState(({ offered }) => ({ offered: [...offered, action] }));
  return () => useOfferedActions.setState(({ offered }) => ({ offered: offered.filter((one) => one !== action) }));
}

function register(id: ActionId, latestRef: { readonly current: ActionHandlers }): () => void {
  const { keys, palette, inText = false, inDialog = false } = ACTIONS[id];
  const run: KeyHandler = (event) => latestRef.current[id]?.(event);
  const undo = [
    ...(keys.length > 0 ? [bindKeys({ keys, inText, inDialog, run })] : []),
    ...(palette === undefined ? [] : [offer({ id, run: () => run(new KeyboardEvent("keydown")) })]),
  ];
  return () => {
    for (const one of undo) one();
  };
}

/** Carries actions out while the caller is mounted. An action keeps its turn while others come and go. */
export function useScreenActions(handlers: ActionHandlers): void {
  const latestRef = useLatest(handlers);
  const active = useRef(new Map<ActionId, () => void>());
  const ids = (Object.keys(handlers) as ActionId[]).filter((id) => handlers[id]).join("\n");
  useEffect(() => {
    const wanted = new Set(ids === "" ? [] : (ids.split("\n") as ActionId[]));
    for (const [id, undo] of active.current) {
      if (wanted.has(id)) continue;
      undo();
      active.current.delete(id);
    }
    for (const id of wanted) if (!active.current.has(id)) active.current.set(id, register(id, latestRef));
  }, [ids, latestRef]);
  useEffect(() => {
    const all = active.current;
    return () => {
      for (const undo of all.values()) undo();
      all.clear();
    };
  }, []);
}

/** The item `by` places further, never past the ends; the first one where none is chosen. */
export function itemAfter<T>(items: readonly T[], chosen: number, by: number): T | undefined {
  return items[Math.min(items.length - 1, Math.max(0, chosen + by))];
}

/** `J` and `K` choose the next and the previous item of the list on show; -1 for none chosen. Returns the same step. */
export function useStepping<T>(items: readonly T[], chosen: number, choose: (item: T) => void): (by: -1 | 1) => void {
  const step = (by: -1 | 1) => {
    const next = itemAfter(items, chosen, by);
    if (next !== undefined) choose(next);
  };
  useScreenActions({ "row.next": () => step(1), "row.previous": () => step(-1) });
  return step;
}
