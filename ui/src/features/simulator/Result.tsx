/** The result: what it came to, the calls of a turn beside each other, and what stands out. */
import { Copy, FileText, ListX, ShieldQuestionMark } from "lucide-react";
import { type CSSProperties, useEffect, useRef } from "react";
import { Button, Icon, Note } from "@/components";
import { Notices } from "@/domain/trace/Notices";
import { t } from "@/i18n";
import type { SimulateDocument } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { joinSentences, sentenceGap } from "@/lib/sentences";
import { Link, useNavigate } from "@/routes/router";
import { Bars } from "./Bars";
import { CallColumn } from "./CallColumn";
import type { Position } from "./position";
import type { Column, TurnView } from "./timeline";
import { callName } from "./words";

interface ResultProps {
  document: SimulateDocument;
  stopped: boolean;
  /** What changed since: the text was edited, or the hooks of its events are others. */
  since: "edited" | "hooks" | null;
  turn: TurnView;
  position: Position;
  exact: boolean;
  onExact: () => void;
}

export function Result(props: ResultProps) {
  const { document, stopped, since, turn, position, exact, onExact } = props;
  return (
    <>
      <Verdict document={document} />
      {stopped ? (
        <Note kind="warning" className="flat">
          {t("simulator.stopped")}
        </Note>
      ) : null}
      {since === null ? null : (
        <Note kind={since === "edited" ? "plain" : "warning"} className="flat">
          {t(since === "edited" ? "simulator.outdated" : "simulator.hooks.changed")}
        </Note>
      )}
      <Notices notices={document.notices} />
      <Calls document={document} turn={turn} position={position} exact={exact} />
      <Foot turn={turn} call={position.call} exact={exact} onExact={onExact} />
    </>
  );
}

/** What happened in all, and the hooks that did not run because nobody approved them. */
function Verdict({ document }: { document: SimulateDocument }) {
  const navigate = useNavigate();
  const { traces, llm_calls: calls, turns } = document;
  const steps = traces.flatMap((trace) => trace.steps);
  const blocked = traces.filter(({ verdict }) => BLOCKING.has(verdict.kind)).length;
  const open = steps.filter(({ outcome }) => outcome === "failed_open" || outcome === "timed_out_open").length;
  const untrusted = steps.filter(({ reason }) => reason === "untrusted");
  const waiting = new Set(untrusted.map(({ hook }) => hook)).size;
  const counts = [
    t("simulator.verdict.turns", { count: turns.length }),
    t("simulator.verdict.calls", { count: calls.length }),
    t("simulator.verdict.events", { count: traces.length }),
  ];
  const notApproved = t("simulator.notApproved", { count: waiting });
  // Where nothing else happened, hooks that did not run are the news.
  const isHeadline = waiting > 0 && open === 0 && blocked === 0;
  const lead = isHeadline
    ? notApproved
    : open > 0
      ? t("simulator.verdict.open", { count: open })
      : blocked > 0
        ? t("simulator.verdict.blocked", { count: blocked })
        : t("simulator.verdict.fine");
  return (
    <>
      <div className="flex-none py-3 px-4 border-b border-line-2 row">
        <div className="grow" role="status">
          <h2 className={open > 0 ? "verdict-text ink-fail" : "verdict-text"}>{lead}</h2>
          <p className="text-small ink-2">{counts.join(t("list"))}</p>
        </div>
        {isHeadline ? (
          <Button
            icon={ShieldQuestionMark}
            onClick={() => navigate({ to: "/trust", search: { hook: untrusted[0]?.hook } })}
          >
            {t("simulator.review")}
          </Button>
        ) : null}
      </div>
      {waiting > 0 && !isHeadline ? (
        <Note kind="warning" icon={ShieldQuestionMark} className="flat" lead={notApproved}>
          <Link className="link" to="/trust" search={{ hook: untrusted[0]?.hook }}>
            {t("simulator.review")}
          </Link>
        </Note>
      ) : null}
    </>
  );
}

const BLOCKING: ReadonlySet<string> = new Set(["ask", "skip", "deny", "retry", "stop", "end_turn", "end_session"]);

function Calls({ document, turn, position, exact }: Pick<ResultProps, "document" | "turn" | "position" | "exact">) {
  const list = useRef<HTMLDivElement>(null);
  const { call, event, setCallAndEvent } = position;
  // The pane of the chain may cover the column that it is opened from.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is opened with another event or the exact text
  useEffect(() => {
    const scroll = list.current;
    const column = scroll?.querySelector<HTMLElement>(`[data-column="${call}"]`);
    if (!scroll || !column) return;
    const right = column.offsetLeft + column.offsetWidth - scroll.clientWidth;
    scroll.scrollLeft = Math.max(right, Math.min(scroll.scrollLeft, column.offsetLeft));
  }, [call, event, exact]);
  const style = { "--columns": turn.columns.length } as CSSProperties;
  return (
    <section
      ref={list}
      className="relative flex-1 min-h-0 overflow-auto flex"
      aria-label={t("simulator.calls")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
      tabIndex={0}
    >
      <div className="flex-1 min-w-[calc(var(--columns)_*_190px)] min-h-full flex flex-col" style={style}>
        <ol
          className="grid grid-cols-[repeat(var(--columns),minmax(0,1fr))] flex-none h-10 sticky top-0 z-2 bg-1"
          aria-label={t("simulator.calls")}
        >
          {turn.columns.map((column, index) => (
            <Stop
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a finished simulation are fixed
              key={index}
              column={column}
              state={index === call ? "on" : index < call ? "past" : "ahead"}
              onChoose={() => position.setCall(index)}
            />
          ))}
        </ol>
        <Bars rows={turn.bars} columns={turn.columns.length} chosen={call} />
        <div className="grid grid-cols-[repeat(var(--columns),minmax(0,1fr))] flex-1">
          {turn.columns.map((column, index) => (
            <CallColumn
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              key={index}
              index={index}
              column={column}
              traces={document.traces}
              chosen={index === call}
              event={event}
              onEvent={(at) => setCallAndEvent(index, at)}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

interface StopProps {
  column: Column;
  state: "on" | "past" | "ahead";
  onChoose: () => void;
}

function Stop({ column, state, onChoose }: StopProps) {
  const { title, about } = callName(column);
  return (
    <li>
      <button
        type="button"
        className={`relative flex items-center gap-1.5 w-full h-10 pr-2 pl-3 text-sm/[inherit] text-ink-3 text-left before:absolute before:top-4.75 before:inset-x-0 before:bottom-auto before:h-0.5 before:bg-line-2 [&.past::before]:bg-accent [&.on::before]:[background:linear-gradient(to_right,var(--accent)_18px,var(--line-2)_18px)] [&>i]:relative [&>i]:flex-none [&>i]:w-3 [&>i]:h-3 [&>i]:border-2 [&>i]:border-line-3 [&>i]:rounded-full [&>i]:bg-1 [&.past>i]:border-accent [&.on>i]:border-accent [&.on>i]:bg-accent [&.on>i]:shadow-[0_0_0_3px_var(--accent-bg)] [&>span]:relative [&>span]:px-0.5 [&>span]:bg-1 [&.on]:text-ink-1 [&.on]:font-strong [&.on]:bg-2 [&.on>span]:bg-2 hover:bg-2 [&:hover>span]:bg-2 ${state}`}
        aria-current={state === "on" ? "step" : undefined}
        onClick={onChoose}
      >
        <i aria-hidden="true" />
        <span className="flex-none">{title}</span>
        <span className="mono text-tiny dim trunc">{oneLine(about, 60)}</span>
      </button>
    </li>
  );
}

interface FootProps {
  turn: TurnView;
  /** Index of the chosen column. */
  call: number;
  exact: boolean;
  onExact: () => void;
}

/** Copies and leftovers, and the way to the exact text. */
function Foot({ turn, call, exact, onExact }: FootProps) {
  // Of what stands out, that of the chosen call comes first.
  const first = turn.remarks.find((remark) => remark.column === call) ?? turn.remarks[0];
  const column = first === undefined ? undefined : turn.columns[first.column];
  const more = turn.remarks.length - 1;
  const remark =
    first === undefined || column === undefined
      ? ""
      : first.kind === "copies"
        ? t("simulator.remark.copies", { count: first.count, hook: first.hook, call: callName(column).title })
        : t("simulator.remark.left", { hook: first.hook });
  return (
    <div className="flex items-center gap-3 flex-none min-h-11 py-1 px-4 border-t border-line-2">
      {first === undefined || column === undefined ? (
        <span className="grow text-small dim">{turn.bars.length > 0 ? t("simulator.remark.none") : null}</span>
      ) : (
        <>
          <Icon of={first.kind === "copies" ? Copy : ListX} size={16} className="ink-late" />
          <span className="grow text-small">
            <b className="medium">{remark}</b>
            {sentenceGap(remark)}
            <span className="dim">
              {joinSentences(
                t(first.kind === "copies" ? "simulator.remark.copiesWhy" : "simulator.remark.leftWhy"),
                more > 0 && t("simulator.remark.more", { count: more }),
              )}
            </span>
          </span>
        </>
      )}
      <Button
        icon={FileText}
        aria-pressed={exact}
        disabledBecause={turn.columns[call]?.call ? null : t("simulator.exactNone")}
        onClick={onExact}
      >
        {t("simulator.exact")}
      </Button>
    </div>
  );
}
