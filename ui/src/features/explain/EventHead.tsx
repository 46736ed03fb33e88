/** What the event was, and what came of it. */
import { DialectTag, type GlyphKind, MiniChain, Tooltip } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { chainOf } from "@/domain/trace/verdict";
import { useTool, useVerdictWords } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import { exactTime } from "@/i18n/format";
import type { Trace } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { pretty } from "@/lib/pretty";
import type { Asked } from "./Answer";

interface EventHeadProps {
  trace: Trace | undefined;
  dialect: string;
  event: string;
  asked: readonly Asked[];
}

export function EventHead({ trace, dialect, event, asked }: EventHeadProps) {
  const wordsOf = useVerdictWords();
  const words = trace && wordsOf(trace).rest;
  return (
    <>
      <div className="pane-head strong-line" style={{ height: "var(--h-bar)" }}>
        <DialectTag dialect={dialect} />
        <b className="mono">{event}</b>
        <span className="spacer" />
        <span className="mono text-tiny dim">{trace ? exactTime(trace.at) : t("explain.notFired")}</span>
      </div>
      {trace ? <EventAbout trace={trace} /> : null}
      <div className="section row">
        {trace ? (
          <>
            <ResultBadge chain={chainOf(trace)} />
            <span className="text-small ink-2 trunc">{words?.replace(/^[,，]\s*/, "")}</span>
          </>
        ) : (
          <span className="text-small ink-2">{t("explain.hypothetical")}</span>
        )}
        <span className="spacer" />
        <MiniChain
          steps={asked.map((one) => ({
            outcome: one.glyph === "not_reached" ? "skipped" : (one.glyph as Exclude<GlyphKind, "not_reached">),
            reason: one.glyph === "not_reached" ? "chain_ended" : null,
          }))}
        />
      </div>
    </>
  );
}

/** What the event was about: the tool, and the first of its own fields. */
function EventAbout({ trace }: { trace: Trace }) {
  const tool = useTool()(trace);
  const dialect = useDialect(trace.dialect);
  const event = dialect?.events.find((one) => one.name === trace.event);
  const field = event?.fields.find(
    ({ name }) => name !== dialect?.tool_field && !dialect?.common.includes(name) && trace.payload_before[name] != null,
  );
  const text = field === undefined ? "" : oneLine(pretty(trace.payload_before[field.name]), 200);
  if (tool === null && text === "") return null;
  return (
    <Tooltip text={text} onlyCut>
      <p className="section mono dim border-t-0 pb-0 [display:-webkit-box] [-webkit-box-orient:vertical] [-webkit-line-clamp:2] [line-clamp:2] overflow-hidden wrap-anywhere">
        {tool === null ? null : <b className="medium ink-1">{tool} </b>}
        {text}
      </p>
    </Tooltip>
  );
}
