/**
 * The change of a filter that makes it match an event that it missed. Only where it is certain: one clause, of plain
 * names, that is still what the check compared with.
 */
import type { Gate, HookRow, NearMiss, Params } from "@/ipc";

type Steps = Params<"edit.change">["steps"];

export interface FilterFix {
  /** `add` keeps what matches already; `change` puts one name in place of another. */
  kind: "add" | "change";
  /** The name that is replaced. */
  from: string | null;
  to: string;
  steps: Steps;
}

/** The names of a filter, with the text before and after them. */
export interface Names {
  before: string;
  names: string[];
  after: string;
}

const NAME = /^[\w-]+$/;
/** `A|B`, `^A$`, `^(A|B)$` and `^(?:A|B)$`, without anything that a pattern language would read. */
const PLAIN = /^(\^?)(\((?:\?:)?)?([\w-]+(?:\|[\w-]+)*)(\))?(\$?)$/;

export function readNames(text: string): Names | null {
  const found = PLAIN.exec(text);
  if (found === null) return null;
  const [, begin = "", open = "", list = "", close = "", end = ""] = found;
  const names = list.split("|");
  const isWhole = begin !== "" && end !== "";
  if ((open === "") !== (close === "") || (begin === "") !== (end === "")) return null;
  // Without a group the marks belong to the first and the last name alone.
  if (isWhole && open === "" && names.length > 1) return null;
  return { before: begin + open, names, after: close + end };
}

export function writeNames({ before, names, after }: Names): string {
  const list = names.join("|");
  return before === "^" && names.length > 1 ? `^(${list})$` : `${before}${list}${after}`;
}

/** Whether two names differ by one letter, or by two neighbours that are swapped. */
function isOneEdit(one: string, other: string): boolean {
  let begin = 0;
  while (begin < one.length && begin < other.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - begin;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [a, b] = [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
  if (a.length <= 1 && b.length <= 1) return true;
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
}

const IS_NEAR: Record<NearMiss, (wanted: string, got: string) => boolean> = {
  case: (wanted, got) => wanted.toLowerCase() === got.toLowerCase(),
  blanks: (wanted, got) => wanted.trim() === got.trim(),
  spelling: isOneEdit,
  missing_field: () => false,
};

/** The name of the filter that the event nearly had; null where that is none, or where several are as near. */
export function nearestName(names: readonly string[], got: string, near: NearMiss | null | undefined): string | null {
  if (!near) return null;
  const found = names.filter((name) => IS_NEAR[near](name, got));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** How an edit names the field of a filter: as it is nested in the definition. */
function fieldOf(definition: unknown, key: string): string | null {
  if (typeof definition !== "object" || definition === null || Array.isArray(definition)) return null;
  if (key in definition) return key;
  for (const [name, inner] of Object.entries(definition)) {
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner) && key in inner) return `${name}.${key}`;
  }
  // A filter that the definition shares with others is a field of its own.
  return key;
}

/** The one clause of a filter that failed, if it is the only one and the one that was checked. */
function failedClause(gate: Gate, hook: HookRow): { key: string; value: unknown; got: string } | null {
  const { key, got, wanted } = gate.args ?? {};
  if (gate.gate !== "filter" || gate.pass || typeof key !== "string" || typeof got !== "string") return null;
  const clauses = Object.entries(hook.filter ?? {});
  const [clause] = clauses;
  if (clauses.length !== 1 || clause === undefined || clause[0] !== key) return null;
  const value: unknown = clause[1];
  const text = Array.isArray(value) ? value.join("|") : value;
  return text === wanted && NAME.test(got) ? { key, value, got } : null;
}

/** An exact name cannot have alternatives. */
const ONE_NAME = new Set(["tool_name"]);

export function fixesOf(gate: Gate, hook: HookRow): FilterFix[] {
  const clause = failedClause(gate, hook);
  if (clause === null) return [];
  const { key, value, got } = clause;
  const field = fieldOf(hook.definition, key);
  if (field === null) return [];
  const isList = Array.isArray(value);
  const read = isList
    ? { before: "", names: value.map(String), after: "" }
    : typeof value === "string"
      ? readNames(value)
      : null;
  if (read === null || read.names.includes(got)) return [];
  const stepsTo = (names: string[]): Steps => [
    { do: "set", field, value: isList ? names : writeNames({ ...read, names }) },
  ];
  const fixes: FilterFix[] = [];
  if (!ONE_NAME.has(key)) fixes.push({ kind: "add", from: null, to: got, steps: stepsTo([...read.names, got]) });
  const near = nearestName(read.names, got, gate.near_miss);
  if (near !== null) {
    const changed = read.names.map((name) => (name === near ? got : name));
    fixes.push({ kind: "change", from: near, to: got, steps: stepsTo(changed) });
  }
  return fixes;
}
