/** What the Hooks screen derives from the engine's answers. */
import type { Dialect, HookRow, HookStats, Layer, Problem, SourceRow } from "@/ipc";
import { oneLine } from "@/lib/escape";

export const DAY_MS = 86_400_000;

const LAYERS: readonly Layer[] = ["builtin", "user", "project", "session", "skill"];

/** Hooks of one source, in the order of the layers. */
export interface SourceGroup {
  key: string;
  dialect: string;
  /** Place among the dialect's groups, from 1. */
  place: number;
  layer: Layer;
  path: string;
}

/** In run order: dialect after dialect, layer after layer, source after source, as the engine lists them. */
export function inRunOrder(hooks: readonly HookRow[], sources: readonly SourceRow[]): HookRow[] {
  const seen = { dialects: new Map<string, number>(), groups: new Map<string, number>() };
  const at = (known: Map<string, number>, name: string) => {
    const place = known.get(name) ?? known.size;
    known.set(name, place);
    return place;
  };
  const sorted = hooks
    .map((hook, index) => ({
      hook,
      key: [
        at(seen.dialects, hook.dialect),
        LAYERS.indexOf(hook.layer),
        at(seen.groups, groupKey(hook, sources)),
        index,
      ],
    }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ hook }) => hook);
  return withEventsInOrder(sorted, sources);
}

/** Gives the places that an event's hooks have within their group to these hooks in the order of their chain. */
function withEventsInOrder(sorted: readonly HookRow[], sources: readonly SourceRow[]): HookRow[] {
  const places = new Map<string, number[]>();
  sorted.forEach((hook, index) => {
    const key = `${groupKey(hook, sources)} ${hook.event}`;
    places.set(key, [...(places.get(key) ?? []), index]);
  });
  const out = [...sorted];
  for (const own of places.values()) {
    const hooks = chainOrder(own.flatMap((index) => sorted[index] ?? []));
    own.forEach((index, at) => {
      const hook = hooks[at];
      if (hook !== undefined) out[index] = hook;
    });
  }
  return out;
}

/**
 * Hooks of one event in run order. A hook without a position would not run; it stays behind the one that the engine lists
 * before it.
 */
export function chainOrder(hooks: readonly HookRow[]): HookRow[] {
  const runs = hooks.filter((hook) => hook.position !== null).sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  const out = [...runs];
  hooks.forEach((hook, index) => {
    if (hook.position !== null) return;
    const before = hooks[index - 1];
    out.splice(before === undefined ? 0 : out.indexOf(before) + 1, 0, hook);
  });
  return out;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const first = a.findIndex((value, index) => value !== b[index]);
  return first < 0 ? 0 : (a[first] ?? 0) - (b[first] ?? 0);
}

/** The groups of hooks in run order, by key. */
export function sourceGroups(inOrder: readonly HookRow[], sources: readonly SourceRow[]): Map<string, SourceGroup> {
  const groups = new Map<string, SourceGroup>();
  const places = new Map<string, number>();
  for (const hook of inOrder) {
    const key = groupKey(hook, sources);
    if (groups.has(key)) continue;
    const { dialect, layer } = hook;
    const place = (places.get(dialect) ?? 0) + 1;
    places.set(dialect, place);
    groups.set(key, { key, dialect, place, layer, path: sourceOf(hook, sources) });
  }
  return groups;
}

const FAULTS: ReadonlySet<string> = new Set(["lost", "cannot_start", "broken", "failing"]);

/**
 * File after file, and in a file event after event. Files that their agent does not read come first, then those with a guard
 * that does not work.
 */
export function byFile(inOrder: readonly HookRow[], sources: readonly SourceRow[]): HookRow[] {
  const files = new Map<string, Map<string, HookRow[]>>();
  for (const hook of inOrder) {
    const key = groupKey(hook, sources);
    const events = files.get(key) ?? new Map<string, HookRow[]>();
    files.set(key, events.set(hook.event, [...(events.get(hook.event) ?? []), hook]));
  }
  const loudness = (hooks: readonly HookRow[]) =>
    hooks.some(({ health }) => health.code === "last_good")
      ? 0
      : hooks.some(({ guard, health }) => guard && FAULTS.has(health.state))
        ? 1
        : 2;
  return [...files.values()]
    .map((events) => [...events.values()].flat())
    .sort((a, b) => loudness(a) - loudness(b))
    .flat();
}

/** The place that was read for a hook: its file, the folder that its folder lies in, or its skill. */
export function sourceOf(hook: HookRow, sources: readonly SourceRow[]): string {
  const holds = (source: SourceRow) =>
    source.dialect === hook.dialect &&
    source.layer === hook.layer &&
    (source.path === hook.path || hook.path.startsWith(`${source.path}/`) || hook.path.startsWith(`${source.path}\\`));
  const nearest = sources.filter(holds).sort((a, b) => b.path.length - a.path.length)[0];
  if (nearest === undefined) return hook.path;
  const skill = hook.layer === "skill" ? hook.path.slice(nearest.path.length + 1).split(/[\\/]/)[0] : undefined;
  return skill ? `${nearest.path}/${skill}` : nearest.path;
}

export function groupKey(hook: HookRow, sources: readonly SourceRow[]): string {
  return `${hook.dialect} ${hook.layer} ${sourceOf(hook, sources)}`;
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
export function inNode(hook: HookRow, node: string | undefined, sources: readonly SourceRow[]): boolean {
  if (node === undefined) return true;
  const [kind, dialect, rest] = splitNode(node);
  if (kind === "file") return groupKey(hook, sources) === rest;
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
