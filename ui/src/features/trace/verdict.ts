/** The verdict of a chain as a sentence and a colour. */
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { didRun, type GlyphKind } from "@/components";
import { useSentence } from "@/i18n/sentence";
import type { HistoryRow, Outcome, Trace } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/visible";

type Judged = Pick<Trace, "verdict" | "notices">;

/** Outcomes from the loudest to the quietest, for a chain whose verdict alone says little. */
const LOUDEST: readonly Outcome[] = [
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

/** The one outcome that stands for a whole chain: what held it, else the loudest thing in it. */
export function chainOutcome(verdict: Trace["verdict"], outcomes: readonly Outcome[]): GlyphKind {
  const loud = LOUDEST.find((one) => outcomes.includes(one)) ?? "no_opinion";
  switch (verdict.kind) {
    case "proceed":
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
  return chainOutcome(row.verdict, row.outcomes);
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
  const { say } = useSentence();
  const toolOf = useTool();
  return useCallback(
    (trace: Trace) => {
      const outcomes = trace.steps.map((step) => step.outcome);
      const kind = chainOutcome(trace.verdict, outcomes);
      const open = trace.steps.filter((step) => step.outcome === "failed_open" || step.outcome === "timed_out_open");
      const changed = trace.steps.some((step) => step.outcome === "changed");
      const by = trace.steps.find((step) => step.hook === trace.verdict.by);
      const tool = toolOf(trace);
      const held = trace.verdict.kind;
      const rest =
        held === "proceed"
          ? open.length > 0
            ? t("fire.verdict.unguarded", { count: open.length })
            : trace.steps.some(didRun)
              ? changed
                ? t("fire.verdict.changed")
                : t("fire.verdict.unchanged")
              : t("fire.verdict.nothingRan")
          : held === "skip" && tool
            ? t("fire.verdict.toolSkipped", { tool })
            : t(`fire.verdict.${held}`);
      return {
        kind,
        lead: kind === "denied" || kind === "asked" ? t(`words.outcome.${kind}`) : t(`words.verdict.${held}`),
        rest,
        by: by ? { label: oneLine(by.label, 60), said: saying(trace, by.hook, say) } : null,
      };
    },
    [t, say, toolOf],
  );
}

/** What the deciding hook said, in its own words or in ours. */
function saying(trace: Judged, hook: string, say: (spoken: object, english: string | null) => string): string | null {
  const { verdict } = trace;
  if (verdict.feedback) return oneLine(verdict.feedback);
  if (verdict.reason) return oneLine(say(verdict, verdict.reason));
  const own = trace.notices.filter((notice) => notice.hook === hook && notice.kind === "user_message").at(-1);
  return own ? oneLine(own.text) : null;
}
