/** The buckets of a reply as lines, bars and tables. */
import { type LineOf, type Point, STACK, type TableData } from "@/components/chart";
import type { Outcome, Reply } from "@/ipc";

export type Series = NonNullable<Reply<"stats">["series"]>;
type Bucket = Series["buckets"][number];

const PERCENTILES = ["p50_ms", "p95_ms", "p99_ms"] as const;

/** When the buckets begin and end, in ms since 1970. */
export function spanOf(series: Series): { from: number; to: number } {
  const from = Date.parse(series.buckets[0]?.at ?? "");
  return { from, to: from + series.buckets.length * series.width_ms };
}

function pointsOf(series: Series, value: (bucket: Bucket) => number | null): Point[] {
  return series.buckets.map((bucket) => ({
    at: Date.parse(bucket.at) + series.width_ms / 2,
    value: value(bucket),
  }));
}

/** p50, p95 and p99; the p95 stands out. */
export function linesOf(series: Series): LineOf[] {
  return [
    { name: "p50", look: "thin", points: pointsOf(series, (bucket) => bucket.p50_ms) },
    { name: "p95", look: "main", points: pointsOf(series, (bucket) => bucket.p95_ms) },
    { name: "p99", look: "dashed", points: pointsOf(series, (bucket) => bucket.p99_ms) },
  ];
}

/** The p95 now, and that of the period before, drawn where the same moments of this period are. */
export function comparedLines(series: Series, before: Series, names: { now: string; before: string }): LineOf[] {
  const shift = spanOf(series).from - spanOf(before).from;
  const earlier = pointsOf(before, (bucket) => bucket.p95_ms).map((point) => ({ ...point, at: point.at + shift }));
  return [
    { name: names.before, look: "dashed", points: earlier },
    { name: names.now, look: "main", points: pointsOf(series, (bucket) => bucket.p95_ms) },
  ];
}

/** The smallest and the largest time; null where nothing was measured. */
export function extentOf(...all: readonly Series[]): [number, number] | null {
  const times = all
    .flatMap(({ buckets }) => buckets)
    .flatMap((bucket) => PERCENTILES.flatMap((name) => bucket[name] ?? []));
  return times.length === 0 ? null : [Math.max(Math.min(...times), 0.01), Math.max(...times)];
}

/** The outcomes that occurred, hooks that did not run left out. */
export function seenOutcomes(series: Series): Outcome[] {
  return STACK.slice(2).filter((kind) => series.buckets.some((bucket) => bucket.outcomes[kind]));
}

/** Buckets in which something ran, newest first. */
export function timeTable(
  series: Series,
  head: readonly [time: string, runs: string],
  words: { time: (at: string) => string; duration: (ms: number) => string; count: (n: number) => string },
): TableData {
  const cell = (ms: number | null) => (ms === null ? "–" : words.duration(ms));
  return {
    head: [head[0], "p50", "p95", "p99", head[1]],
    rows: series.buckets
      .filter((bucket) => bucket.p50_ms !== null)
      .map((bucket) => [
        words.time(bucket.at),
        ...PERCENTILES.map((name) => cell(bucket[name])),
        words.count(bucket.runs),
      ])
      .reverse(),
  };
}

export function outcomeTable(
  series: Series,
  head: string,
  words: { time: (at: string) => string; outcome: (kind: Outcome) => string; count: (n: number) => string },
): TableData {
  const seen = seenOutcomes(series);
  return {
    head: [head, ...seen.map(words.outcome)],
    rows: series.buckets
      .filter((bucket) => seen.some((kind) => bucket.outcomes[kind]))
      .map((bucket) => [words.time(bucket.at), ...seen.map((kind) => words.count(bucket.outcomes[kind] ?? 0))])
      .reverse(),
  };
}
