/** One call: the events before it with their chains, and the exact list of messages that the model sees. */
import { Lock, Pin, Undo2 } from "lucide-react";
import { Icon, MiniChain } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { chainOf, isStopped } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import type { Trace } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { LIFE_CLASS } from "./lifetimes";
import type { Column, Gone, Line } from "./timeline";
import { callName } from "./words";

const LINE_CHARACTERS = 160;

interface CallColumnProps {
  index: number;
  column: Column;
  traces: readonly Trace[];
  chosen: boolean;
  /** Index of the chosen event. */
  event: number | null;
  onEvent: (index: number) => void;
}

export function CallColumn({ index, column, traces, chosen, event, onEvent }: CallColumnProps) {
  const inserted = column.lines.filter(({ hook }) => hook !== null).length;
  const { title } = callName(column);
  return (
    <section className={chosen ? "simulator-column on" : "simulator-column"} aria-label={title} data-column={index}>
      {column.events.length > 0 ? (
        <ul className="simulator-events" aria-label={t("simulator.eventsBefore", { call: title })}>
          {column.events.map((at) => {
            const trace = traces[at];
            if (trace === undefined) return null;
            return (
              <li key={trace.trace}>
                <EventButton trace={trace} on={at === event} onChoose={() => onEvent(at)} />
              </li>
            );
          })}
        </ul>
      ) : null}
      {column.gone.length > 0 ? (
        <ul className="simulator-gone" aria-label={t("simulator.gone")}>
          {column.gone.map((gone) => (
            <GoneLine key={gone.insertion} gone={gone} />
          ))}
        </ul>
      ) : null}
      {column.listed ? (
        <>
          <ol className="simulator-messages" aria-label={t("simulator.messagesOf", { call: title })}>
            {column.lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a finished call are fixed
              <MessageLine key={at} line={line} />
            ))}
          </ol>
          <div className="simulator-count text-tiny dim">
            <span>{t("simulator.messages", { count: column.lines.length })}</span>
            {inserted > 0 ? <span className="ink-accent">{t("simulator.inserted", { count: inserted })}</span> : null}
          </div>
        </>
      ) : null}
    </section>
  );
}

function EventButton({ trace, on, onChoose }: { trace: Trace; on: boolean; onChoose: () => void }) {
  const chain = chainOf(trace);
  return (
    <button
      type="button"
      className={on ? "simulator-event on" : "simulator-event"}
      aria-pressed={on}
      aria-description={t("simulator.openChain")}
      onClick={onChoose}
    >
      <span className="mono text-tiny trunc grow">{trace.event}</span>
      {trace.steps.length > 0 ? <MiniChain steps={trace.steps} pitch={15} limit={5} /> : null}
      {trace.verdict.kind === "proceed" && !isStopped(chain) ? null : (
        <span className="simulator-event-result">
          <ResultBadge chain={chain} />
        </span>
      )}
    </button>
  );
}

function GoneLine({ gone }: { gone: Gone }) {
  return (
    <li className="simulator-removed" title={gone.by ?? undefined}>
      <Icon of={Undo2} size={12} />
      <b className={`life-number ${LIFE_CLASS[gone.lifetime]}`}>{gone.lifetime}</b>
      <s className="trunc">{escapeInvisible(gone.hook)}</s>
      <span className="visually-hidden">{t("simulator.wasRemoved")}</span>
      {gone.by === null ? null : <span className="mono dim trunc grow right">{oneLine(gone.by, 60)}</span>}
    </li>
  );
}

function MessageLine({ line }: { line: Line }) {
  const { message, hook, lifetime } = line;
  const said = contentOf(line);
  if (message.origin === "prompt" && hook === null) {
    return (
      <li className="simulator-message prompt" title={said}>
        <Icon of={Lock} size={12} />
        <span className="mono trunc">{said}</span>
      </li>
    );
  }
  if (hook === null) {
    return (
      <li className={message.origin === "history" ? "simulator-message returned" : "simulator-message"} title={said}>
        <span className="simulator-role">{message.role}</span>
        <span className="trunc dim">{said}</span>
      </li>
    );
  }
  return (
    <li
      className={
        lifetime === null ? "simulator-message inserted" : `simulator-message inserted ${LIFE_CLASS[lifetime]}`
      }
      title={said}
    >
      {lifetime === null ? null : <b className={`life-number ${LIFE_CLASS[lifetime]}`}>{lifetime}</b>}
      <span className="grow">
        <span className="trunc medium block">
          {escapeInvisible(hook)}
          {lifetime === null ? <span className="simulator-role"> {message.role}</span> : null}
        </span>
        <span className="trunc dim block">
          {line.fromTurn === null ? "" : `${t("simulator.fromTurn", { number: line.fromTurn })} · `}
          {said}
        </span>
      </span>
      {line.persistent ? (
        <span className="dim" role="img" aria-label={t("simulator.persistent")}>
          <Icon of={Pin} size={12} />
        </span>
      ) : null}
    </li>
  );
}

/** The content on one line; a message without text shows the tools that it calls. */
function contentOf({ message }: Line): string {
  const { content, tool_calls: calls } = message;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  if (text !== "" || !Array.isArray(calls)) return oneLine(text, LINE_CHARACTERS);
  const all = calls.map((call: { name?: unknown; arguments?: unknown }) => `${call?.name}(${call?.arguments ?? ""})`);
  return oneLine(all.join(", "), LINE_CHARACTERS);
}
