/** Stacked outcome bars: a row's last hours, the histogram of History. */
import { memo } from "react";
import type { Bar, Outcome } from "@/ipc";
import { glyphClass } from "./Glyph";

/** Bottom to top: what did nothing first, so that trouble stands on top. */
const STACK: readonly Outcome[] = [
  "not_matched",
  "skipped",
  "no_opinion",
  "detached",
  "allowed",
  "changed",
  "asked",
  "denied",
  "failed_closed",
  "timed_out_closed",
  "timed_out_open",
  "failed_open",
];
const QUIET: ReadonlySet<string> = new Set(["not_matched", "skipped"]);

export type Outcomes = { [outcome: string]: number | undefined };

/** Runs in a tally, hooks that did not run aside. */
export function runsOf(outcomes: Outcomes): number {
  let sum = 0;
  for (const [outcome, count] of Object.entries(outcomes)) if (!QUIET.has(outcome)) sum += count ?? 0;
  return sum;
}

interface OutcomeBarsProps {
  bars: readonly Pick<Bar, "outcomes">[];
  height: number;
  barWidth?: number;
  gap?: number;
  /** Counts hooks that did not match or were skipped, too. */
  all?: boolean;
  /** The chart's one-line summary. Without it the chart is ornament beside text that says the same. */
  summary?: string;
}

/** One bar a bucket, scaled to the tallest. An empty bucket keeps a faint foot. */
export const OutcomeBars = memo(function OutcomeBars(props: OutcomeBarsProps) {
  const { bars, height, barWidth = 3, gap = 1, all = false, summary } = props;
  const total = (outcomes: Outcomes) =>
    all ? STACK.reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0) : runsOf(outcomes);
  const tallest = Math.max(1, ...bars.map((bar) => total(bar.outcomes)));
  const width = Math.max(0, bars.length * (barWidth + gap) - gap);
  return (
    <svg
      className="bars"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
      aria-hidden={summary === undefined}
    >
      {bars.map((bar, index) => {
        const x = index * (barWidth + gap);
        let y = height;
        const parts = STACK.flatMap((kind) => {
          const count = bar.outcomes[kind] ?? 0;
          if (count === 0 || (!all && QUIET.has(kind))) return [];
          const part = Math.max(1, Math.round((count / tallest) * height));
          y -= part;
          return [
            <rect key={kind} className={`fill-${glyphClass(kind)}`} x={x} y={y} width={barWidth} height={part} />,
          ];
        });
        const foot = <rect key="foot" className="fill-nomatch" x={x} y={height - 1} width={barWidth} height={1} />;
        // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
        return <g key={index}>{parts.length > 0 ? parts : foot}</g>;
      })}
    </svg>
  );
});
