/** The conditions of a hook as values by key: read from a definition, changed, and turned into steps of an edit. */
import { nearestName, readNames, writeNames } from "@/domain/hooks/plainNames";
import type { Dialect, EventInfo, HookRow, NearMiss, Params } from "@/ipc";

export type FilterInfo = Dialect["filters"][number];
/** A condition that is not set has no key. */
export type FilterValue = Readonly<Record<string, unknown>>;
type Steps = Params<"edit.change">["steps"];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `filter.tool_name` in a definition. */
function valueAt(definition: unknown, field: string): unknown {
  return field.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), definition);
}

/** What a definition sets. A condition that it shares with others is only in the row's own filter. */
export function filterOf(hook: Pick<HookRow, "definition" | "filter">, filters: readonly FilterInfo[]): FilterValue {
  const shared = isObject(hook.filter) ? hook.filter : {};
  return Object.fromEntries(
    filters.flatMap(({ key, field }) => {
      const value = valueAt(hook.definition, field) ?? shared[key];
      return value === undefined || value === null ? [] : [[key, value]];
    }),
  );
}

const parentOf = (field: string) => (field.includes(".") ? field.slice(0, field.lastIndexOf(".")) : null);
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The edit that makes `before` into `after`. A mapping that only held conditions goes with the last of them. */
export function filterSteps(
  definition: unknown,
  before: FilterValue,
  after: FilterValue,
  filters: readonly FilterInfo[],
): Steps {
  const changed = filters.filter(({ key }) => !same(before[key], after[key]));
  const emptied = new Set<string>();
  for (const parent of new Set(changed.map(({ field }) => parentOf(field)))) {
    if (parent === null) continue;
    const own = filters.filter(({ field }) => parentOf(field) === parent);
    const names = new Set(own.map(({ field }) => field.slice(parent.length + 1)));
    const there = valueAt(definition, parent);
    const isOnlyOurs = isObject(there) && Object.keys(there).every((name) => names.has(name));
    if (isOnlyOurs && own.every(({ key }) => after[key] === undefined)) emptied.add(parent);
  }
  return [
    ...[...emptied].map((field) => ({ do: "unset" as const, field })),
    ...changed
      .filter(({ field }) => !emptied.has(parentOf(field) ?? ""))
      .map(({ key, field }) =>
        after[key] === undefined
          ? { do: "unset" as const, field }
          : { do: "set" as const, field, value: after[key] as never },
      ),
  ];
}

/** Why a condition does nothing, or lets the hook never run. */
export type ClauseFault = "never" | "ignored" | "overruled" | null;

export function clauseFault(filter: FilterInfo, value: FilterValue, event: EventInfo): ClauseFault {
  if (filter.overruled_by !== null && value[filter.overruled_by] !== undefined) return "overruled";
  if (filter.names_events || event.compares[filter.key] !== undefined) return null;
  return filter.without_subject === "never_matches" ? "never" : "ignored";
}

/** The keys that are left out of a comparison, since nothing could match with them. */
export function neverMatching(filters: readonly FilterInfo[], value: FilterValue, event: EventInfo): string[] {
  return filters
    .filter((filter) => value[filter.key] !== undefined && clauseFault(filter, value, event) === "never")
    .map(({ key }) => key);
}

/** The names that a condition consists of; null where it is not made of names. */
export function namesOf(filter: FilterInfo, value: unknown): string[] | null {
  if (filter.test === "list") return Array.isArray(value) ? value.map(String) : [];
  if (typeof value !== "string") return [];
  if (filter.test === "names") return value.split("|").map((name) => name.trim());
  if (filter.test === "equals") return [value];
  return filter.test === "whole" || filter.test === "search" ? (readNames(value)?.names ?? null) : null;
}

/** The condition with these names; undefined without any. */
export function withNames(filter: FilterInfo, value: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return undefined;
  if (filter.test === "list") return names;
  const read = typeof value === "string" ? readNames(value) : null;
  const isPattern = filter.test === "whole" || filter.test === "search";
  return isPattern && read !== null ? writeNames({ ...read, names: [...names] }) : names.join("|");
}

export interface Widening {
  /** `add` keeps what matches already; `change` puts one name in place of another. */
  kind: "add" | "change";
  from: string | null;
  value: FilterValue;
}

const NAME = /^[\w-]+$/;

/** The condition that also takes `got`; null where that is not certain. */
export function widened(
  filters: readonly FilterInfo[],
  value: FilterValue,
  near: { key: string; got: string; near_miss: NearMiss },
  event: EventInfo,
): Widening | null {
  const filter = filters.find(({ key }) => key === near.key);
  if (filter === undefined || !NAME.test(near.got)) return null;
  const names = namesOf(filter, value[filter.key]);
  if (names === null || names.length === 0 || names.includes(near.got)) return null;
  if (filter.test !== "equals") {
    const next = withNames(filter, value[filter.key], [...names, near.got]);
    return { kind: "add", from: null, value: { ...value, [filter.key]: next } };
  }
  // An exact name has no alternatives, but its neighbour of the same field may.
  const sibling = filters.find(
    (one) => one.overruled_by === filter.key && event.compares[one.key] === event.compares[filter.key],
  );
  if (sibling !== undefined) {
    const { [filter.key]: _, ...rest } = value;
    const next = withNames(sibling, undefined, [...names, near.got]);
    return { kind: "add", from: null, value: { ...rest, [sibling.key]: next } };
  }
  return {
    kind: "change",
    from: nearestName(names, near.got, near.near_miss) ?? names[0] ?? null,
    value: { ...value, [filter.key]: near.got },
  };
}
