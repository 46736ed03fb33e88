/** The result of a simulation as the screen draws it: a turn is a row of columns, a column is a model call. */
import type { LlmCall, SeenMessage, SimulateDocument } from "@/ipc";
import { LIFE_NUMBER, type Lifetime } from "./lifetimes";

/** The index of an insertion. */
export type InsertionId = number;

type Insertion = SimulateDocument["insertions"][number];

/** An insertion of the turn whose texts have a lifetime. */
interface OwnInsertion extends Insertion {
  id: InsertionId;
  lifetime: Lifetime;
}

/** A message of a column. */
export interface Line {
  message: SeenMessage;
  /** The insertion that it came from, where a hook of this turn inserted it. */
  insertion: InsertionId | null;
  lifetime: Lifetime | null;
  persistent: boolean;
  /** What the hook is called; null where no hook wrote the message. */
  hook: string | null;
  /** The turn that a text was inserted in that came back with the history; from 1. */
  fromTurn: number | null;
}

/** A text that the column before had and this one does not. */
export interface Gone {
  insertion: InsertionId;
  hook: string;
  lifetime: Lifetime;
  /** The call that took it out. */
  by: string | null;
}

export interface Column {
  /** Null for what is there when the turn has ended. */
  call: LlmCall | null;
  /** The events before the call, as indexes of the traces. */
  events: readonly number[];
  /** Whether the list of messages is known: at the end of a turn it is for the last one only. */
  listed: boolean;
  lines: readonly Line[];
  gone: readonly Gone[];
  /** The tools that the model called in its answer, in order; empty where it replied. */
  tools: readonly string[];
}

/** How long one text, or several equal ones of a hook, stay in the list. */
export interface Bar {
  hook: string;
  lifetime: Lifetime;
  persistent: boolean;
  /** First and last column that have it, from 0. */
  from: number;
  to: number;
  copies: number;
}

/** What a person would otherwise have to count. */
export interface Remark {
  kind: "copies" | "left";
  hook: string;
  /** Index of the column. */
  column: number;
  count: number;
}

export interface TurnView {
  columns: readonly Column[];
  /** Rows from top to bottom. */
  bars: readonly (readonly Bar[])[];
  remarks: readonly Remark[];
}

/** The turns of a simulation, in order. */
export function turnsOf(document: SimulateDocument): TurnView[] {
  return document.turns.map((first, index) => {
    // What was fired before the first turn is shown with it.
    const from = index === 0 ? 0 : first;
    const to = document.turns[index + 1] ?? document.traces.length;
    return turnOf({ document, turn: index + 1, from, to });
  });
}

interface TurnPart {
  document: SimulateDocument;
  /** From 1. */
  turn: number;
  /** The events of the turn: from, up to but without. */
  from: number;
  to: number;
}

function turnOf(part: TurnPart): TurnView {
  const { document, turn, from, to } = part;
  const calls = document.llm_calls.filter((call) => call.turn === turn);
  const isLast = turn === document.turns.length;
  const columns: Column[] = [];
  let begin = from;
  for (const [index, call] of calls.entries()) {
    const next = calls[index + 1]?.messages ?? (isLast ? document.final_messages : []);
    columns.push({
      call,
      events: range(begin, call.events),
      listed: true,
      lines: linesOf(call.messages, document),
      gone: [],
      tools: toolsBetween(call.messages, next),
    });
    begin = call.events;
  }
  const left = isLast && calls.length > 0 ? document.final_messages : [];
  if (begin < to || left.length > 0 || calls.length === 0) {
    const lines = linesOf(left, document);
    columns.push({ call: null, events: range(begin, to), listed: left.length > 0, lines, gone: [], tools: [] });
  }
  return finish(columns, part);
}

/** Adds what only the columns together show. */
function finish(columns: readonly Column[], part: TurnPart): TurnView {
  const own = part.document.insertions.flatMap((one, id): OwnInsertion[] =>
    one.turn === part.turn && one.lifetime !== null ? [{ ...one, lifetime: one.lifetime, id }] : [],
  );
  const has = (column: Column | undefined, { id }: OwnInsertion) =>
    column?.lines.some(({ insertion }) => insertion === id) ?? false;
  const withGone = columns.map((column, index) => {
    const before = columns[index - 1];
    if (before === undefined || !column.listed) return column;
    const gone = own.filter((one) => has(before, one) && !has(column, one));
    return {
      ...column,
      gone: gone.map(({ id, label, lifetime, removed_by: by }) => ({ insertion: id, hook: label, lifetime, by })),
    };
  });
  const spans = own.flatMap((one): Bar[] => {
    const seen = columns.flatMap((column, index) => (has(column, one) ? [index] : []));
    const [first, last] = [seen[0], seen.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { label: hook, lifetime, persistent } = one;
    return [{ hook, lifetime, persistent, from: first, to: last, copies: 1 }];
  });
  return { columns: withGone, bars: rowsOf(merge(spans)), remarks: remarksOf(withGone, own) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** The messages of a list with the insertions that they come from. */
function linesOf(messages: readonly SeenMessage[], { insertions }: SimulateDocument): Line[] {
  return messages.map((message) => {
    const { hook, label, lifetime = null, insertion = null, origin } = message;
    const from = insertion === null ? undefined : insertions[insertion];
    const returned = origin === "history" && hook !== null;
    return {
      message,
      // What came back is a copy, which nothing removes.
      insertion: returned ? null : insertion,
      lifetime,
      persistent: returned || (from?.persistent ?? false),
      hook: label ?? hook,
      fromTurn: returned ? (from?.turn ?? null) : null,
    };
  });
}

/** The tools that the model called between two lists of messages. */
function toolsBetween(before: readonly SeenMessage[], after: readonly SeenMessage[]): string[] {
  const calling = (list: readonly SeenMessage[]) => list.filter((one) => one.tool_calls !== undefined);
  const fresh = calling(after).slice(calling(before).length);
  return fresh.flatMap(({ tool_calls }) =>
    Array.isArray(tool_calls) ? tool_calls.map((call: { name?: unknown }) => String(call?.name ?? "")) : [],
  );
}

/** Equal spans of one hook become one bar. */
function merge(spans: readonly Bar[]): Bar[] {
  const bars: Bar[] = [];
  for (const span of spans) {
    const same = bars.find((bar) => bar.hook === span.hook && bar.from === span.from && bar.to === span.to);
    if (same === undefined) bars.push({ ...span });
    else same.copies += 1;
  }
  return bars;
}

/** Bars of a hook share a row where they do not overlap. */
function rowsOf(bars: readonly Bar[]): Bar[][] {
  const sorted = [...bars].sort((a, b) => LIFE_NUMBER[a.lifetime] - LIFE_NUMBER[b.lifetime] || a.from - b.from);
  const rows: Bar[][] = [];
  for (const bar of sorted) {
    const row = rows.find((one) => one[0]?.hook === bar.hook && (one.at(-1)?.to ?? 0) < bar.from);
    if (row === undefined) rows.push([bar]);
    else row.push(bar);
  }
  return rows;
}

function remarksOf(columns: readonly Column[], own: readonly OwnInsertion[]): Remark[] {
  const remarks: Remark[] = [];
  for (const [index, column] of columns.entries()) {
    const counts = new Map<string, number>();
    for (const { hook, lifetime } of column.lines) {
      if (hook !== null && lifetime !== null) counts.set(hook, (counts.get(hook) ?? 0) + 1);
    }
    for (const [hook, count] of counts) {
      if (count > 1 && column.call !== null) remarks.push({ kind: "copies", hook, column: index, count });
    }
    if (column.call === null) {
      const left = own.filter(
        ({ id, persistent, lifetime }) =>
          !persistent && lifetime !== "request" && column.lines.some((l) => l.insertion === id),
      );
      for (const hook of new Set(left.map((one) => one.label))) {
        remarks.push({ kind: "left", hook, column: index, count: left.filter((one) => one.label === hook).length });
      }
    }
  }
  return remarks;
}
