/**
 * The filter of the list: words in the query language, all of which must hold. The engine answers all of them: plain values
 * of a field as parameters of a page, which live rows can be compared with, too, and everything else as its own query.
 */
import { parseToken, type Token, tokenText } from "@/components";
import type { HistoryRow, Outcome, Params, VerdictKind } from "@/ipc";
import { within } from "./range";

export const FIELDS = [
  "event",
  "dialect",
  "hook",
  "project",
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

export type FilterParams = Pick<
  Params<"history.page">,
  "event" | "dialect" | "hook" | "outcome" | "verdict" | "since" | "project" | "query"
>;

/** What a word cannot be used for, by its text. */
export type FilterProblem =
  | { kind: "field" }
  | { kind: "value"; values: readonly string[] }
  | { kind: "duration" | "span" };

/** What words on the screen stand for. */
export interface FilterNames {
  /** In small letters. */
  outcomes: ReadonlyMap<string, readonly Outcome[]>;
  verdicts: ReadonlyMap<string, readonly VerdictKind[]>;
  /** Ids of the hooks with this label. */
  hooks: ReadonlyMap<string, readonly string[]>;
  /** Ids of the dialects with this name. */
  dialects: ReadonlyMap<string, string>;
}

export interface Filter {
  tokens: Token[];
  /** For the engine. */
  params: FilterParams;
  /** Whether projects other than the one on screen are asked for. */
  namesProjects: boolean;
  /** By the index of its token. */
  problems: ReadonlyMap<number, FilterProblem>;
}

/** Words separated by blanks; quotes hold blanks, and `\"` in them is a quote. */
function split(query: string): string[] {
  return query.match(/(?:[^\s"]|"(?:\\"|[^"])*"?)+/g) ?? [];
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

/** A parameter of a page, or a word of the engine's query. */
type Read = { problem: FilterProblem } | { params: FilterParams } | { word: string };

export function parseFilter(query: string | undefined, names: FilterNames, now: number): Filter {
  const tokens = split(query ?? "").flatMap((word) => parseToken(word) ?? []);
  const params: FilterParams = {};
  const words: string[] = [];
  const problems = new Map<number, FilterProblem>();
  tokens.forEach((token, index) => {
    const read = readToken(token, names, params, now);
    if ("problem" in read) problems.set(index, read.problem);
    else if ("params" in read) Object.assign(params, read.params);
    else words.push(read.word);
  });
  if (words.length > 0) params.query = words.join(" ");
  return { tokens, params, namesProjects: tokens.some((token) => token.field === "project"), problems };
}

/** `params` are those of the words before: a field that is already taken is a word of the query. */
function readToken(token: Token, names: FilterNames, params: FilterParams, now: number): Read {
  const field = token.field ?? "text";
  if (!isField(field)) return { problem: { kind: "field" } };
  const word = { word: tokenText(token) };
  const values = token.value.split(",").filter((value) => value.trim() !== "");
  const isPlain = values.length === 1 && !token.negated && !token.value.includes("*");
  const only = isPlain ? token.value.trim() : undefined;
  switch (field) {
    case "outcome":
      return readNamed(token, names.outcomes, OUTCOMES, params.outcome === undefined, "outcome");
    case "verdict":
      return readNamed(token, names.verdicts, VERDICTS, params.verdict === undefined, "verdict");
    case "event":
      return only !== undefined && params.event === undefined ? { params: { event: only } } : word;
    case "dialect": {
      const ids = values.map((value) => names.dialects.get(value.trim().toLowerCase()) ?? value);
      if (only !== undefined && params.dialect === undefined) return { params: { dialect: ids[0] ?? only } };
      return { word: tokenText({ ...token, value: ids.join(",") }) };
    }
    case "hook": {
      // A name is one hook's where the list says so. Otherwise the engine finds all hooks of the name.
      const ids = only === undefined ? undefined : (names.hooks.get(only.toLowerCase()) ?? [only]);
      const isId = ids?.length === 1 && ids[0]?.includes(":") === true;
      return isId && params.hook === undefined ? { params: { hook: ids[0] } } : word;
    }
    case "project":
      return only?.startsWith("/") && params.project === undefined ? { params: { project: only } } : word;
    case "tool":
    case "origin":
    case "agent":
    case "session":
    case "text":
      return word;
    case "dur":
      return isLimit(token.value) ? word : { problem: { kind: "duration" } };
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
  field: "outcome" | "verdict",
): Read {
  const wanted = new Set<V>();
  for (const value of token.value.split(",")) {
    const pattern = /^\*|\*$/.test(value) ? all.filter((one) => matches(one, normal(value))) : [];
    const named = all.find((one) => one === normal(value));
    const found = named ? [named] : (words.get(normal(value)) ?? pattern);
    if (found.length === 0) return { problem: { kind: "value", values: all } };
    for (const one of found) wanted.add(one);
  }
  const [first] = wanted;
  if (wanted.size === 1 && !token.negated && isFree) return { params: { [field]: first } };
  return { word: tokenText({ field, value: [...wanted].join(","), negated: token.negated === true }) };
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  return match === null ? null : Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 1);
}

function isLimit(text: string): boolean {
  const match = /^[<>](.+)$/.exec(text.trim());
  return match !== null && milliseconds(match[1] ?? "") !== null;
}

/** Up to a minute, so that the list stays the same list while time goes on. */
const SINCE_STEP_MS = 60_000;

function readSince(token: Token, before: string | undefined, now: number): Read {
  const span = milliseconds(token.value);
  if (span === null) return { problem: { kind: "span" } };
  if (token.negated) return { word: tokenText(token) };
  const since = new Date(Math.floor((now - span) / SINCE_STEP_MS) * SINCE_STEP_MS).toISOString();
  return { params: { since: before !== undefined && before > since ? before : since } };
}

/** `*` at either end stands for anything. */
function matches(value: string, pattern: string): boolean {
  const text = pattern.replace(/^\*|\*$/g, "");
  if (pattern.startsWith("*") && pattern.endsWith("*")) return value.includes(text);
  return pattern.startsWith("*") ? value.endsWith(text) : value.startsWith(text);
}

export function queryOf(tokens: readonly Token[]): string | undefined {
  return tokens.map(tokenText).join(" ") || undefined;
}

/** Whether only the engine can tell which events are wanted: rows of the live feed do not name their hooks, nor their texts. */
export function needsEngine(params: Params<"history.page">): boolean {
  return params.hook !== undefined || params.query !== undefined;
}

/** Whether a row of the live feed fits the engine's parameters; false where only the engine can tell. */
export function matchesFilter(row: HistoryRow, params: Params<"history.page">): boolean {
  return (
    !needsEngine(params) &&
    (params.project === undefined || row.project === null || row.project === params.project) &&
    (params.event === undefined || row.event === params.event) &&
    (params.dialect === undefined || row.dialect === params.dialect) &&
    (params.verdict === undefined || row.verdict.kind === params.verdict) &&
    (params.outcome === undefined || row.outcomes.includes(params.outcome)) &&
    within(params.since === undefined ? null : { since: params.since, until: params.until ?? null }, row.at)
  );
}
