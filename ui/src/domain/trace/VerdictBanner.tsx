/** The verdict first: one sentence, who said it, and how long it took. */
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components";
import { useFormats } from "@/i18n/format";
import type { Trace } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { useVerdictWords } from "./verdict";
import "./trace.css";

const TONES: Partial<Record<string, string>> = {
  denied: "deny",
  failed_open: "fail",
  failed_closed: "fail",
  timed_out_open: "late",
  timed_out_closed: "late",
  changed: "change",
  allowed: "allow",
};

export function VerdictBanner({ trace }: { trace: Trace }) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const words = useVerdictWords()(trace);
  const budgetMs = useEventInfo(trace.dialect, trace.event)?.budget_ms ?? null;
  return (
    <div className={`verdict ${TONES[words.kind] ?? "quiet"}`} role="status">
      <Glyph kind={words.kind} size={24} />
      <div className="grow">
        <div className="verdict-lead">
          {words.lead}
          <span className="verdict-rest">{words.rest}</span>
        </div>
        {words.by ? (
          <p className="text-small ink-2">
            <b className="medium ink-1">{words.by.label}</b>{" "}
            {words.by.said ? t("fire.verdict.said", { text: words.by.said }) : t("fire.verdict.decided")}
          </p>
        ) : null}
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
