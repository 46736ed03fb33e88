/** Filter tokens of the list: what the engine can page by. */
import { parseToken, type Token, tokenText } from "@/components";
import type { HistoryRow, Outcome, Params, VerdictKind } from "@/ipc";
import { within } from "./range";

export const FIELDS = ["event", "dialect", "hook", "outcome", "verdict"] as const;
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

export type FilterParams = Pick<Params<"history.page">, Field>;

export interface Filter {
  tokens: Token[];
  params: FilterParams;
  /** Index of the first token that cannot be used. */
  problem: number | null;
}

/** Words separated by blanks; quotes hold blanks. */
function split(query: string): string[] {
  return query.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

/** `-` and `_` mean the same, as everywhere in queries. */
function value(token: Token): string {
  return token.value.trim().replace(/-/g, "_").toLowerCase();
}

function isField(name: string | null): name is Field {
  return (FIELDS as readonly string[]).includes(name ?? "");
}

export function parseFilter(query: string | undefined): Filter {
  const tokens = split(query ?? "").flatMap((word) => parseToken(word) ?? []);
  const params: FilterParams = {};
  let problem: number | null = null;
  tokens.forEach((token, index) => {
    if (!apply(params, token)) problem ??= index;
  });
  return { tokens, params, problem };
}

/** Puts a token into the parameters; false when it cannot be used. */
function apply(params: FilterParams, token: Token): boolean {
  if (token.negated || !isField(token.field) || params[token.field] !== undefined) return false;
  switch (token.field) {
    case "outcome": {
      const found = OUTCOMES.find((one) => one === value(token));
      if (found) params.outcome = found;
      return found !== undefined;
    }
    case "verdict": {
      const found = VERDICTS.find((one) => one === value(token));
      if (found) params.verdict = found;
      return found !== undefined;
    }
    case "event":
    case "dialect":
    case "hook":
      params[token.field] = token.value.trim();
      return true;
  }
}

export function queryOf(tokens: readonly Token[]): string | undefined {
  return tokens.map(tokenText).join(" ") || undefined;
}

/** Whether a row of the live feed belongs to what is on screen. Hooks are not part of a row, so no row matches one. */
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
