/** The verdict first: one sentence, who said it, and how long it took. */
import { FileX } from "lucide-react";
import type { ReactNode } from "react";
import { Glyph, Icon } from "@/components";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { Trace } from "@/ipc";
import { useAgentName, useEventInfo } from "@/ipc/dialects";
import { useVerdictWords, type VerdictWords, waitingOnly } from "./verdictWords";

const TONES: Partial<Record<string, string>> = {
  denied: "deny",
  failed_open: "fail",
  failed_closed: "fail",
  timed_out_open: "late",
  timed_out_closed: "late",
  changed: "change",
  allowed: "allow",
};

interface VerdictBannerProps {
  trace: Trace;
  /** What can be done about it. */
  action?: ReactNode;
  /** It is no longer what would happen: without its colour. */
  outdated?: boolean;
  /** The agent itself does not run the hook that decided. */
  onlyHere?: boolean;
  /** In a drawer. */
  small?: boolean;
}

export function VerdictBanner({
  trace,
  action,
  outdated = false,
  onlyHere = false,
  small = false,
}: VerdictBannerProps) {
  const judged = useVerdictWords()(trace);
  const agent = useAgentName(trace.dialect);
  const waiting = waitingOnly(trace);
  const words: VerdictWords =
    waiting === 0
      ? judged
      : { kind: "not_matched", lead: t("notRun.here"), rest: t("notRun.waiting", { count: waiting, agent }), by: null };
  const budgetMs = useEventInfo(trace.dialect, trace.event)?.budget_ms ?? null;
  return (
    <div
      className={`verdict flex gap-3 py-3 px-4 border-b border-line-2 items-start flex-none [--tone:var(--bg-2)] bg-(--tone) [&.deny]:[--tone:var(--deny-bg)] [&.fail]:[--tone:var(--fail-bg)] [&.late]:[--tone:var(--late-bg)] [&.change]:[--tone:var(--change-bg)] [&.allow]:[--tone:var(--allow-bg)] [&_.glyph]:[--cut:var(--tone)] [&_.glyph]:mt-0.5 [&_p]:mt-0.5 flex-wrap [&>.grow]:basis-40 ${(outdated ? undefined : onlyHere ? "fail" : TONES[words.kind]) ?? "quiet"}`}
      role="status"
    >
      {onlyHere ? (
        <span className="ink-fail">
          <Icon of={FileX} size={20} />
        </span>
      ) : (
        <Glyph kind={words.kind} size={small ? 16 : 24} />
      )}
      <div className="grow">
        <div className={small ? "text-lg font-strong text-ink-1" : "text-xl font-[580] tracking-tight text-ink-1"}>
          {onlyHere ? t("fire.verdict.onlyHere", { verdict: words.lead, agent }) : words.lead}
          {onlyHere ? null : <span className="font-[450] text-ink-2">{words.rest}</span>}
        </div>
        {words.by ? (
          <p className="text-small ink-2">
            <b className="medium ink-1">{words.by.label}</b>
            {words.by.said ? t("fire.verdict.said", { text: words.by.said }) : t("fire.verdict.decided")}
          </p>
        ) : null}
        {action ? <div className="mt-2">{action}</div> : null}
      </div>
      <div className="right">
        <div className="mono md">{duration(trace.took_ms)}</div>
        {budgetMs === null || small ? null : (
          <div className="text-tiny dim nowrap">{t("fire.ofBudget", { seconds: budgetMs / 1000 })}</div>
        )}
      </div>
    </div>
  );
}
