/** Time of a chain, one 24 px row a step, and the same numbers as a table (`Shift T`). */
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormats } from "@/i18n/format";
import type { Step } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { useView } from "@/lib/view";
import { GLYPH_COLOUR, GlyphAt, type GlyphKind } from "./Glyph";
import { Outcome } from "./Outcome";
import { didRun, glyphOf } from "./rail";
import { stepTook } from "./step";

const ROW = 24;
const TOP = 20;
const LABEL = 136;
const NUMBERS = 52;
const STEPS = [1, 2, 5];

/** Ticks in one unit, as few digits as they need. */
function tickText(ms: number, last: number): string {
  if (ms === 0) return "0";
  const seconds = last >= 1000;
  return `${Number((seconds ? ms / 1000 : ms).toPrecision(3))}\u00a0${seconds ? "s" : "ms"}`;
}

/** A round distance between ticks that gives two to five of them. */
function tickEvery(total: number): number {
  const wanted = total / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 0.001)));
  return power * (STEPS.find((step) => step * power >= wanted) ?? 10);
}

function useWidth(): [React.RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(504);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(300, Math.floor(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
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
  const { t } = useTranslation();
  const asTable = useView((view) => view.asTable);
  const setAsTable = useView((view) => view.setAsTable);
  useScreenActions({ "waterfall.table": () => setAsTable(!asTable) });
  const label = t("waterfall.label");
  return asTable ? <WaterfallTable {...props} label={label} /> : <WaterfallPicture {...props} />;
}

function WaterfallPicture({ steps, took, selected, onSelect, draw }: WaterfallProps) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const [box, width] = useWidth();
  const height = TOP + steps.length * ROW + 2;
  const plot = width - LABEL - NUMBERS;
  const whole = wholeTime(steps, took);
  const every = tickEvery(whole);
  const last = Math.max(Math.ceil(whole / every) * every, every);
  const x = (ms: number) => LABEL + (Math.min(ms, last) / last) * plot;
  const ticks = Array.from({ length: Math.round(last / every) + 1 }, (_, index) => index * every);
  let reached = 0;
  return (
    <div className={draw ? "waterfall draw" : "waterfall"} ref={box}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t("waterfall.summary", { count: steps.length, took: duration(took) })}
      >
        {selected !== null ? (
          <rect x="0" y={TOP + selected * ROW} width={width} height={ROW} rx="3" fill="var(--bg-sel)" />
        ) : null}
        {ticks.map((tick, index) => (
          <g key={tick}>
            <path d={`M${x(tick)} 16V${height}`} stroke="var(--line-1)" />
            <text x={x(tick)} y="10" className="axis-text" textAnchor={index === 0 ? "start" : "middle"}>
              {tickText(tick, last)}
            </text>
          </g>
        ))}
        {whole > took ? (
          <path d={`M${x(took)} 16V${height}`} stroke="var(--line-3)" strokeDasharray="3 3">
            <title>{t("waterfall.reply")}</title>
          </path>
        ) : null}
        {steps.map((step, index) => {
          const y = TOP + index * ROW;
          const kind = glyphOf(step);
          const ran = didRun(step);
          const time = stepTook(step);
          const cut = index === selected ? "var(--bg-sel)" : "var(--bg-1)";
          reached = Math.max(reached, ...step.attempts.map((one) => one.started_ms + one.took_ms));
          return (
            <g key={`${step.hook} ${step.position ?? index}`}>
              <GlyphAt kind={kind} x={4} y={y + 6} cut={cut} />
              <text x="22" y={y + 16} className={ran ? "waterfall-label" : "waterfall-label quiet"}>
                {fitLabel(escapeInvisible(step.label))}
              </text>
              {ran ? (
                <AttemptBars step={step} kind={kind} y={y} x={x} />
              ) : (
                <path d={`M${x(reached)} ${y + 8}v8`} stroke="var(--line-3)" strokeWidth="1.5" strokeDasharray="2 2" />
              )}
              {time === null ? null : (
                <text x={width - 4} y={y + 16} textAnchor="end" className="waterfall-time">
                  {duration(time)}
                </text>
              )}
              {/* biome-ignore lint/a11y/noStaticElementInteractions: the step list has the same choice for the keyboard */}
              <rect className="hit-area" x="0" y={y} width={width} height={ROW} rx="3" onClick={() => onSelect(index)}>
                <title>{escapeInvisible(step.label)}</title>
              </rect>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** Until the last attempt ended: what was detached goes on after the reply. */
function wholeTime(steps: readonly Step[], took: number): number {
  const ends = steps.flatMap((step) => step.attempts.map((one) => one.started_ms + one.took_ms));
  return Math.max(took, ...ends);
}

/** What fits before the bars, in Latin letters; Chinese and the like take the room of almost two. */
const LABEL_LETTERS = 18;
const WIDE_LETTER =
  /[\u1100-\u115f\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6]/;

function fitLabel(label: string): string {
  let room = LABEL_LETTERS;
  const letters = [...label];
  const fits = letters.findIndex((letter) => {
    room -= WIDE_LETTER.test(letter) ? 1.8 : 1;
    return room < 0;
  });
  return fits < 0 ? label : `${letters.slice(0, Math.max(1, fits - 1)).join("")}…`;
}

const MIN_BAR = 3;

/** Solid = running, tint = waiting for a model, outline = the hook let go, thin = between two attempts. */
function AttemptBars({ step, kind, y, x }: { step: Step; kind: GlyphKind; y: number; x: (ms: number) => number }) {
  const colour = GLYPH_COLOUR[kind];
  const open = kind === "failed_open" || kind === "timed_out_open";
  return step.attempts.map((attempt, index) => {
    const from = x(attempt.started_ms);
    const to = Math.max(x(attempt.started_ms + attempt.took_ms), from + MIN_BAR);
    const next = step.attempts[index + 1];
    const key = `${attempt.started_ms} ${index}`;
    return (
      <g key={key}>
        {open ? (
          <rect
            className="waterfall-bar"
            x={from + 0.75}
            y={y + 7.75}
            width={Math.max(MIN_BAR, to - from - 1.5)}
            height="8.5"
            fill="none"
            stroke={colour}
            strokeWidth="1.5"
          />
        ) : (
          <rect
            className="waterfall-bar"
            x={from}
            y={y + 7}
            width={to - from}
            height="10"
            rx="1"
            fill={colour}
            opacity={step.handler === "prompt" ? 0.38 : 1}
          />
        )}
        {step.handler === "prompt" && !open ? (
          <rect x={to - MIN_BAR} y={y + 7} width={MIN_BAR} height="10" rx="1" fill={colour} />
        ) : null}
        {next ? (
          <rect x={to} y={y + 10} width={Math.max(0, x(next.started_ms) - to)} height="4" fill="var(--line-3)" />
        ) : null}
      </g>
    );
  });
}

function WaterfallTable({ steps, took, selected, onSelect, label }: WaterfallProps & { label: string }) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  return (
    <div className="waterfall">
      <table className="waterfall-table" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t("waterfall.step")}</th>
            <th scope="col" style={{ width: 132 }}>
              {t("waterfall.outcome")}
            </th>
            <th scope="col" className="right" style={{ width: 76 }}>
              {t("waterfall.started")}
            </th>
            <th scope="col" className="right" style={{ width: 76 }}>
              {t("waterfall.took")}
            </th>
            <th scope="col" className="right" style={{ width: 72 }}>
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
                <td>{escapeInvisible(step.label)}</td>
                <td>
                  <Outcome kind={glyphOf(step)} beside={step.mode === "detach"} />
                </td>
                <td className="right mono">{start === undefined ? t("none") : duration(start)}</td>
                <td className="right mono">{time === null ? t("none") : duration(time)}</td>
                <td className="right mono">{step.attempts.length}</td>
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>{t("waterfall.whole")}</td>
            <td className="right mono">{duration(took)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
