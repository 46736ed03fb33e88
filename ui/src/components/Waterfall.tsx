/** Time of a chain, one 24 px row a step, and the same numbers as a table (`Shift T`). */
import { ChartNoAxesGantt, Table2 } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { Step } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { rowByKey } from "@/lib/listKeys";
import { useView } from "@/lib/view";
import { Button } from "./Button";
import { Axis, AxisLines, linearScale, percent, type Scale } from "./chart";
import { GLYPH_COLOUR, Glyph } from "./Glyph";
import { Outcome } from "./Outcome";
import { didRun, glyphOf } from "./rail";
import { stepBadge, stepTook } from "./step";

const ROW = 24;
const TICKS = 5;

/** Ticks in one unit, as few digits as they need. */
function tickText(ms: number, whole: number): string {
  if (ms === 0) return "0";
  const seconds = whole >= 1000;
  return `${Number((seconds ? ms / 1000 : ms).toPrecision(3))}\u00a0${seconds ? "s" : "ms"}`;
}

interface WaterfallProps {
  steps: readonly Step[];
  /** The chain's whole time in ms. */
  took: number;
  selected: number | null;
  onSelect: (index: number) => void;
  draw?: boolean;
}

export function Waterfall(props: WaterfallProps) {
  const asTable = useView((view) => view.asTable);
  const setAsTable = useView((view) => view.setAsTable);
  useScreenActions({ "waterfall.table": () => setAsTable(!asTable) });
  const label = t("waterfall.label");
  return (
    <div className="waterfall-frame">
      {asTable ? <WaterfallTable {...props} label={label} /> : <WaterfallPicture {...props} />}
      <span className="waterfall-switch">
        <Button
          kind="ghost"
          size="small"
          icon={asTable ? ChartNoAxesGantt : Table2}
          label={t(asTable ? "waterfall.asPicture" : "waterfall.asTable")}
          action="waterfall.table"
          onClick={() => setAsTable(!asTable)}
        />
      </span>
    </div>
  );
}

function WaterfallPicture({ steps, took, selected, onSelect, draw }: WaterfallProps) {
  const whole = wholeTime(steps, took);
  const scale = linearScale(0, whole);
  const rows = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice comes into view
  useEffect(() => {
    rows.current?.querySelector(".waterfall-row.on")?.scrollIntoView?.({ block: "nearest" });
  }, [selected]);
  // Without a bar there is nothing to read off a scale.
  const ticks = steps.some((step) => step.attempts.length > 0) ? scale.ticks(TICKS) : [];
  const onKeyDown = (event: KeyboardEvent) => {
    const options = [...(rows.current?.querySelectorAll<HTMLElement>("[role=option]") ?? [])];
    const to =
      event.key === "Enter" ? options.indexOf(event.target as HTMLElement) : rowByKey(event, selected, steps.length);
    if (to === null) return;
    onSelect(to);
    options[to]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const reached = reachedBy(steps);
  return (
    <div className={draw ? "waterfall draw" : "waterfall"}>
      <div>
        <div aria-hidden="true" className={ticks.length > 0 ? "waterfall-axis" : "waterfall-axis none"}>
          <Axis ticks={ticks} text={(ms) => tickText(ms, whole)} />
        </div>
        <div
          ref={rows}
          role="listbox"
          aria-label={t("waterfall.summary", { count: steps.length, took: duration(took) })}
          tabIndex={-1}
          className="waterfall-rows"
          onKeyDown={onKeyDown}
        >
          <svg className="waterfall-grid" width="100%" height="100%" aria-hidden="true">
            <AxisLines ticks={ticks} />
            {whole > took ? (
              <line
                x1={percent(scale.at(took))}
                x2={percent(scale.at(took))}
                y1="0"
                y2="100%"
                className="waterfall-reply"
              >
                <title>{t("waterfall.reply")}</title>
              </line>
            ) : null}
          </svg>
          {steps.map((step, index) => {
            const time = stepTook(step);
            const label = escapeInvisible(step.label);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
              <div
                key={`${step.hook} ${step.position ?? index}`}
                role="option"
                aria-selected={index === selected}
                tabIndex={index === (selected ?? 0) ? 0 : -1}
                className={index === selected ? "waterfall-row on" : "waterfall-row"}
                title={label}
                onClick={() => onSelect(index)}
              >
                <Glyph kind={glyphOf(step)} size={12} />
                <span className={didRun(step) ? "waterfall-label trunc" : "waterfall-label trunc dim"}>{label}</span>
                <svg className="waterfall-plot" width="100%" height={ROW} aria-hidden="true">
                  {didRun(step) ? (
                    <AttemptBars step={step} scale={scale} />
                  ) : (
                    <line
                      x1={percent(scale.at(reached[index] ?? 0))}
                      x2={percent(scale.at(reached[index] ?? 0))}
                      className="waterfall-skip"
                      y1="8"
                      y2="16"
                    />
                  )}
                </svg>
                <span className="waterfall-time">{time === null ? "" : duration(time)}</span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
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
            className="waterfall-wait"
          />
        ) : null}
        <rect
          className={open ? "waterfall-bar open" : "waterfall-bar"}
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

function WaterfallTable({ steps, took, selected, onSelect, label }: WaterfallProps & { label: string }) {
  return (
    <div className="waterfall">
      <table className="waterfall-table" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t("waterfall.step")}</th>
            <th scope="col" style={{ width: 132 }}>
              {t("waterfall.outcome")}
            </th>
            <th scope="col" className="right spare" style={{ width: 76 }}>
              {t("waterfall.started")}
            </th>
            <th scope="col" className="right" style={{ width: 76 }}>
              {t("waterfall.took")}
            </th>
            <th scope="col" className="right spare" style={{ width: 72 }}>
              {t("waterfall.attempts")}
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
                    className="waterfall-choose"
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
            <td>{t("waterfall.whole")}</td>
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
