/** The result of a simulation as the screen draws it: a turn is a row of columns, a column is a model call. */
import type { LlmCall, SeenMessage, SimulateDocument, Trace } from "@/ipc";
import { type Insertion, type InsertionId, insertionsOf } from "./insertions";
import { type Lifetime, lifetimeOf } from "./lifetimes";

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
  const labels = labelsOf(document.traces);
  const insertions = insertionsOf(document.traces);
  return document.turns.map((first, index) => {
    // What was fired before the first turn is shown with it.
    const from = index === 0 ? 0 : first;
    const to = document.turns[index + 1] ?? document.traces.length;
    return turnOf({ document, labels, insertions, turn: index + 1, from, to });
  });
}

interface TurnPart {
  document: SimulateDocument;
  labels: ReadonlyMap<string, { label: string; event: string }>;
  insertions: readonly Insertion[];
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
      lines: linesOf(call.messages, call.events, part),
      gone: [],
      tools: toolsBetween(call.messages, next),
    });
    begin = call.events;
  }
  const left = isLast && calls.length > 0 ? document.final_messages : [];
  if (begin < to || left.length > 0 || calls.length === 0) {
    const lines = linesOf(left, to, part);
    columns.push({ call: null, events: range(begin, to), listed: left.length > 0, lines, gone: [], tools: [] });
  }
  return finish(columns, part);
}

/** Adds what only the columns together show. */
function finish(columns: readonly Column[], part: TurnPart): TurnView {
  const own = part.insertions.filter(({ trace }) => trace >= part.from && trace < part.to);
  const has = (column: Column | undefined, { id }: Insertion) =>
    column?.lines.some(({ insertion }) => insertion === id) ?? false;
  const withGone = columns.map((column, index) => {
    const before = columns[index - 1];
    if (before === undefined || !column.listed) return column;
    const gone = own.filter((one) => has(before, one) && !has(column, one));
    return { ...column, gone: gone.map(({ id, hook, lifetime, by }) => ({ insertion: id, hook, lifetime, by })) };
  });
  const spans = own.flatMap((one): Bar[] => {
    const seen = columns.flatMap((column, index) => (has(column, one) ? [index] : []));
    const [first, last] = [seen[0], seen.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { hook, lifetime, persistent } = one;
    return [{ hook, lifetime, persistent, from: first, to: last, copies: 1 }];
  });
  return { columns: withGone, bars: rowsOf(merge(spans)), remarks: remarksOf(withGone, own) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** Name and event of every hook that a trace has a step of. */
function labelsOf(traces: readonly Trace[]): Map<string, { label: string; event: string }> {
  const all = traces.flatMap(({ steps, event }) => steps.map(({ hook, label }) => [hook, { label, event }] as const));
  return new Map(all);
}

/**
 * The messages of a list with what inserted them. A list has the hook of a text, not the insertion: texts are taken out all
 * at once, so those that are there are the last ones that were inserted.
 */
function linesOf(messages: readonly SeenMessage[], events: number, part: TurnPart): Line[] {
  const counts = new Map<string, number>();
  for (const { hook, origin } of messages) {
    if (hook !== null && origin === "hook") counts.set(hook, (counts.get(hook) ?? 0) + 1);
  }
  const waiting = new Map<string, Insertion[]>();
  for (const [hook, count] of counts) {
    const before = part.insertions.filter((one) => one.hookId === hook && one.trace >= part.from && one.trace < events);
    waiting.set(hook, before.slice(-count));
  }
  const returned = new Map<string, number>();
  return messages.map((message) => {
    const { hook, origin } = message;
    if (hook === null) return plain(message);
    const known = part.labels.get(hook);
    const name = known?.label ?? hook;
    const lifetime = known === undefined ? null : lifetimeOf(known.event);
    if (origin === "history") {
      const copy = returned.get(hook) ?? 0;
      returned.set(hook, copy + 1);
      return { ...plain(message), hook: name, lifetime, persistent: true, fromTurn: turnOfCopy(part, hook, copy) };
    }
    const insertion = origin === "hook" ? waiting.get(hook)?.shift() : undefined;
    return {
      ...plain(message),
      hook: name,
      lifetime: insertion?.lifetime ?? null,
      persistent: insertion?.persistent ?? false,
      insertion: insertion?.id ?? null,
    };
  });
}

function plain(message: SeenMessage): Line {
  return { message, insertion: null, lifetime: null, persistent: false, hook: null, fromTurn: null };
}

/** The turn in which the copy of a text was inserted that came back; null where the scenario brought it. */
function turnOfCopy({ document, turn, insertions }: TurnPart, hook: string, copy: number): number | null {
  const first = document.llm_calls[0]?.messages ?? [];
  const brought = first.filter((message) => message.origin === "history" && message.hook === hook).length;
  const begun = document.turns[turn - 1] ?? 0;
  const kept = insertions.filter((one) => one.persistent && one.hookId === hook && one.trace < begun);
  const found = kept[copy - brought];
  if (found === undefined) return null;
  return document.turns.filter((start) => start <= found.trace).length;
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
  const sorted = [...bars].sort((a, b) => a.lifetime - b.lifetime || a.from - b.from);
  const rows: Bar[][] = [];
  for (const bar of sorted) {
    const row = rows.find((one) => one[0]?.hook === bar.hook && (one.at(-1)?.to ?? 0) < bar.from);
    if (row === undefined) rows.push([bar]);
    else row.push(bar);
  }
  return rows;
}

function remarksOf(columns: readonly Column[], own: readonly Insertion[]): Remark[] {
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
        ({ id, persistent, lifetime }) => !persistent && lifetime !== 1 && column.lines.some((l) => l.insertion === id),
      );
      for (const hook of new Set(left.map((one) => one.hook))) {
        remarks.push({ kind: "left", hook, column: index, count: left.filter((one) => one.hook === hook).length });
      }
    }
  }
  return remarks;
}
