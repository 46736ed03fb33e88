/** Numbers, times and sizes in the window's language. */
import { useMemo } from "react";
import { useToday } from "@/lib/today";
import { useTranslation } from "./index";

const NBSP = "\u00a0";
const DAY_MS = 86_400_000;
const AGO_UNITS = [
  ["day", DAY_MS],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export interface Formats {
  /** `48 ms`, `1.84 s`, `29.4 s`, `<1 ms`. */
  duration(ms: number): string;
  count(n: number): string;
  bytes(n: number): string;
  /** `14:32:07` today, `20 Nov 14:32` otherwise. */
  time(at: string | number | Date): string;
  /** `14:32:07` */
  timeOfDay(at: string | number | Date): string;
  /** `Today`, `Yesterday`, `Friday, 20 November 2026` */
  day(at: string | number | Date): string;
  /** `10s ago`: how long before `now`, in ms since 1970, a time was, in its largest whole unit. */
  ago(at: string, now: number): string;
  /** `14:31:28.713` */
  exactTime(at: string | number | Date): string;
  dateTime(at: string | number | Date): string;
  /** `14:32` */
  clock(at: string | number | Date): string;
  /** `20 Nov` */
  dayMonth(at: string | number | Date): string;
}

export function duration(ms: number): string {
  if (ms < 1) return `<1${NBSP}ms`;
  if (ms < 1000) return `${Math.round(ms)}${NBSP}ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)}${NBSP}s`;
  if (seconds < 100) return `${seconds.toFixed(1)}${NBSP}s`;
  return `${Math.round(seconds)}${NBSP}s`;
}

/** A time that somebody set: `30 s`, `1.5 s`, `500 ms`. */
export function limitText(ms: number): string {
  return ms < 1000 ? `${ms}${NBSP}ms` : `${Number((ms / 1000).toFixed(2))}${NBSP}s`;
}

export function bytes(n: number, count: (n: number) => string = String): string {
  if (n < 1024) return `${count(n)}${NBSP}B`;
  if (n < 1024 ** 2) return `${count(Math.round(n / 1024))}${NBSP}KB`;
  if (n < 1024 ** 3) return `${count(Math.round(n / 1024 ** 2))}${NBSP}MB`;
  return `${(n / 1024 ** 3).toFixed(1)}${NBSP}GB`;
}

export function formats(language: string): Formats {
  const number = new Intl.NumberFormat(language);
  const clockOf = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const timeOf = new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const exactOf = new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });
  const dayOf = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const fullOf = new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const longDay = new Intl.DateTimeFormat(language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const agoOf = new Intl.RelativeTimeFormat(language, { style: "narrow" });
  const count = (n: number) => number.format(n);
  return {
    duration,
    count,
    bytes: (n) => bytes(n, count),
    time(at) {
      const date = new Date(at);
      const today = date.toDateString() === new Date().toDateString();
      return today ? timeOf.format(date) : `${dayOf.format(date)} ${clockOf.format(date)}`;
    },
    timeOfDay: (at) => timeOf.format(new Date(at)),
    day(at) {
      const date = new Date(at);
      const days = Math.round((startOfDay(date) - startOfDay(new Date())) / DAY_MS);
      return days === 0 || days === -1 ? upperFirst(relative.format(days, "day")) : longDay.format(date);
    },
    ago(at, now) {
      const passed = Math.max(0, now - Date.parse(at));
      const [unit, ms] = AGO_UNITS.find(([, ms]) => passed >= ms) ?? ["second", 1000];
      return agoOf.format(-Math.floor(passed / ms), unit);
    },
    exactTime: (at) => exactOf.format(new Date(at)),
    dateTime: (at) => fullOf.format(new Date(at)),
    clock: (at) => clockOf.format(new Date(at)),
    dayMonth: (at) => dayOf.format(new Date(at)),
  };
}

/** The formats, others after midnight: what is made with them is made anew, since days have other names then. */
export function useFormats(): Formats {
  const { language } = useTranslation();
  const today = useToday();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the formats ask the clock themselves
  return useMemo(() => formats(language), [language, today]);
}
