/** What a chain came to, in one shape and a word. */
import type { GlyphKind } from "@/components";
import { t } from "@/i18n";
import type { HistoryRow, HookRow, Outcome, Trace } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";

/** Outcomes from the loudest to the quietest, for a chain whose verdict alone says little. */
export const LOUDEST: readonly Outcome[] = [
  "failed_open",
  "timed_out_open",
  "denied",
  "failed_closed",
  "timed_out_closed",
  "asked",
  "changed",
  "allowed",
  "detached",
  "no_opinion",
  "not_matched",
  "skipped",
];

/** Whether the agent itself does not run the hook that decided: its file does not parse, and an older version ran here. */
export function decidedOnlyHere({ verdict, dialect }: Trace, hooks: readonly HookRow[]): boolean {
  const hook = hooks.find((one) => one.hook === verdict.by && one.dialect === dialect);
  return hook?.health.code === "last_good";
}

/** Whether no hook ran for an event that went on. */
export function isWithoutHook(chain: Chain): boolean {
  return chain.verdict.kind === "proceed" && !anyRan(chain.outcomes) && !isStopped(chain);
}

/** The place of an outcome among all from the loudest on. */
export function quietness(kind: GlyphKind): number {
  const place = LOUDEST.indexOf(kind as Outcome);
  return place < 0 ? LOUDEST.length : place;
}

/** What a whole chain is judged by. A row of the history has it. */
export type Chain = Pick<HistoryRow, "verdict" | "outcomes" | "reasons" | "origin">;

/** The same of a trace. What ran beside its chain and was stopped with its session did not stop it. */
export function chainOf({ verdict, origin, steps }: Pick<Trace, "verdict" | "origin" | "steps">): Chain {
  const reasons = steps.map(({ outcome, mode, reason }) =>
    outcome === "skipped" && mode !== "detach" ? reason : null,
  );
  return { verdict, origin, outcomes: steps.map((step) => step.outcome), reasons };
}

/** Whether any hook got so far as to run. */
export function anyRan(outcomes: readonly Outcome[]): boolean {
  return outcomes.some((one) => one !== "not_matched" && one !== "skipped");
}

/** Whether the chain was stopped before its end, and nothing in it is worse than that. */
export function isStopped({ verdict, outcomes, reasons }: Chain): boolean {
  const isOpen = outcomes.includes("failed_open") || outcomes.includes("timed_out_open");
  return verdict.kind === "proceed" && !isOpen && reasons.includes("cancelled");
}

/**
 * The one shape that stands for a whole chain: what held it, else the loudest thing in it. Where no hook ran, or the chain was
 * stopped, the shape of one that had no effect.
 */
export function chainOutcome(chain: Chain): GlyphKind {
  const { verdict, outcomes } = chain;
  if (isStopped(chain)) return "skipped";
  const loud = LOUDEST.find((one) => outcomes.includes(one)) ?? "no_opinion";
  switch (verdict.kind) {
    case "proceed":
      if (!anyRan(outcomes)) return "not_matched";
      return loud === "denied" ? "no_opinion" : loud;
    case "approve":
      return loud === "failed_open" || loud === "timed_out_open" ? loud : "allowed";
    case "respond":
      return "changed";
    case "ask":
      return "asked";
    case "skip":
    case "deny":
    case "retry":
    case "stop":
    case "end_turn":
    case "end_session":
      return loud === "failed_closed" || loud === "timed_out_closed" ? loud : "denied";
  }
}

export function rowOutcome(row: HistoryRow): GlyphKind {
  return chainOutcome(row);
}

/** Whether the operation went ahead without its guard. */
export function failedOpen(row: HistoryRow): boolean {
  const kind = rowOutcome(row);
  return kind === "failed_open" || kind === "timed_out_open";
}

/** What an event came to, for one badge: the verdict's word, and in a word or two why it is worth a look. */
export interface ResultWords {
  kind: GlyphKind;
  word: string;
  reason: string | null;
}

/** The one rule for what an event came to: the verdict first, in the same words on every screen. */
export function resultBadge(chain: Chain): ResultWords {
  const { verdict, outcomes, origin } = chain;
  const kind = chainOutcome(chain);
  if (isStopped(chain)) {
    // An agent that leaves stops its chain, too: the record does not say who did.
    return {
      kind,
      word: t(origin === "agent" ? "words.result.stopped" : "words.result.stoppedByYou"),
      reason: null,
    };
  }
  // What went ahead says first why it is worth a look.
  const isPlain = verdict.kind === "proceed" && anyRan(outcomes);
  const isOutcome =
    kind === "denied" ||
    kind === "asked" ||
    (isPlain && (kind === "failed_open" || kind === "timed_out_open" || kind === "changed"));
  if (verdict.kind === "proceed" && !anyRan(outcomes)) {
    return { kind, word: capitalizeFirst(t("words.result.nothingRan")), reason: null };
  }
  const word = isOutcome ? t(`words.outcome.${kind}`) : t(`words.verdict.${verdict.kind}`);
  const isClosed = kind === "failed_closed" || kind === "timed_out_closed";
  return { kind, word, reason: isClosed ? t(`words.result.${kind}`) : null };
}
