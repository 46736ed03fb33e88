/** The verdict of a chain as a sentence and a colour. */
import { useCallback } from "react";
import { type GlyphKind, wasStopped } from "@/components";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import type { HistoryRow, Outcome, Trace } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { capitalizeFirst, oneLine } from "@/lib/escape";

type Judged = Pick<Trace, "verdict" | "notices">;

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
function anyRan(outcomes: readonly Outcome[]): boolean {
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
export function useResultBadge(): (chain: Chain) => ResultWords {
  const { t } = useTranslation();
  return useCallback(
    (chain) => {
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
    },
    [t],
  );
}

/** How many hooks did not run because they wait for approval, where nothing else ran either. */
export function waitingOnly(trace: Pick<Trace, "verdict" | "origin" | "steps">): number {
  const { verdict, steps } = trace;
  if (verdict.kind !== "proceed" || isStopped(chainOf(trace)) || anyRan(steps.map((step) => step.outcome))) return 0;
  return steps.filter((step) => step.reason === "untrusted").length;
}

export interface VerdictWords {
  kind: GlyphKind;
  /** `Denied` */
  lead: string;
  /** `, Bash would be skipped` */
  rest: string;
  /** `guard said “…”`; null when there is nothing to add. */
  by: { label: string; said: string | null } | null;
}

/** The tool that an event is about, on one line. */
export function useTool(): (trace: Trace) => string | null {
  const dialects = useDialects();
  return useCallback(
    (trace: Trace) => {
      const field = dialects.find((one) => one.id === trace.dialect)?.tool_field;
      const tool = field === undefined ? undefined : trace.payload_before[field];
      return typeof tool === "string" && tool !== "" ? oneLine(tool, 40) : null;
    },
    [dialects],
  );
}

export function useVerdictWords(): (trace: Trace) => VerdictWords {
  const { t } = useTranslation();
  const { say } = useMessages();
  const toolOf = useTool();
  const badgeOf = useResultBadge();
  return useCallback(
    (trace: Trace) => {
      const chain = chainOf(trace);
      const { outcomes } = chain;
      const { kind, word } = badgeOf(chain);
      if (isStopped(chain)) {
        const running = trace.steps.find((step) => step.mode !== "detach" && wasStopped(step));
        const rest =
          running === undefined
            ? t("fire.verdict.stoppedBefore")
            : t("fire.verdict.stoppedDuring", { hook: oneLine(running.label, 60) });
        return { kind, lead: word, rest, by: null };
      }
      const lead = trace.verdict.kind === "proceed" ? t("words.verdict.proceed") : word;
      const open = trace.steps.filter((step) => step.outcome === "failed_open" || step.outcome === "timed_out_open");
      const changed = trace.steps.some((step) => step.outcome === "changed");
      const by = trace.steps.find((step) => step.hook === trace.verdict.by);
      const tool = toolOf(trace);
      const held = trace.verdict.kind;
      const rest =
        held === "proceed"
          ? open.length > 0
            ? t("fire.verdict.unguarded", { count: open.length })
            : anyRan(outcomes)
              ? changed
                ? t("fire.verdict.changed")
                : t("fire.verdict.unchanged")
              : t("fire.verdict.nothingRan")
          : held === "skip" && tool
            ? t("fire.verdict.toolSkipped", { tool })
            : t(`fire.verdict.${held}`);
      return {
        kind,
        lead,
        rest,
        by: by ? { label: oneLine(by.label, 60), said: saying(trace, by.hook, say) } : null,
      };
    },
    [t, say, toolOf, badgeOf],
  );
}

/** What the deciding hook said, in its own words or in ours. */
function saying(trace: Judged, hook: string, say: (message: object, english: string | null) => string): string | null {
  const { verdict } = trace;
  if (verdict.feedback) return oneLine(verdict.feedback);
  if (verdict.reason) return oneLine(say(verdict, verdict.reason));
  const own = trace.notices.filter((notice) => notice.hook === hook && notice.kind === "user_message").at(-1);
  return own ? oneLine(own.text) : null;
}
