/** The one timeline: a row a step with its bar, its outcome and its reason. */
import { ChartNoAxesGantt, Table2 } from "lucide-react";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { Step } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { useView } from "@/lib/view";
import { Button } from "./Button";
import { Axis, linearScale, percent, type Scale } from "./chart";
import { GLYPH_COLOUR } from "./Glyph";
import { Outcome } from "./Outcome";
import { didRun, glyphOf } from "./rail";
import { StepList } from "./StepList";
import { stepBadge, stepTook } from "./step";

const ROW = 24;
const TICKS = 5;

/** Ticks in one unit, as few digits as they need. */
function tickText(ms: number, whole: number): string {
  if (ms === 0) return "0";
  const seconds = whole >= 1000;
  return `${Number((seconds ? ms / 1000 : ms).toPrecision(3))}\u00a0${seconds ? "s" : "ms"}`;
}

interface TimelineProps {
  steps: readonly Step[];
  /** The chain's whole time in ms. */
  took: number;
  selected: number | null;
  onSelect: (index: number) => void;
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

function TimedSteps({ steps, took, selected, onSelect, draw, tight = false }: TimelineProps) {
  const whole = wholeTime(steps, took);
  const scale = linearScale(0, whole);
  // Without a bar there is nothing to read off a scale.
  const ticks = steps.some((step) => step.attempts.length > 0) ? scale.ticks(TICKS) : [];
  const reached = reachedBy(steps);
  return (
    <>
      <div className={tight ? "timed-row timeline-head tight" : "timed-row timeline-head"}>
        <span className="text-tiny dim trunc">{t("timeline.count", { count: steps.length })}</span>
        <Axis ticks={ticks} text={(ms) => tickText(ms, whole)} />
      </div>
      <StepList
        label={t("fire.steps")}
        steps={steps}
        selected={selected}
        onSelect={onSelect}
        badges={!tight}
        draw={draw}
        lane={(index) => {
          const step = steps[index];
          const at = percent(scale.at(reached[index] ?? 0));
          return (
            <svg className="timeline-lane" width="100%" height={ROW} aria-hidden="true">
              <line className="timeline-track" x1="0" x2="100%" y1="12" y2="12" />
              {whole > took ? (
                <line
                  className="timeline-reply"
                  x1={percent(scale.at(took))}
                  x2={percent(scale.at(took))}
                  y1="0"
                  y2="100%"
                >
                  <title>{t("timeline.reply")}</title>
                </line>
              ) : null}
              {step !== undefined && didRun(step) ? (
                <AttemptBars step={step} scale={scale} />
              ) : (
                <line x1={at} x2={at} className="timeline-skip" y1="8" y2="16" />
              )}
            </svg>
          );
        }}
      />
    </>
  );
}

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
                <td title={escapeInvisible(step.label)}>
                  <button
                    type="button"
                    className="times-choose"
                    aria-current={index === selected ? "step" : undefined}
                    onClick={() => onSelect(index)}
                  >
                    {escapeInvisible(step.label)}
                  </button>
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
