// A day of history out of a few events that were fired just now.
//
// The engine's clock cannot be set. So the events are read as documents (`hookwright show --json`), given earlier times,
// and put as lines into the spool of a data folder without a history, from which the engine imports them: lines without
// a version contain the whole document (`crates/store/src/spool.rs`).
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How many events each of the last 24 hours has, the oldest first: yesterday's evening, a night, a morning, today. */
const EVENTS_BY_HOUR = [9, 12, 7, 4, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3, 8, 14, 11, 6, 5, 13, 16, 12, 9, 6];
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Numbers from 0 to 1, the same ones every time. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The id of a trace that began at this time. */
function idAt(ms) {
  let time = "";
  for (let rest = ms; time.length < 10; rest = Math.floor(rest / 32)) time = DIGITS[rest % 32] + time;
  return time + [...randomBytes(16)].map((byte) => DIGITS[byte % 32]).join("");
}

/** The same trace at another time, and so much slower or faster. */
function moved(trace, ms, pace) {
  const took = ["took_ms", "started_ms"];
  const text = JSON.stringify(trace, (key, value) =>
    took.includes(key) && typeof value === "number" ? Math.round(value * pace * 1000) / 1000 : value,
  );
  const id = idAt(ms);
  return { ...JSON.parse(text.replaceAll(trace.trace, id)), at: new Date(ms).toISOString() };
}

/** The traces of a day that ends now, the oldest first. It ends with `traces` themselves, a minute or two apart. */
export function dayOf(traces, now = Date.now()) {
  const next = numbers(7);
  const start = now - EVENTS_BY_HOUR.length * HOUR_MS;
  const times = EVENTS_BY_HOUR.flatMap((count, hour) =>
    Array.from({ length: count }, () => start + (hour + next()) * HOUR_MS),
  );
  const newest = traces.map((_, index) => now - (traces.length - index - next() / 2) * 1.5 * MINUTE_MS);
  const before = times.map(Math.floor).filter((ms) => ms < newest[0]).sort((a, b) => a - b);
  return [
    ...before.map((ms) => moved(traces[Math.floor(next() * traces.length)], ms, 0.7 + next() * 0.7)),
    ...traces.map((trace, index) => moved(trace, Math.floor(newest[index]), 1)),
  ];
}

/** Takes the history of a data folder away, which no program may be using, and leaves these traces to be imported. */
export function replaceHistory(data, traces) {
  for (const name of readdirSync(data)) if (name.startsWith("history.")) rmSync(join(data, name));
  const spool = join(data, "spool");
  rmSync(spool, { recursive: true, force: true });
  mkdirSync(spool, { mode: 0o700 });
  const lines = traces.map((trace) => `${JSON.stringify(trace)}\n`);
  writeFileSync(join(spool, `${idAt(Date.now())}.jsonl`), lines.join(""), { mode: 0o600 });
}
