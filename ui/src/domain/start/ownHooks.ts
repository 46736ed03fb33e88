/** The user's own hooks, which need no project. */
import { type HookRow, type HooksDocument, useCall } from "@/ipc";
import type { Fault } from "@/ipc/fault";

export interface OwnHooks {
  document: HooksDocument | undefined;
  fault: Fault | null;
  retry: () => void;
}

export function useOwnHooks(): OwnHooks {
  const list = useCall("hooks.list", { project: null });
  return { document: list.data, fault: list.error, retry: () => void list.refetch() };
}

/** How many definitions each dialect has; a hook with a row for each of its events counts once. */
export function countByDialect(hooks: readonly HookRow[]): [dialect: string, count: number][] {
  const ids = new Map<string, Set<string>>();
  for (const { dialect, hook } of hooks) ids.set(dialect, (ids.get(dialect) ?? new Set()).add(hook));
  return [...ids].map(([dialect, own]) => [dialect, own.size]);
}
