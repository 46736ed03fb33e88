/** Conditions that are made of plain names: read, written, and compared with a name that they nearly have. */
import type { NearMiss } from "@/ipc";

/** The names of a filter, with the text before and after them. */
export interface Names {
  before: string;
  names: string[];
  after: string;
}

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
