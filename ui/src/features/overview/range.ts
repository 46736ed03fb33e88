/** How far back the figures reach. */
import type { OverviewRange } from "@/routes/search";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const RANGE_MS: Record<OverviewRange, number> = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
};

/** Points of a tile's line: each is some whole minutes or hours, which is how the engine keeps counts. */
export const RANGE_BUCKETS: Record<OverviewRange, number> = { "15m": 15, "1h": 20, "24h": 24, "7d": 28 };

/** The span as a filter of History has it. */
export const RANGE_FILTER: Record<OverviewRange, string> = { "15m": "15m", "1h": "1h", "24h": "1d", "7d": "7d" };
