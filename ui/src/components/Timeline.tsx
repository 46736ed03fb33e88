/** The one timeline: a row a step with its bar, its outcome and its reason. */
import { ChartNoAxesGantt, Table2, UnfoldVertical } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { Step } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { rowByKey } from "@/lib/listKeys";
import { useView } from "@/lib/view";
import { Button } from "./Button";
import { Axis, linearScale, percent, type Scale } from "./chart";
import { GLYPH_COLOUR, Glyph, type GlyphKind, glyphClass } from "./Glyph";
import { Icon } from "./Icon";
import { Outcome } from "./Outcome";
import { didRun, glyphOf, railOf, railStyle } from "./rail";
import { stepBadge, stepLine, stepTook, stepWho } from "./step";
import { Tooltip } from "./Tooltip";

const ROW = 24;
const TICKS = 3;

/** Ticks in one unit, as few digits as they need; only the last one names it. */
function tickText(ms: number, whole: number, isLast: boolean): string {
  const seconds = whole >= 1000;
  const text = String(Number((seconds ? ms / 1000 : ms).toPrecision(3)));
  return isLast && ms > 0 ? `${text}\u00a0${seconds ? "s" : "ms"}` : text;
}

interface TimelineProps {
  steps: readonly Step[];
  /** The chain's whole time in ms. */
  took: number;
  /** The step that is open. */
  selected: number | null;
  onSelect: (index: number | null) => void;
  /** What an open step shows under its row. */
  detail?: (step: Step, index: number) => ReactNode;
  draw?: boolean;
  /** In a drawer: the outcome is the first word of the second line. */
  tight?: boolean;
}

/** The steps of a chain with their times in one list, and the same numbers as a table (`Shift T`). */
export function Timeline(props: TimelineProps) {
  const asTable = useView((view) => view.asTable);
  const setAsTable = useView((view) => view.setAsTable);
  useScreenActions({ "timeline.table": () => setAsTable(!asTable) });
  return (
    <div className={props.draw ? "timeline draw" : "timeline"}>
      {asTable ? <TimesTable {...props} /> : <TimedSteps {...props} />}
      <span className="timeline-switch">
        <Button
          kind="ghost"
          size="small"
          icon={asTable ? ChartNoAxesGantt : Table2}
          label={t(asTable ? "timeline.asPicture" : "timeline.asTable")}
          action="timeline.table"
          onClick={() => setAsTable(!asTable)}
        />
      </span>
    </div>
  );
}

function TimedSteps({ steps, took, selected, onSelect, detail, draw = false, tight = false }: TimelineProps) {
  const list = useRef<HTMLOListElement>(null);
  /** Open ones beside the selected one, and whether the hooks for other calls are listed. */
  const [others, setOthers] = useState<ReadonlySet<number>>(new Set());
  const [unfolded, setUnfolded] = useState(false);
  const whole = wholeTime(steps, took);
  const scale = linearScale(0, whole);
  // Without a bar there is nothing to read off a scale.
  const ticks = steps.some((step) => step.attempts.length > 0) ? scale.ticks(TICKS) : [];
  const reached = reachedBy(steps);
  const nodes = railOf(steps);
  const folded = unfolded ? NOTHING : foldedSteps(steps, selected);
  useEffect(() => {
    const row = selected === null ? null : list.current?.querySelector(`[data-step="${selected}"]`);
    row?.scrollIntoView?.({ block: "nearest" });
  }, [selected]);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(":scope > li > button") ?? [])];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const all = rows();
    const at = all.indexOf(event.target as HTMLElement);
    const to = at < 0 ? null : rowByKey(event, at, all.length);
    if (to === null) return;
    all[to]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const toggle = (index: number) => {
    const open = new Set(others);
    const isOpen = index === selected || open.delete(index);
    if (isOpen) {
      setOthers(open);
      if (index === selected) onSelect(null);
      return;
    }
    if (selected !== null) setOthers(open.add(selected));
    onSelect(index);
  };
  const stop = selected ?? steps.findIndex((_, index) => !folded.has(index));
  return (
    <>
      <div className={tight ? "timed-row timeline-head tight" : "timed-row timeline-head"}>
        <span className="text-tiny dim trunc">{t("timeline.count", { count: steps.length })}</span>
        <Axis ticks={ticks} text={(ms) => tickText(ms, whole, ms === ticks.at(-1)?.value)} />
      </div>
      <ol
        ref={list}
        className={draw ? "rail draw" : "rail"}
        aria-label={t("fire.steps")}
        style={{ "--n": steps.length } as CSSProperties}
        onKeyDown={onKeyDown}
      >
        {steps.map((step, index) => {
          const node = nodes[index];
          if (node === undefined) return null;
          if (folded.has(index)) {
            if (folded.has(index - 1)) return null;
            let count = 1;
            while (folded.has(index + count)) count += 1;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a finished chain are fixed
              <li key={index} className="pl-10 pr-3">
                <button
                  type="button"
                  className="row w-full h-row text-small dim hover:text-ink-1"
                  onClick={() => setUnfolded(true)}
                >
                  <Icon of={UnfoldVertical} size={14} />
                  {t("timeline.otherCalls", { count })}
                </button>
              </li>
            );
          }
          const { className, style } = railStyle(node);
          const isOpen = detail !== undefined && (index === selected || others.has(index));
          return (
            <li
              key={`${step.hook} ${step.position ?? index}`}
              data-step={index}
              className={`step timed pickable ${className}${index === selected ? " on" : ""}`}
              style={{ ...style, "--i": index } as CSSProperties}
            >
              <span className="node">
                <Glyph kind={node.kind} size={16} />
              </span>
              <button
                type="button"
                className="step-row"
                aria-expanded={isOpen}
                aria-current={index === selected ? "step" : undefined}
                tabIndex={index === stop ? 0 : -1}
                onClick={() => toggle(index)}
              >
                <TimedWords
                  step={step}
                  kind={node.kind}
                  badges={!tight}
                  lane={<Lane step={step} scale={scale} took={took} whole={whole} reached={reached[index] ?? 0} />}
                />
              </button>
              {isOpen ? <div className="step-well">{detail(step, index)}</div> : null}
            </li>
          );
        })}
      </ol>
    </>
  );
}

const NOTHING: ReadonlySet<number> = new Set();
/** Chains up to this length are shown whole. */
const WHOLE_CHAIN = 12;

/** In a long chain the steps that did not match stand behind one row. */
function foldedSteps(steps: readonly Step[], selected: number | null): ReadonlySet<number> {
  if (steps.length <= WHOLE_CHAIN) return NOTHING;
  return new Set(steps.flatMap(({ outcome }, index) => (outcome === "not_matched" && index !== selected ? index : [])));
}

interface LaneProps {
  step: Step;
  scale: Scale<number>;
  took: number;
  whole: number;
  /** When the steps up to this one had ended, in ms. */
  reached: number;
}

function Lane({ step, scale, took, whole, reached }: LaneProps) {
  const at = percent(scale.at(reached));
  const reply = percent(scale.at(took));
  return (
    <svg className="timeline-lane" width="100%" height={ROW} aria-hidden="true">
      <line className="timeline-track" x1="0" x2="100%" y1="12" y2="12" />
      {whole > took ? (
        <line className="timeline-reply" x1={reply} x2={reply} y1="0" y2="100%">
          <title>{t("timeline.reply")}</title>
        </line>
      ) : null}
      {didRun(step) ? (
        <AttemptBars step={step} scale={scale} />
      ) : (
        <line x1={at} x2={at} className="timeline-skip" y1="8" y2="16" />
      )}
    </svg>
  );
}

interface TimedWordsProps {
  step: Step;
  kind: GlyphKind;
  badges: boolean;
  /** Its time as a bar. */
  lane: ReactNode;
}

/** What had no effect has a plain word and no badge. */
function TimedWords({ step, kind, badges, lane }: TimedWordsProps) {
  const word = stepBadge(step) ?? t(`words.outcome.${kind}`);
  const line = stepLine(step);
  const took = stepTook(step);
  const isQuiet = QUIET.has(kind);
  return (
    <>
      <span className="timed-row">
        <Tooltip text={`${escapeInvisible(step.label)} ${stepWho(step)}`}>
          <span className={isQuiet && kind !== "no_opinion" ? "step-name dim trunc" : "step-name trunc"}>
            {escapeInvisible(step.label)}
          </span>
        </Tooltip>
        {lane}
        <span className="mono dim step-time">{took === null ? "" : duration(took)}</span>
        {badges ? (
          <span className="text-right">
            {isQuiet ? (
              <span className="text-small dim">{word}</span>
            ) : (
              <Outcome kind={kind} word={stepBadge(step)} beside={step.mode === "detach"} />
            )}
          </span>
        ) : null}
      </span>
      <span className={badges ? "step-line block" : "step-line block wrap"}>
        {badges ? null : <span className={isQuiet ? undefined : `glyph-${glyphClass(kind)}`}>{word}</span>}
        {badges || line === "" ? null : " · "}
        {line}
      </span>
    </>
  );
}

const QUIET: ReadonlySet<GlyphKind> = new Set(["no_opinion", "not_matched", "skipped", "not_reached"]);

/** When the steps up to each had ended, in ms. */
function reachedBy(steps: readonly Step[]): number[] {
  let reached = 0;
  return steps.map(({ attempts }) => {
    reached = Math.max(reached, ...attempts.map((one) => one.started_ms + one.took_ms));
    return reached;
  });
}

/** Until the last attempt ended: what was detached goes on after the reply. */
function wholeTime(steps: readonly Step[], took: number): number {
  const ends = steps.flatMap((step) => step.attempts.map((one) => one.started_ms + one.took_ms));
  return Math.max(took, ...ends);
}

/** No bar is narrower than this many px. */
const MIN_BAR = 3;

/** Solid = running, tint = waiting for a model, outline = the hook failed open, thin = between two attempts. */
function AttemptBars({ step, scale }: { step: Step; scale: Scale<number> }) {
  const kind = glyphOf(step);
  const colour = GLYPH_COLOUR[kind];
  const open = kind === "failed_open" || kind === "timed_out_open";
  const waits = step.handler === "prompt" && !open;
  return step.attempts.map((attempt, index) => {
    const from = scale.at(attempt.started_ms);
    const to = scale.at(attempt.started_ms + attempt.took_ms);
    const next = step.attempts[index + 1];
    const width = `max(${MIN_BAR}px, ${percent(to - from)})`;
    // A bar at the very end is moved in, so that all of it is seen.
    const x = `min(${percent(from)}, 100% - ${MIN_BAR}px)`;
    return (
      <g key={attempt.started_ms}>
        {next ? (
          <rect
            x={percent(to)}
            y="10"
            width={percent(Math.max(0, scale.at(next.started_ms) - to))}
            height="4"
            className="timeline-wait"
          />
        ) : null}
        <rect
          className={open ? "timeline-bar open" : "timeline-bar"}
          style={{ x, width, ...(open ? { stroke: colour } : { fill: colour }) }}
          y={open ? 7.75 : 7}
          height={open ? 8.5 : 10}
          rx={open ? 0 : 1}
          opacity={waits ? 0.38 : 1}
        />
        {waits ? (
          <rect
            style={{ x: `calc(max(${percent(to)}, ${MIN_BAR}px) - ${MIN_BAR}px)`, fill: colour }}
            y="7"
            width={MIN_BAR}
            height="10"
            rx="1"
          />
        ) : null}
      </g>
    );
  });
}

function TimesTable({ steps, took, selected, onSelect }: TimelineProps) {
  return (
    <div className="px-4 py-1">
      <table className="times-table" aria-label={t("timeline.label")}>
        <thead>
          <tr>
            <th scope="col">{t("timeline.step")}</th>
            <th scope="col" style={{ width: 132 }}>
              {t("timeline.outcome")}
            </th>
            <th scope="col" className="right spare" style={{ width: 76 }}>
              {t("timeline.started")}
            </th>
            <th scope="col" className="right" style={{ width: 76 }}>
              {t("timeline.took")}
            </th>
            <th scope="col" className="right spare" style={{ width: 72 }}>
              {t("timeline.attempts")}
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => {
            const time = stepTook(step);
            const start = step.attempts[0]?.started_ms;
            return (
              <tr
                key={`${step.hook} ${step.position ?? index}`}
                className={index === selected ? "on" : ""}
                onClick={() => onSelect(index)}
              >
                <td>
                  <Tooltip text={escapeInvisible(step.label)} onlyCut>
                    <button
                      type="button"
                      className="times-choose"
                      aria-current={index === selected ? "step" : undefined}
                      onClick={() => onSelect(index)}
                    >
                      {escapeInvisible(step.label)}
                    </button>
                  </Tooltip>
                </td>
                <td>
                  <Outcome kind={glyphOf(step)} word={stepBadge(step)} beside={step.mode === "detach"} />
                </td>
                <td className="right mono spare">{start === undefined ? t("none") : duration(start)}</td>
                <td className="right mono">{time === null ? t("none") : duration(time)}</td>
                <td className="right mono spare">{step.attempts.length}</td>
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <td>{t("timeline.whole")}</td>
            <td />
            <td className="spare" />
            <td className="right mono">{duration(took)}</td>
            <td className="spare" />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
