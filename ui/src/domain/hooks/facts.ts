/** What the Hooks screen derives from the engine's answers. */
import type { Dialect, HookGroup, HookRow, HookStats, HooksDocument, Problem } from "@/ipc";
import { oneLine } from "@/lib/escape";

export const DAY_MS = 86_400_000;

/** The rows of these indexes. */
function rowsAt(document: HooksDocument, indexes: readonly number[]): HookRow[] {
  return indexes.flatMap((index) => document.hooks[index] ?? []);
}

/** The hooks of a group: event after event, each in run order. */
export function hooksOfGroup(document: HooksDocument, group: HookGroup): HookRow[] {
  return rowsAt(document, group.rows);
}

/** All hooks, group after group. */
export function groupedHooks(document: HooksDocument): HookRow[] {
  return document.groups.flatMap((group) => hooksOfGroup(document, group));
}

/** The hooks of an event in run order, those that would not run among them. */
export function hooksOfEvent(document: HooksDocument, dialect: string, event: string): HookRow[] {
  const chain = document.chains.find((one) => one.dialect === dialect && one.event === event);
  return chain === undefined ? [] : rowsAt(document, chain.rows);
}

/** The place that was read for a hook: its file, the folder that its folder lies in, or its skill. */
export function placeOf(hook: HookRow, document: HooksDocument): string {
  return document.groups.find(({ group }) => group === hook.group)?.path ?? hook.path;
}

const FAULTS: readonly HookGroup["fault"][] = ["not_read", "guard", null];

/** The groups as they are shown: files that their agent does not read first, then those with a guard that does not work. */
export function worstFirst(groups: readonly HookGroup[]): HookGroup[] {
  return [...groups].sort((a, b) => FAULTS.indexOf(a.fault) - FAULTS.indexOf(b.fault));
}

/** `tool_name=psql`, or the matcher alone. */
export function filterText(filter: HookRow["filter"]): string {
  if (filter === null || typeof filter !== "object" || Array.isArray(filter)) {
    return typeof filter === "string" ? oneLine(filter, 80) : "";
  }
  return Object.entries(filter)
    .map(([key, value]) => {
      const text = oneLine(typeof value === "string" ? value : JSON.stringify(value), 80);
      return /matcher$/.test(key) ? text : `${key}=${text}`;
    })
    .join(" ");
}

export interface Facts {
  /** By hook and event: by its `uid`, or where none is known by its id and version. */
  stats: ReadonlyMap<string, HookStats>;
}

/** A hook that serves several events has a row for each. */
export function rowKey(hook: Pick<HookRow, "hook" | "event">): string {
  return `${hook.hook} ${hook.event}`;
}

/** The id under which a hook of every event stands in a trace of one of them. */
export function idAt(hook: HookRow, event: string): string {
  return hook.event === event ? hook.hook : hook.hook.replace(":*:", `:${event}:`);
}

/** Whether a hook gets its turn when its event is fired, its filter aside. */
export function willRun(hook: HookRow): boolean {
  return hook.valid && hook.trusted && hook.enabled && !hook.muted && hook.shadowed_by === null;
}

/** Whether a hook listens to an event. */
export function listensTo(hook: HookRow, event: string): boolean {
  return hook.event === event || (hook.serves?.includes(event) ?? false);
}

/** The name of a hook, short enough for a sentence. */
export function labelOf(hook: HookRow): string {
  return oneLine(hook.label, 60);
}

/** Whether a hook is defined in a file that can be changed. */
export function isEditable(hook: HookRow, dialect: Dialect | undefined): boolean {
  return (dialect?.shelves.length ?? 0) > 0 && hook.layer !== "builtin" && hook.layer !== "session";
}

/** The event to try a hook with. */
export function eventOf(hook: HookRow): string {
  return hook.serves?.[0] ?? hook.event;
}

/** Where a hook stands in a list that can be reordered; null where it stands in none. */
export function listPositionOf(hook: HookRow | undefined): HookRow["in_list"] {
  return hook?.in_list ?? null;
}

/**
 * What a hook did, in all its versions and places where the engine knows that they are one hook, else as its definition is
 * now or in days before definitions were told apart. A hook of several events has a row for each.
 */
export function allStatsOf(facts: Facts, hook: HookRow): HookStats[] {
  return (hook.serves ?? [hook.event]).flatMap((event) => {
    const id = `${idAt(hook, event)} ${event}`;
    const keys = [`${hook.uid} ${event}`, `${id} ${hook.version}`, `${id} `];
    return keys.map((key) => facts.stats.get(key)).find((found) => found !== undefined) ?? [];
  });
}

/** What a hook did; of a row that stands for several events, the busiest of them. */
export function statsOf(facts: Facts, hook: HookRow): HookStats | undefined {
  return allStatsOf(facts, hook).reduce<HookStats | undefined>(
    (most, one) => (most && most.runs >= one.runs ? most : one),
    undefined,
  );
}

export function factsOf(stats: readonly HookStats[]): Facts {
  return {
    stats: new Map(
      stats.map((one) => [one.uid === null ? `${rowKey(one)} ${one.version}` : `${one.uid} ${one.event}`, one]),
    ),
  };
}

/** Whether a hook belongs to a node of the tree. */
export function inNode(hook: HookRow, node: string | undefined): boolean {
  if (node === undefined) return true;
  const [kind, dialect, rest] = splitNode(node);
  if (kind === "file") return hook.group === rest;
  if (hook.dialect !== dialect) return false;
  if (kind === "layer") return hook.layer === rest;
  return kind === "event" ? listensTo(hook, rest) : true;
}

export type NodeKind = "dialect" | "layer" | "file" | "event";

export function nodeId(kind: NodeKind, dialect: string, rest = ""): string {
  return `${kind}|${dialect}|${rest}`;
}

export function splitNode(node: string): [NodeKind, string, string] {
  const [kind, dialect, ...rest] = node.split("|");
  return [kind as NodeKind, dialect ?? "", rest.join("|")];
}

/** `hooks.yaml:22:15` */
export function locationOf(problem: Pick<Problem, "line" | "column">, path: string): string {
  return [path, problem.line, problem.column].filter((part) => part !== null && part !== undefined).join(":");
}
