/** Stacked outcome bars, one a bucket: a row's last hours, the lanes of a strip. */
import type { Bar, Outcome } from "@/ipc";
import { glyphClass } from "../Glyph";

/** Bottom to top: what did nothing first, so that trouble stands on top. */
export const STACK: readonly Outcome[] = [
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
/** So many of them did not run. */
export const DID_NOTHING = 2;
const DID_NOT_RUN: ReadonlySet<string> = new Set(STACK.slice(0, DID_NOTHING));

export type Outcomes = { [outcome: string]: number | undefined };
export type Bucket = Pick<Bar, "outcomes">;

/** Runs in a tally, hooks that did not run aside. */
export function runsOf(outcomes: Outcomes): number {
  let sum = 0;
  for (const [outcome, count] of Object.entries(outcomes)) if (!DID_NOT_RUN.has(outcome)) sum += count ?? 0;
  return sum;
}

interface BarsProps {
  bars: readonly Bucket[];
  height: number;
  barWidth?: number;
  gap?: number;
  /** Counts hooks that did not match or were skipped, too. */
  all?: boolean;
  /** As wide as its place instead of as wide as its bars. */
  fit?: boolean;
  /** The chart's one-line summary. Without it the chart is ornament beside text that says the same. */
  summary?: string;
}

/** The parts of one bar from its foot upwards, in px. */
function partsOf(outcomes: Outcomes, all: boolean, height: number, tallest: number) {
  const parts: { kind: (typeof STACK)[number]; y: number; part: number }[] = [];
  let y = height;
  for (const kind of STACK) {
    const count = outcomes[kind] ?? 0;
    if (count === 0 || (!all && DID_NOT_RUN.has(kind))) continue;
    const part = Math.max(1, Math.round((count / tallest) * height));
    y -= part;
    parts.push({ kind, y, part });
  }
  return parts;
}

/** Scaled to the tallest. An empty bucket keeps a faint foot. */
export function Bars(props: BarsProps) {
  const { bars, height, barWidth = 3, gap = 1, all = false, fit = false, summary } = props;
  const total = (outcomes: Outcomes) =>
    all ? STACK.reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0) : runsOf(outcomes);
  const tallest = Math.max(1, ...bars.map((bar) => total(bar.outcomes)));
  const width = Math.max(0, bars.length * (barWidth + gap) - gap);
  return (
    <svg
      className="bars"
      width={fit ? "100%" : width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summary}
      aria-hidden={summary === undefined}
    >
      {bars.map((bar, index) => {
        const x = index * (barWidth + gap);
        const parts = partsOf(bar.outcomes, all, height, tallest).map(({ kind, y, part }) => (
          <rect key={kind} className={`fill-${glyphClass(kind)}`} x={x} y={y} width={barWidth} height={part} />
        ));
        const foot = <rect key="foot" className="fill-nomatch" x={x} y={height - 1} width={barWidth} height={1} />;
        // biome-ignore lint/suspicious/noArrayIndexKey: a bucket is its place
        return <g key={index}>{parts.length > 0 ? parts : foot}</g>;
      })}
    </svg>
  );
}
