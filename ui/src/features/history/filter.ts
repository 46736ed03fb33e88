/**
 * The filter of the list: words in the query language, all of which must hold. The engine pages by one plain value of a
 * field; whatever else a word asks for is looked up in the rows that were read. What neither can do is a problem of its word.
 */
import { parseToken, type Token, tokenText } from "@/components";
import type { HistoryRow, Outcome, Params, VerdictKind } from "@/ipc";
import { within } from "./range";

export const FIELDS = [
  "event",
  "dialect",
  "hook",
  "tool",
  "outcome",
  "verdict",
  "text",
  "dur",
  "since",
  "origin",
  "agent",
  "session",
] as const;
export type Field = (typeof FIELDS)[number];

export const OUTCOMES: readonly Outcome[] = [
  "not_matched",
  "skipped",
  "no_opinion",
  "allowed",
  "changed",
  "asked",
  "denied",
  "failed_open",
  "failed_closed",
  "timed_out_open",
  "timed_out_closed",
  "detached",
];

export const VERDICTS: readonly VerdictKind[] = [
  "proceed",
  "approve",
  "respond",
  "ask",
  "skip",
  "deny",
  "retry",
  "stop",
  "end_turn",
  "end_session",
];

export type FilterParams = Pick<Params<"history.page">, "event" | "dialect" | "hook" | "outcome" | "verdict" | "since">;

/** What a word cannot be used for, by its text. */
export type FilterProblem =
  | { kind: "field" }
  | { kind: "value"; values: readonly string[] }
  | { kind: "hook" | "hookNames" | "duration" | "span" };

/** What words on the screen stand for, and what a row does not say itself. */
export interface FilterNames {
  /** In small letters. */
  outcomes: ReadonlyMap<string, readonly Outcome[]>;
  verdicts: ReadonlyMap<string, readonly VerdictKind[]>;
  /** Ids of the hooks with this label. */
  hooks: ReadonlyMap<string, readonly string[]>;
  /** Ids of the dialects with this name. */
  dialects: ReadonlyMap<string, string>;
  toolOf: (row: HistoryRow) => string | null;
}

type RowTest = (row: HistoryRow) => boolean;

export interface Filter {
  tokens: Token[];
  /** For the engine. */
  params: FilterParams;
  /** For the rows that were read; null where the engine's parameters say it all. */
  refine: RowTest | null;
  /** By the index of its token. */
  problems: ReadonlyMap<number, FilterProblem>;
}

/** Words separated by blanks; quotes hold blanks. */
function split(query: string): string[] {
  return query.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

/** `-` and `_` mean the same, as everywhere in queries. */
function normal(value: string): string {
  return value
    .trim()
    .replace(/[-\s·]+/g, "_")
    .toLowerCase();
}

function isField(name: string): name is Field {
  return (FIELDS as readonly string[]).includes(name);
}

type Read = { problem: FilterProblem } | { params: FilterParams } | { test: RowTest };

export function parseFilter(query: string | undefined, names: FilterNames, now: number): Filter {
  const tokens = split(query ?? "").flatMap((word) => parseToken(word) ?? []);
  const params: FilterParams = {};
  const tests: RowTest[] = [];
  const problems = new Map<number, FilterProblem>();
  tokens.forEach((token, index) => {
    const read = readToken(token, names, params, now);
    if ("problem" in read) problems.set(index, read.problem);
    else if ("params" in read) Object.assign(params, read.params);
    else tests.push(token.negated ? (row) => !read.test(row) : read.test);
  });
  const refine = tests.length === 0 ? null : (row: HistoryRow) => tests.every((test) => test(row));
  return { tokens, params, refine, problems };
}

/** `params` are those of the words before. */
function readToken(token: Token, names: FilterNames, params: FilterParams, now: number): Read {
  const field = token.field ?? "text";
  if (!isField(field)) return { problem: { kind: "field" } };
  const values = token.value.split(",").filter((value) => value.trim() !== "");
  const only = values.length === 1 && !token.negated ? values[0] : undefined;
  switch (field) {
    case "outcome":
      return readNamed(token, names.outcomes, OUTCOMES, params.outcome === undefined, "outcome", (row) => row.outcomes);
    case "verdict":
      return readNamed(token, names.verdicts, VERDICTS, params.verdict === undefined, "verdict", (row) => [
        row.verdict.kind,
      ]);
    case "event":
      return readText(values, only, params.event === undefined, "event", (row) => row.event);
    case "dialect": {
      const ids = values.map((value) => names.dialects.get(value.toLowerCase()) ?? value);
      const one = only === undefined ? undefined : ids[0];
      return readText(ids, one, params.dialect === undefined, "dialect", (row) => row.dialect);
    }
    case "hook":
      return readHook(only, names, params.hook === undefined);
    case "tool":
      return { test: anyOf(values, names.toolOf) };
    case "origin":
      return { test: anyOf(values, (row) => row.origin) };
    case "agent":
      return { test: anyOf(values, (row) => row.agent) };
    case "session":
      return { test: anyOf(values, (row) => row.session) };
    case "text":
      return { test: (row) => values.some((value) => contains(row, value)) };
    case "dur":
      return readDuration(token.value);
    case "since":
      return readSince(token, params.since, now);
  }
}

/** Values from a list, under the engine's names or the words on the screen. */
function readNamed<V extends string>(
  token: Token,
  words: ReadonlyMap<string, readonly V[]>,
  all: readonly V[],
  isFree: boolean,
  param: "outcome" | "verdict",
  valuesOf: (row: HistoryRow) => readonly string[],
): Read {
  const wanted = new Set<V>();
  for (const value of token.value.split(",")) {
    const pattern = /^\*|\*$/.test(value) ? all.filter((one) => matcher(normal(value))(one)) : [];
    const named = all.find((one) => one === normal(value));
    const found = named ? [named] : (words.get(normal(value)) ?? pattern);
    if (found.length === 0) return { problem: { kind: "value", values: all } };
    for (const one of found) wanted.add(one);
  }
  const [first] = wanted;
  if (wanted.size === 1 && !token.negated && isFree) return { params: { [param]: first } };
  return { test: (row) => valuesOf(row).some((one) => wanted.has(one as V)) };
}

function readText(
  values: readonly string[],
  only: string | undefined,
  isFree: boolean,
  param: "event" | "dialect",
  readValue: (row: HistoryRow) => string,
): Read {
  if (only !== undefined && isFree && !only.includes("*")) return { params: { [param]: only.trim() } };
  return { test: anyOf(values, readValue) };
}

/** A row does not name its hooks, so only the engine can tell: one hook, without a minus. */
function readHook(only: string | undefined, names: FilterNames, isFree: boolean): Read {
  if (only === undefined || !isFree || only.includes("*")) return { problem: { kind: "hook" } };
  const ids = names.hooks.get(only.trim().toLowerCase());
  if (ids !== undefined && ids.length > 1) return { problem: { kind: "hookNames" } };
  return { params: { hook: ids?.[0] ?? only.trim() } };
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  return match === null ? null : Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 1);
}

function readDuration(text: string): Read {
  const match = /^([<>])=?(.+)$/.exec(text.trim());
  const limit = match === null ? null : milliseconds(match[2] ?? "");
  if (match === null || limit === null) return { problem: { kind: "duration" } };
  return { test: (row) => (match[1] === ">" ? row.took_ms > limit : row.took_ms < limit) };
}

/** Up to a minute, so that the list stays the same list while time goes on. */
const SINCE_STEP_MS = 60_000;

function readSince(token: Token, before: string | undefined, now: number): Read {
  const span = milliseconds(token.value);
  if (span === null || token.negated) return { problem: { kind: "span" } };
  const since = new Date(Math.floor((now - span) / SINCE_STEP_MS) * SINCE_STEP_MS).toISOString();
  return { params: { since: before !== undefined && before > since ? before : since } };
}

function anyOf(values: readonly string[], readValue: (row: HistoryRow) => string | null): RowTest {
  const tests = values.map((value) => matcher(value.trim().toLowerCase()));
  return (row) => {
    const value = readValue(row)?.toLowerCase();
    return value !== undefined && tests.some((test) => test(value));
  };
}

/** `*` at either end stands for anything. */
function matcher(pattern: string): (value: string) => boolean {
  const begins = pattern.endsWith("*");
  const ends = pattern.startsWith("*");
  const text = pattern.replace(/^\*|\*$/g, "");
  if (begins && ends) return (value) => value.includes(text);
  if (begins) return (value) => value.startsWith(text);
  if (ends) return (value) => value.endsWith(text);
  return (value) => value === text;
}

/** What the list shows of a row; payloads and output are not part of it. */
function contains(row: HistoryRow, text: string): boolean {
  const shown = [row.about, row.event, row.agent, row.verdict.reason, row.verdict.feedback].join("\n").toLowerCase();
  return shown.includes(text.replace(/^\*|\*$/g, "").toLowerCase());
}

export function queryOf(tokens: readonly Token[]): string | undefined {
  return tokens.map(tokenText).join(" ") || undefined;
}

/** Whether a row of the live feed fits the engine's parameters. Hooks are not part of a row, so no row matches one. */
export function matchesFilter(row: HistoryRow, params: Params<"history.page">): boolean {
  return (
    (params.project === undefined || row.project === null || row.project === params.project) &&
    (params.event === undefined || row.event === params.event) &&
    (params.dialect === undefined || row.dialect === params.dialect) &&
    (params.verdict === undefined || row.verdict.kind === params.verdict) &&
    (params.outcome === undefined || row.outcomes.includes(params.outcome)) &&
    within(params.since === undefined ? null : { since: params.since, until: params.until ?? null }, row.at) &&
    params.hook === undefined
  );
}
