/** A span of time that the list is narrowed to: from the histogram, in the address, as parameters of a page. */
import type { Bar } from "@/ipc";

export interface Range {
  /** RFC 3339. */
  since: string;
  /** RFC 3339; null while it reaches to now. */
  until: string | null;
}

/** The histogram's scale, in ms since 1970. */
export interface Scale {
  begin: number;
  /** Of one bucket. */
  width: number;
  buckets: number;
}

/** Buckets by their place: from the first up to but without the second. */
export type Places = readonly [from: number, to: number];

export function rangeOf(search: { since?: string; until?: string }): Range | null {
  return search.since === undefined ? null : { since: search.since, until: search.until ?? null };
}

/** `2026-11-27`, as a field for a date has it, in local time. */
export function dayText(date: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** From midnight to midnight, local time; null for no day. */
export function dayRange(day: string): Range | null {
  const begin = new Date(`${day}T00:00:00`);
  if (Number.isNaN(begin.getTime())) return null;
  const end = new Date(begin);
  end.setDate(end.getDate() + 1);
  return { since: begin.toISOString(), until: end.toISOString() };
}

/** Null before there are buckets to measure by. */
export function scaleOf(bars: readonly Pick<Bar, "at">[], spanMs: number): Scale | null {
  const first = bars[0];
  if (first === undefined) return null;
  return { begin: Date.parse(first.at), width: spanMs / bars.length, buckets: bars.length };
}

/** Where a range lies on the scale; null when all of it is older than the histogram. */
export function bucketsOf(range: Range, scale: Scale): Places | null {
  const place = (at: string) =>
    Math.min(scale.buckets, Math.max(0, Math.round((Date.parse(at) - scale.begin) / scale.width)));
  const from = place(range.since);
  const to = range.until === null ? scale.buckets : place(range.until);
  return to > from ? [from, to] : null;
}

/** The span of these buckets. What reaches the right end goes on with the time. */
export function rangeAt([from, to]: Places, scale: Scale): Range {
  const at = (place: number) => new Date(Math.round(scale.begin + place * scale.width)).toISOString();
  return { since: at(from), until: to >= scale.buckets ? null : at(to) };
}

/** Whether something that happened then lies within. */
export function within(range: Range | null, at: string): boolean {
  if (range === null) return true;
  const time = Date.parse(at);
  return time >= Date.parse(range.since) && (range.until === null || time < Date.parse(range.until));
}
