/** The files of which the agent reads nothing, because of one value in them. */
import type { HooksDocument, Problem } from "@/ipc";

export interface RejectedFile {
  path: string;
  dialect: string;
  problem: Problem;
}

/** The files that their agent rejects as a whole, each with the first finding that makes it. */
export function rejectedFiles({ problems, sources, hooks }: HooksDocument): RejectedFile[] {
  const found = new Map<string, RejectedFile>();
  problems.forEach((problem) => {
    if (found.has(problem.path) || !problem.rejects_file) return;
    const source = sources.find(({ path }) => path === problem.path) ?? hooks.find(({ path }) => path === problem.path);
    if (source === undefined) return;
    found.set(problem.path, { path: problem.path, dialect: source.dialect, problem });
  });
  return [...found.values()];
}
