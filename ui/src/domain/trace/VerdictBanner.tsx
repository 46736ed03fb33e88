/** The verdict first: one sentence, who said it, and how long it took. */
import type { ReactNode } from "react";
import { Glyph } from "@/components";
import type { Trace } from "@/ipc";
import { useDialects, useEventInfo } from "@/ipc/dialects";
import { useVerdictWords, type VerdictWords, waitingOnly } from "./verdictWords";
import "./trace.css";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";

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
}

export function VerdictBanner({ trace, action, outdated = false }: VerdictBannerProps) {
  const judged = useVerdictWords()(trace);
  const agent = useDialects().find((one) => one.id === trace.dialect)?.name ?? trace.dialect;
  const waiting = waitingOnly(trace);
  const words: VerdictWords =
    waiting === 0
      ? judged
      : { kind: "not_matched", lead: t("notRun.here"), rest: t("notRun.waiting", { count: waiting, agent }), by: null };
  const budgetMs = useEventInfo(trace.dialect, trace.event)?.budget_ms ?? null;
  return (
    <div className={`verdict ${(outdated ? undefined : TONES[words.kind]) ?? "quiet"}`} role="status">
      <Glyph kind={words.kind} size={24} />
      <div className="grow">
        <div className="verdict-lead">
          {words.lead}
          <span className="verdict-rest">{words.rest}</span>
        </div>
        {words.by ? (
          <p className="text-small ink-2">
            <b className="medium ink-1">{words.by.label}</b>
            {words.by.said ? t("fire.verdict.said", { text: words.by.said }) : t("fire.verdict.decided")}
          </p>
        ) : null}
        {action ? <div className="verdict-action">{action}</div> : null}
      </div>
      <div className="right">
        <div className="mono md">{duration(trace.took_ms)}</div>
        {budgetMs === null ? null : (
          <div className="text-tiny dim nowrap">{t("fire.ofBudget", { seconds: budgetMs / 1000 })}</div>
        )}
      </div>
    </div>
  );
}
