/** The ranges of the screen, and what a bucket of theirs is called. */
import type { MetricsRange } from "@/routes/search";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const RANGES: Record<MetricsRange, number> = {
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
  "90d": 90 * DAY,
};
export const DEFAULT_RANGE: MetricsRange = "24h";

/** How often the figures are asked for while no event comes in: time goes by, too. */
export function refreshMs(range: MetricsRange): number {
  return RANGES[range] <= HOUR ? 15_000 : MINUTE;
}

const UNITS = { m: "minutes", h: "hours", d: "days" } as const;

/** The unit and the count of a range's name. */
export function unitOf(range: MetricsRange): { unit: "minutes" | "hours" | "days"; count: number } {
  return { unit: UNITS[range.slice(-1) as keyof typeof UNITS], count: Number.parseInt(range, 10) };
}

/** A length of time as a count of its largest whole unit. */
export function lengthOf(ms: number): { unit: "minutes" | "hours" | "days"; count: number } {
  if (ms % DAY === 0) return { unit: "days", count: ms / DAY };
  if (ms % HOUR === 0) return { unit: "hours", count: ms / HOUR };
  return { unit: "minutes", count: ms / MINUTE };
}

/** Whether times of the range need their day. */
export function spansDays(range: MetricsRange): boolean {
  return RANGES[range] > DAY;
}

/** How many days the history keeps, where the range is longer. */
export function keptDays(range: MetricsRange, maxDays: number): number | null {
  return RANGES[range] > maxDays * DAY ? maxDays : null;
}
