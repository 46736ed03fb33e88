/**
 * Findings for which the agent reads nothing of the file. The engine says so only in the hints of these messages; a test
 * holds that the list names exactly those.
 */
import type { HooksDocument, Problem } from "@/ipc";

const REJECTING: readonly string[] = [
  "unknown_value.on_error",
  "unknown_value.type",
  "wrong_type.hook",
  "wrong_type.integer",
  "wrong_type.list",
  "wrong_type.mapping",
  "wrong_type.pico_command",
  "wrong_type.pico_flag",
  "wrong_type.pico_integer",
  "wrong_type.pico_list",
  "wrong_type.pico_object",
  "wrong_type.pico_string",
  "wrong_type.string",
  "wrong_type.template",
];

export interface RejectedFile {
  path: string;
  dialect: string;
  problem: Problem;
  /** Place of the problem in the engine's list, which the address keeps. */
  index: number;
}

export function rejectsFile({ code, args }: Problem): boolean {
  return REJECTING.includes(`${code}.${String(args?.case)}`);
}

/** The files that their agent rejects as a whole, each with the first finding that makes it. */
export function rejectedFiles({ problems, sources, hooks }: HooksDocument): RejectedFile[] {
  const found = new Map<string, RejectedFile>();
  problems.forEach((problem, index) => {
    if (found.has(problem.path) || !rejectsFile(problem)) return;
    const source = sources.find(({ path }) => path === problem.path) ?? hooks.find(({ path }) => path === problem.path);
    if (source === undefined) return;
    found.set(problem.path, { path: problem.path, dialect: source.dialect, problem, index });
  });
  return [...found.values()];
}
