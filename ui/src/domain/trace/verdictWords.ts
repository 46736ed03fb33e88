/** The verdict of a chain as a sentence, for screens that show a whole trace. */
import { type GlyphKind, wasStopped } from "@/components";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import type { Trace } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { anyRan, chainOf, isStopped, resultBadge } from "./verdict";

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
  return (trace: Trace) => {
    const field = dialects.find((one) => one.id === trace.dialect)?.tool_field;
    const tool = field === undefined ? undefined : trace.payload_before[field];
    return typeof tool === "string" && tool !== "" ? oneLine(tool, 40) : null;
  };
}

export function useVerdictWords(): (trace: Trace) => VerdictWords {
  const toolOf = useTool();
  return (trace: Trace) => {
    const chain = chainOf(trace);
    const { outcomes } = chain;
    const { kind, word } = resultBadge(chain);
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
  };
}

type Judged = Pick<Trace, "verdict" | "notices">;

/** What the deciding hook said, in its own words or in ours. */
function saying(trace: Judged, hook: string, say: (message: object, english: string | null) => string): string | null {
  const { verdict } = trace;
  if (verdict.feedback) return oneLine(verdict.feedback);
  if (verdict.reason) return oneLine(say(verdict, verdict.reason));
  const own = trace.notices.filter((notice) => notice.hook === hook && notice.kind === "user_message").at(-1);
  return own ? oneLine(own.text) : null;
}
