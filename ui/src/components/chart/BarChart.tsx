/** Outcomes over time with an axis of counts at the left. */
import { Axis } from "./Axis";
import { Bars, type Bucket, runsOf } from "./Bars";
import { ScaleAxis, ScaleLines } from "./ScaleAxis";
import { linearScale, timeScale } from "./scale";

interface BarChartProps {
  bars: readonly Bucket[];
  /** The same bars of an earlier time, as a line. */
  before?: readonly Bucket[];
  /** ms since 1970. */
  from: number;
  to: number;
  height: number;
  summary: string;
  timeText: (at: number) => string;
  countText: (count: number) => string;
}

const TICKS = 5;
const COUNTS = 3;

/** Hooks that did not run are left out. */
export function BarChart({ bars, before = [], from, to, height, summary, timeText, countText }: BarChartProps) {
  const most = Math.max(1, ...bars.map((bar) => runsOf(bar.outcomes)));
  const steps = before
    .slice(0, bars.length)
    .map((bar, index) => {
      const y = ((1 - Math.min(1, runsOf(bar.outcomes) / most)) * height).toFixed(1);
      return `${index === 0 ? "M" : "L"}${index} ${y}H${index + 1}`;
    })
    .join("");
  const scale = linearScale(0, most);
  const ticks = scale.ticks(COUNTS).filter(({ value }) => Number.isInteger(value));
  return (
    <div className="chart-plot">
      <ScaleAxis ticks={ticks} text={countText} />
      <div className="chart-box" style={{ height }}>
        <svg className="chart-lines" width="100%" height={height} aria-hidden="true">
          <ScaleLines ticks={ticks} />
        </svg>
        <Bars bars={bars} height={height} barWidth={9} gap={1} fit summary={summary} />
        {steps === "" ? null : (
          <svg
            className="pointer-events-none absolute inset-0"
            width="100%"
            height={height}
            viewBox={`0 0 ${bars.length} ${height}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <path className="lines-path" d={steps} vectorEffect="non-scaling-stroke" />
          </svg>
        )}
      </div>
      <Axis ticks={timeScale(from, to).ticks(TICKS)} text={timeText} />
    </div>
  );
}
