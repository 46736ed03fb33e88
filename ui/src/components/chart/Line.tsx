/** A line over a span of values, with its axis and table. */
import { line as lineOf } from "d3-shape";
import { Axis, AxisLines } from "./Axis";
import { ChartTable } from "./ChartTable";
import { linearScale, timeScale } from "./scale";

export interface Point {
  /** ms since 1970. */
  at: number;
  /** Null where nothing was measured: the line has a gap there. */
  value: number | null;
}

interface LineProps {
  points: readonly Point[];
  height: number;
  summary: string;
  /** Heads of the table: of the time, of the value. */
  head: readonly [time: string, value: string];
  timeText: (at: number) => string;
  valueText: (value: number) => string;
}

const WIDTH = 1000;

/** The path of the points in a box of `width` by `height`, from the largest value at the top to 0 at the bottom. */
export function linePath(points: readonly Point[], width: number, height: number): string {
  const x = timeScale(points[0]?.at ?? 0, points.at(-1)?.at ?? 0);
  const y = linearScale(0, Math.max(0, ...points.map((point) => point.value ?? 0)));
  const draw = lineOf<Point>()
    .defined((point) => point.value !== null)
    .x((point) => x.at(point.at) * width)
    .y((point) => (1 - y.at(point.value ?? 0)) * height)
    .digits(1);
  return draw([...points]) ?? "";
}

export function Line({ points, height, summary, head, timeText, valueText }: LineProps) {
  const ticks = timeScale(points[0]?.at ?? 0, points.at(-1)?.at ?? 0).ticks(5);
  const rows = points.map(({ at, value }) => [timeText(at), value === null ? "" : valueText(value)]);
  return (
    <div>
      <svg width="100%" height={height} role="img" aria-label={summary}>
        <AxisLines ticks={ticks} />
        <svg
          width="100%"
          height={height}
          viewBox={`0 0 ${WIDTH} ${height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={linePath(points, WIDTH, height)} className="line-path" vectorEffect="non-scaling-stroke" />
        </svg>
      </svg>
      <Axis ticks={ticks} text={timeText} />
      <ChartTable caption={summary} data={{ head, rows }} />
    </div>
  );
}
