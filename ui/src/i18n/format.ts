/** Numbers, times and sizes in the window's language. What is drawn with them is drawn anew after midnight. */
import { currentLanguage, type Language } from "./index";

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

function formattersFor(language: Language) {
  const date = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { hourCycle: "h23", ...options });
  const minutes = { hour: "2-digit", minute: "2-digit" } as const;
  const seconds = { ...minutes, second: "2-digit" } as const;
  return {
    number: new Intl.NumberFormat(language),
    clock: date(minutes),
    time: date(seconds),
    exact: date({ ...seconds, fractionalSecondDigits: 3 }),
    day: date({ day: "numeric", month: "short" }),
    full: date({ year: "numeric", month: "short", day: "numeric", ...seconds }),
    longDay: date({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
    relative: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
    ago: new Intl.RelativeTimeFormat(language, { style: "narrow" }),
  };
}

const made = new Map<Language, ReturnType<typeof formattersFor>>();

/** Those of the language on show; they are dear to make. */
function formatters(): ReturnType<typeof formattersFor> {
  const language = currentLanguage();
  const known = made.get(language) ?? formattersFor(language);
  made.set(language, known);
  return known;
}

/** `48 ms`, `1.84 s`, `29.4 s`, `<1 ms`. */
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

export function bytes(n: number): string {
  if (n < 1024) return `${count(n)}${NBSP}B`;
  if (n < 1024 ** 2) return `${count(Math.round(n / 1024))}${NBSP}KB`;
  if (n < 1024 ** 3) return `${count(Math.round(n / 1024 ** 2))}${NBSP}MB`;
  return `${(n / 1024 ** 3).toFixed(1)}${NBSP}GB`;
}

type When = string | number | Date;

export function count(n: number): string {
  return formatters().number.format(n);
}

/** `14:32:07` today, `20 Nov 14:32` otherwise. */
export function time(at: When): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? timeOfDay(date) : `${dayMonth(date)} ${clock(date)}`;
}

/** `14:32:07` */
export function timeOfDay(at: When): string {
  return formatters().time.format(new Date(at));
}

/** `Today`, `Yesterday`, `Friday, 20 November 2026` */
export function day(at: When): string {
  const date = new Date(at);
  const days = Math.round((startOfDay(date) - startOfDay(new Date())) / DAY_MS);
  const { relative, longDay } = formatters();
  return days === 0 || days === -1 ? upperFirst(relative.format(days, "day")) : longDay.format(date);
}

/** `10s ago`: how long before `now`, in ms since 1970, a time was, in its largest whole unit. */
export function ago(at: string, now: number): string {
  const passed = Math.max(0, now - Date.parse(at));
  const [unit, ms] = AGO_UNITS.find(([, ms]) => passed >= ms) ?? ["second", 1000];
  return formatters().ago.format(-Math.floor(passed / ms), unit);
}

/** `14:31:28.713` */
export function exactTime(at: When): string {
  return formatters().exact.format(new Date(at));
}

/** `20 Nov 2026, 14:32:07` */
export function dateTime(at: When): string {
  return formatters().full.format(new Date(at));
}

/** `14:32` */
export function clock(at: When): string {
  return formatters().clock.format(new Date(at));
}

/** `20 Nov` */
export function dayMonth(at: When): string {
  return formatters().day.format(new Date(at));
}
