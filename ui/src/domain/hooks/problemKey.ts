/** A problem as the address names it: by what and where it is, since its place in the list changes with every save. */
import type { Problem } from "@/ipc";
import { uniqueKeys } from "@/lib/uniqueKeys";

type Named = Pick<Problem, "path" | "code" | "line" | "hook">;

/** The name of the first problem of its kind at its place. */
export function problemKey({ path, code, line, hook }: Named): string {
  return JSON.stringify([code, path, line, hook]);
}

/** The names of all problems of a list, in its order. Equal ones of one line are numbered. */
export function problemKeys(problems: readonly Named[]): string[] {
  return uniqueKeys(problems.map(problemKey));
}

/** The file of a problem by its name; null for a text that names none. */
export function pathOfProblem(key: string): string | null {
  try {
    const parts: unknown = JSON.parse(key.replace(/ \d+$/, ""));
    return Array.isArray(parts) && typeof parts[1] === "string" ? parts[1] : null;
  } catch {
    // An address that was written by hand, or by an older version.
    return null;
  }
}

/** Problems that say the same of the same file and hook, wherever they are in it. */
function kindOf({ path, code, hook, args }: Problem): string {
  return JSON.stringify([code, path, hook, args]);
}

/**
 * The place of a problem in the list that followed the one it was found in, whatever moved its line; -1 where it is gone.
 * `at` is its place in the former list.
 */
export function followProblem(before: readonly Problem[], at: number, now: readonly Problem[]): number {
  const problem = before[at];
  if (problem === undefined) return -1;
  const kind = kindOf(problem);
  const placesIn = (list: readonly Problem[]) => list.flatMap((one, index) => (kindOf(one) === kind ? [index] : []));
  const former = placesIn(before);
  const present = placesIn(now);
  // As many as before are the same ones, in their order. Otherwise only one that did not move is surely the same.
  if (present.length === former.length) return present[former.indexOf(at)] ?? -1;
  return problemKeys(now).indexOf(problemKeys(before)[at] ?? "");
}
