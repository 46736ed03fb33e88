/**
 * What the edits of this window changed. The engine returns a difference only in the reply to the edit, so the list of edits
 * can show it for those that were made here since the window was opened.
 */
import type { MutationCache } from "@tanstack/react-query";
import { create } from "zustand";
import type { FileDiff } from "@/ipc";

/** So many are kept. */
const MAX_KEPT = 100;

interface KnownDiffs {
  /** What changed, by the id of the edit, the oldest first. */
  diffs: ReadonlyMap<string, readonly FileDiff[]>;
}

export const useKnownDiffs = create<KnownDiffs>()(() => ({ diffs: new Map() }));

function isEditReply(reply: unknown): reply is { edit: string; changes: FileDiff[] } {
  if (typeof reply !== "object" || reply === null) return false;
  const { edit, changes } = reply as Record<string, unknown>;
  return typeof edit === "string" && Array.isArray(changes);
}

export function keepDiff(edit: string, changes: readonly FileDiff[]): void {
  useKnownDiffs.setState(({ diffs }) => {
    const kept = new Map(diffs).set(edit, changes);
    const oldest = kept.keys().next().value;
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return { diffs: kept };
  });
}

/** Keeps the difference of every edit that any screen makes; the returned function ends it. */
export function keepDiffsOf(mutations: MutationCache): () => void {
  return mutations.subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "success") return;
    const reply: unknown = event.mutation.state.data;
    if (isEditReply(reply)) keepDiff(reply.edit, reply.changes);
  });
}
