/** What a trace is, in a few facts; what its badge says is not said again. */

import { useMemo } from "react";
import { Facts } from "@/components";
import { useTool, useVerdictWords } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import { bytes, dateTime, duration, time } from "@/i18n/format";
import type { Trace } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";
import { jsonBytes } from "@/lib/pretty";
import { Link } from "@/routes/router";

interface TraceFactsProps {
  trace: Trace;
  /** The hook that the list of hooks is opened with. */
  hook: string | undefined;
}

export function TraceFacts({ trace, hook }: TraceFactsProps) {
  const words = useVerdictWords()(trace);
  // The badge of these says what failed and not that the agent continued, or that it was stopped and not when.
  const isLead = words.kind === "failed_open" || words.kind === "timed_out_open" || words.kind === "skipped";
  const tool = useTool()(trace);
  const size = useMemo(() => jsonBytes(trace.payload_before), [trace.payload_before]);
  const facts: [string, string][] = [
    [t("history.fact.at"), time(trace.at)],
    [t("history.fact.origin"), t(`words.origin.${trace.origin}`)],
    [t("history.fact.took"), duration(trace.took_ms)],
    [t("history.fact.payload"), bytes(size)],
    ...(tool ? [[t("history.fact.tool"), tool] as [string, string]] : []),
    ...(trace.agent ? [[t("history.fact.agent"), trace.agent] as [string, string]] : []),
    ...(trace.session ? [[t("history.fact.session"), trace.session] as [string, string]] : []),
  ];
  return (
    <div className="section">
      {words.by ? (
        <p className="text-small ink-2">
          <b className="medium ink-1">{words.by.label}</b>
          {words.by.said ? t("fire.verdict.said", { text: words.by.said }) : t("fire.verdict.decided")}
        </p>
      ) : (
        <p className="text-small ink-2">
          {isLead ? words.lead + words.rest : capitalizeFirst(words.rest.replace(/^[,，]\s*/, ""))}
        </p>
      )}
      <Facts
        className="in-pairs"
        look="mono trunc"
        rows={facts.map(([name, value]) => [
          name,
          value,
          undefined,
          name === t("history.fact.at") ? dateTime(trace.at) : value,
        ])}
      />
      {trace.redacted ? <p className="text-tiny dim">{t("history.redacted")}</p> : null}
      {hook === undefined ? null : (
        <Link className="link text-tiny" to="/hooks" search={{ hook, event: trace.event }}>
          {t("history.toHooks")}
        </Link>
      )}
    </div>
  );
}
