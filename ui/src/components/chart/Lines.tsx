/** Several lines over the same span of time, with an axis at the left, marks at moments, and the words of each line. */
import { line as lineOf } from "d3-shape";
import { Axis, AxisLines } from "./Axis";
import type { Point } from "./Line";
import { ScaleAxis, ScaleLines } from "./ScaleAxis";
import { percent, type Scale, timeScale } from "./scale";

export interface LineOf {
  name: string;
  points: readonly Point[];
  look: "main" | "thin" | "dashed";
}

export interface TimeMark {
  /** ms since 1970. */
  at: number;
  text: string;
}

interface LinesProps {
  lines: readonly LineOf[];
  /** ms since 1970. */
  from: number;
  to: number;
  /** Of the values. */
  scale: Scale<number>;
  height: number;
  summary: string;
  marks?: readonly TimeMark[];
  timeText: (at: number) => string;
  valueText: (value: number) => string;
}

const WIDTH = 1000;
const TICKS = 5;
/** Words of lines that end closer together than this share of the height are moved apart. */
const APART = 0.12;

/** The path of the points in a box of `WIDTH` by `height`, with gaps where nothing was measured. */
function pathOf(points: readonly Point[], x: Scale<number>, y: Scale<number>, height: number): string {
  const draw = lineOf<Point>()
    .defined((point) => point.value !== null)
    .x((point) => x.at(point.at) * WIDTH)
    .y((point) => (1 - y.at(point.value ?? 0)) * height)
    .digits(1);
  return draw([...points]) ?? "";
}

/** Points with gaps on both sides, of which a line would draw nothing. */
export function lonePoints(points: readonly Point[]): Point[] {
  const isGap = (at: number) => (points[at]?.value ?? null) === null;
  return points.filter((_, at) => !isGap(at) && isGap(at - 1) && isGap(at + 1));
}

/** Where the words of the lines stand, 0 to 1 from the bottom: at their last value, moved apart where they would meet. */
export function endsOf(lines: readonly LineOf[], scale: Scale<number>): { name: string; at: number }[] {
  const ends = lines.flatMap(({ name, points }) => {
    const last = points.findLast((point) => point.value !== null)?.value;
    return last === undefined || last === null ? [] : [{ name, at: scale.at(last) }];
  });
  ends.sort((a, b) => a.at - b.at);
  let below = -APART;
  for (const end of ends) {
    end.at = Math.max(end.at, below + APART);
    below = end.at;
  }
  const over = Math.max(0, below - 1);
  return ends.map(({ name, at }) => ({ name, at: at - over }));
}

export function Lines({ lines, from, to, scale, height, summary, marks = [], timeText, valueText }: LinesProps) {
  const x = timeScale(from, to);
  const ticks = x.ticks(TICKS);
  const last = marks.at(-1);
  return (
    <div className="chart-plot named-lines">
      <ScaleAxis ticks={scale.ticks(TICKS)} text={valueText} />
      <div className="chart-box" style={{ height }}>
        <svg width="100%" height={height} role="img" aria-label={summary}>
          <ScaleLines ticks={scale.ticks(TICKS)} />
          <AxisLines ticks={ticks} />
          <svg
            width="100%"
            height={height}
            viewBox={`0 0 ${WIDTH} ${height}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {lines.map(({ name, points, look }) => (
              <path
                key={name}
                d={pathOf(points, x, scale, height)}
                className={`lines-path ${look}`}
                vectorEffect="non-scaling-stroke"
              />
            ))}
          </svg>
          {lines.flatMap(({ name, points, look }) =>
            lonePoints(points).map((point) => (
              <circle
                key={`${name} ${point.at}`}
                className={`lines-dot ${look}`}
                cx={percent(x.at(point.at))}
                cy={percent(1 - scale.at(point.value ?? 0))}
                r="2.5"
              />
            )),
          )}
          {marks.map((mark) => (
            <g key={`${mark.at} ${mark.text}`} className="chart-mark">
              <title>{mark.text}</title>
              <line x1={percent(x.at(mark.at))} x2={percent(x.at(mark.at))} y1="0" y2="100%" />
            </g>
          ))}
        </svg>
        {last === undefined ? null : (
          <span
            className={x.at(last.at) > 0.5 ? "chart-mark-text before" : "chart-mark-text"}
            style={x.at(last.at) > 0.5 ? { right: percent(1 - x.at(last.at)) } : { left: percent(x.at(last.at)) }}
            aria-hidden="true"
          >
            {last.text}
          </span>
        )}
        {endsOf(lines, scale).map(({ name, at }) => (
          <span key={name} className="line-name" style={{ bottom: percent(at) }} aria-hidden="true">
            {name}
          </span>
        ))}
      </div>
      <Axis ticks={ticks} text={timeText} />
    </div>
  );
}
