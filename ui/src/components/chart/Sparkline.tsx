/** A line the size of a word: how a number went over the buckets of a span. */
import { area, curveMonotoneX } from "d3-shape";
import { ChartTable, type TableData } from "./ChartTable";
import { linearScale } from "./scale";

interface SparklineProps {
  /** Null where nothing was measured: the line passes over it. */
  values: readonly (number | null)[];
  width: number;
  height: number;
  summary: string;
  /** The numbers for screen readers; left out where a table beside it has them. */
  table?: TableData;
}

export function Sparkline({ values, width, height, summary, table }: SparklineProps) {
  const y = linearScale(0, Math.max(1, ...values.map((value) => value ?? 0)));
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.flatMap((value, index) => (value === null ? [] : { index, value }));
  const shape = area<(typeof points)[number]>()
    .x(({ index }) => index * step)
    .y0(height)
    .y1(({ value }) => 1 + (1 - y.at(value)) * (height - 2))
    .curve(curveMonotoneX)
    .digits(1);
  return (
    <span className="sparkline">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary}>
        <path className="sparkline-area" d={shape(points) ?? ""} />
        <path className="sparkline-line" d={shape.lineY1()(points) ?? ""} />
      </svg>
      {table ? <ChartTable caption={summary} data={table} /> : null}
    </span>
  );
}
