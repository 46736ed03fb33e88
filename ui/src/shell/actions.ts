/** Actions of the screen on show, offered in the palette. */
import type { LucideIcon } from "lucide-react";
import { useEffect, useRef } from "react";
import { create } from "zustand";

export interface Action {
  id: string;
  label: string;
  icon: LucideIcon;
  chord?: string;
  run: () => void;
}

interface Actions {
  lists: Map<string, readonly Action[]>;
  put(owner: string, actions: readonly Action[] | null): void;
}

export const useActions = create<Actions>()((set) => ({
  lists: new Map(),
  put: (owner, actions) =>
    set(({ lists }) => {
      const next = new Map(lists);
      if (actions === null) next.delete(owner);
      else next.set(owner, actions);
      return { lists: next };
    }),
}));

/** Offers `actions` in the palette while the caller is mounted. */
export function useOffer(owner: string, actions: readonly Action[]): void {
  const put = useActions((store) => store.put);
  const latest = useRef(actions);
  latest.current = actions;
  const names = actions.map((action) => `${action.id} ${action.label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names stand for the list
  useEffect(() => {
    put(
      owner,
      latest.current.map((action, index) => ({ ...action, run: () => latest.current[index]?.run() })),
    );
    return () => put(owner, null);
  }, [owner, put, names]);
}
