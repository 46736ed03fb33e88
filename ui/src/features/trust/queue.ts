/** What waits for approval, or has one, as a list: with the names of the hooks and by the file that defines them. */
import { groupedHooks, idAt, placeOf } from "@/domain/hooks/facts";
import { isProgram } from "@/domain/trust/agentPrograms";
import type { HookRow, HooksDocument, TrustItem } from "@/ipc";

export interface QueueItem {
  item: TrustItem;
  /** Its rows of the hook list, one for each event; empty while that list is read again. */
  rows: readonly HookRow[];
}

/** Hooks that one file or folder defines. */
export interface QueueGroup {
  key: string;
  path: string;
  items: readonly QueueItem[];
}

export type Change = "new" | "changed" | "rules_changed";

/** Why a hook waits. */
export function changeOf({ old }: TrustItem): Change {
  if (old === null) return "new";
  return old.reason === "rules_changed" ? "rules_changed" : "changed";
}

/** What an approval of the hook would cover, to see whether it changed. */
export function contentOf({ definition, inherited, files }: TrustItem): string {
  return JSON.stringify([definition, inherited, files.map(({ path, hash }) => [path, hash])]);
}

function isRowOf(hook: string, row: HookRow): boolean {
  return row.hook === hook || (row.serves?.some((event) => idAt(row, event) === hook) ?? false);
}

/** Whether an agent registered the hook: such hooks are approved one by one. */
export function isOfAgent({ kind }: TrustItem): boolean {
  return kind === "session_hook";
}

/** In run order, grouped by the file or folder that the hooks are read from. Those of agents are one group at the end. */
export function queueOf(items: readonly TrustItem[], document: HooksDocument | undefined): QueueGroup[] {
  const inOrder = document === undefined ? [] : groupedHooks(document);
  const known = items
    // Hooks of several sessions can have one id. The engine reviews them one after the other, in this order.
    .filter((item, at) => !isProgram(item) && items.findIndex(({ hook }) => hook === item.hook) === at)
    .map((item) => ({ item, rows: inOrder.filter((row) => isRowOf(item.hook, row)) }))
    .map((one) => ({
      ...one,
      place: one.rows[0] === undefined || isOfAgent(one.item) ? inOrder.length : inOrder.indexOf(one.rows[0]),
    }))
    .sort((a, b) => a.place - b.place);
  const groups = new Map<string, { path: string; items: QueueItem[] }>();
  for (const { item, rows } of known) {
    const [row] = rows;
    const key = row === undefined || isOfAgent(item) ? item.kind : row.group;
    const group = groups.get(key) ?? {
      path: row === undefined || document === undefined ? "" : placeOf(row, document),
      items: [],
    };
    group.items.push({ item, rows });
    groups.set(key, group);
  }
  return [...groups].map(([key, group]) => ({ key, ...group }));
}

export function itemsOf(groups: readonly QueueGroup[]): QueueItem[] {
  return groups.flatMap((group) => group.items);
}

/** The item that comes after `hook`; the first one after the last, null where there is no other. */
export function itemFollowing(items: readonly QueueItem[], hook: string): QueueItem | null {
  const at = items.findIndex(({ item }) => item.hook === hook);
  const next = items[(at + 1) % items.length];
  return next === undefined || next.item.hook === hook ? null : next;
}
