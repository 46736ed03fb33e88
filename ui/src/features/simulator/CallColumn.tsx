/** One call: the events before it with their chains, and the exact list of messages that the model sees. */
import { Lock, Pin, Undo2 } from "lucide-react";
import { Cut, Icon, MiniChain, Tooltip } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { chainOf, isStopped } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import type { Trace } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { LIFE_CLASS, LIFE_NUMBER } from "./lifetimes";
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
    <section
      className={
        chosen
          ? "flex flex-col gap-2 min-w-0 p-2 border-l border-l-line-1 first:border-l-0 on bg-2"
          : "flex flex-col gap-2 min-w-0 p-2 border-l border-line-1 first:border-l-0"
      }
      aria-label={title}
      data-column={index}
    >
      {column.events.length > 0 ? (
        <ul aria-label={t("simulator.eventsBefore", { call: title })}>
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
        <ul aria-label={t("simulator.gone")}>
          {column.gone.map((gone) => (
            <GoneLine key={gone.insertion} gone={gone} />
          ))}
        </ul>
      ) : null}
      {column.listed ? (
        <>
          <ol className="flex flex-col gap-0.75 flex-1" aria-label={t("simulator.messagesOf", { call: title })}>
            {column.lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a finished call are fixed
              <MessageLine key={at} line={line} />
            ))}
          </ol>
          <div className="flex justify-between gap-2 px-1 text-tiny dim">
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
      className={
        on
          ? "flex flex-wrap items-center gap-y-0.5 gap-x-1.5 w-full min-h-6 py-0.5 px-1.5 rounded-1 text-left [&>.grow]:min-w-22.5 hover:bg-3 on bg-sel text-ink-1 shadow-[inset_2px_0_0_var(--accent)]"
          : "flex flex-wrap items-center gap-y-0.5 gap-x-1.5 w-full min-h-6 py-0.5 px-1.5 rounded-1 text-left text-ink-2 [&>.grow]:min-w-22.5 hover:bg-3"
      }
      aria-pressed={on}
      aria-description={t("simulator.openChain")}
      onClick={onChoose}
    >
      <span className="mono text-tiny trunc grow">{trace.event}</span>
      {trace.steps.length > 0 ? <MiniChain steps={trace.steps} /> : null}
      {trace.verdict.kind === "proceed" && !isStopped(chain) ? null : (
        <span className="basis-full min-w-0 overflow-hidden">
          <ResultBadge chain={chain} />
        </span>
      )}
    </button>
  );
}

function GoneLine({ gone }: { gone: Gone }) {
  return (
    <Tooltip text={gone.by}>
      <li className="flex items-center gap-1.5 min-h-5.5 px-1.5 text-xs/[inherit] text-ink-3 [&>s]:flex-none [&>s]:max-w-[55%] [&>.life-number]:bg-(--life-back) [&>.life-number]:text-(--life) [&_.mono]:text-2xs/[inherit]">
        <Icon of={Undo2} size={12} />
        <b
          className={`life-number flex-none w-4 h-4 rounded-1 text-center font-[700] text-2xs/4 font-ui bg-(--life) text-ink-inv ${LIFE_CLASS[gone.lifetime]}`}
        >
          {LIFE_NUMBER[gone.lifetime]}
        </b>
        <s className="trunc">{escapeInvisible(gone.hook)}</s>
        <span className="visually-hidden">{t("simulator.wasRemoved")}</span>
        {gone.by === null ? null : <span className="mono dim trunc grow right">{oneLine(gone.by, 60)}</span>}
      </li>
    </Tooltip>
  );
}

function MessageLine({ line }: { line: Line }) {
  const { message, hook, lifetime } = line;
  const said = contentOf(line);
  if (message.origin === "prompt" && hook === null) {
    return (
      <li className="flex items-center gap-1.5 min-h-6.5 flex-none min-w-0 px-1.5 rounded-1 text-xs/[inherit] whitespace-nowrap [&_.mono]:text-xs/[inherit] prompt bg-transparent border border-dashed border-line-3 text-ink-3">
        <Icon of={Lock} size={12} />
        <Cut className="mono" text={said} />
      </li>
    );
  }
  if (hook === null) {
    return (
      <li
        className={
          message.origin === "history"
            ? "flex items-center gap-1.5 min-h-6.5 flex-none min-w-0 px-1.5 rounded-1 text-xs/[inherit] whitespace-nowrap returned bg-transparent inset-ring inset-ring-line-1"
            : "flex items-center gap-1.5 min-h-6.5 flex-none min-w-0 px-1.5 rounded-1 text-xs/[inherit] whitespace-nowrap bg-3"
        }
      >
        <span className="flex-none text-ink-2 font-[560]">{message.role}</span>
        <Cut className="dim" text={said} />
      </li>
    );
  }
  return (
    <li
      className={
        lifetime === null
          ? "flex items-center gap-1.5 min-h-6.5 flex-none min-w-0 px-1.5 rounded-1 text-xs/[inherit] whitespace-nowrap bg-3 [&.returned]:bg-transparent [&.returned]:inset-ring [&.returned]:inset-ring-line-1 [&.prompt]:bg-transparent [&.prompt]:border [&.prompt]:border-dashed [&.prompt]:border-line-3 [&.prompt]:text-ink-3 [&.prompt_.mono]:text-xs/[inherit] [&.inserted]:min-h-10 [&.inserted]:pl-2 [&.inserted]:leading-3.75 [&.inserted]:bg-(--life-back,var(--change-bg)) [&.inserted]:shadow-[inset_2px_0_0_var(--life,var(--change))] [&.inserted>.life-number]:self-start [&.inserted>.life-number]:mt-1.25 [&.inserted>[role='img']]:self-start [&.inserted>[role='img']]:mt-1.25 inserted"
          : `flex items-center gap-1.5 min-h-6.5 flex-none min-w-0 px-1.5 rounded-1 text-xs/[inherit] whitespace-nowrap bg-3 [&.returned]:bg-transparent [&.returned]:inset-ring [&.returned]:inset-ring-line-1 [&.prompt]:bg-transparent [&.prompt]:border [&.prompt]:border-dashed [&.prompt]:border-line-3 [&.prompt]:text-ink-3 [&.prompt_.mono]:text-xs/[inherit] [&.inserted]:min-h-10 [&.inserted]:pl-2 [&.inserted]:leading-3.75 [&.inserted]:bg-(--life-back,var(--change-bg)) [&.inserted]:shadow-[inset_2px_0_0_var(--life,var(--change))] [&.inserted>.life-number]:self-start [&.inserted>.life-number]:mt-1.25 [&.inserted>[role='img']]:self-start [&.inserted>[role='img']]:mt-1.25 inserted ${LIFE_CLASS[lifetime]}`
      }
    >
      {lifetime === null ? null : (
        <b
          className={`life-number flex-none w-4 h-4 rounded-1 text-center font-[700] text-2xs/4 font-ui bg-(--life) text-ink-inv ${LIFE_CLASS[lifetime]}`}
        >
          {LIFE_NUMBER[lifetime]}
        </b>
      )}
      <span className="grow">
        <span className="trunc medium block">
          {escapeInvisible(hook)}
          {lifetime === null ? <span className="flex-none text-ink-2 font-[560]"> {message.role}</span> : null}
        </span>
        <Cut
          className="dim block"
          text={line.fromTurn === null ? said : `${t("simulator.fromTurn", { number: line.fromTurn })} · ${said}`}
        />
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
