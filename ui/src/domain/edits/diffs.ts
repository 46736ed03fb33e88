/**
 * What the edits of this window changed. The engine returns a difference only in the reply to the edit, so the list of edits
 * can show it for those that were made here since the window was opened.
 */
import type { MutationCache } from "@tanstack/react-query";
import { create } from "zustand";

/** So many are kept. */
const MAX_KEPT = 100;

interface KnownDiffs {
  /** Unified differences by the id of the edit, the oldest first. */
  diffs: ReadonlyMap<string, string>;
}

export const useKnownDiffs = create<KnownDiffs>()(() => ({ diffs: new Map() }));

function isEditReply(reply: unknown): reply is { edit: string; diff: string } {
  if (typeof reply !== "object" || reply === null) return false;
  const { edit, diff } = reply as Record<string, unknown>;
  return typeof edit === "string" && typeof diff === "string";
}

export function keepDiff(edit: string, diff: string): void {
  useKnownDiffs.setState(({ diffs }) => {
    const kept = new Map(diffs).set(edit, diff);
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
    if (isEditReply(reply)) keepDiff(reply.edit, reply.diff);
  });
}
