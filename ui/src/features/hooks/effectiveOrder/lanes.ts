/** The chains of a project: for each event the hooks of all sources in run order, and the problems between them. */
import { hooksOfEvent, willRun } from "@/domain/hooks/facts";
import type { HookRow, HooksDocument, Problem } from "@/ipc";

export interface Lane {
  key: string;
  dialect: string;
  event: string;
  hooks: HookRow[];
  conflicts: Conflict[];
  /** How long the hooks that run may take together. */
  mostMs: number;
}

export interface Conflict {
  problem: Problem;
  /** The row of the hook that the problem is about. */
  hook: HookRow;
  /** The other hook, if the problem names one. */
  other: HookRow | null;
}

/** A row of the table: a hook in the chain of one event. */
export interface LaneRow {
  key: string;
  lane: Lane;
  hook: HookRow;
  /** Its place among those that run, from 1; null for one that does not run. */
  place: number | null;
}

/** The problems that arise between hooks, or keep one from ever taking part. */
const CONFLICTS: ReadonlySet<Problem["code"]> = new Set<Problem["code"]>([
  "last_wins",
  "drops_changes",
  "duplicate_hook",
  "duplicate_name",
  "shadowed",
  "unreachable",
  "never_matches",
  "over_budget",
]);

export function lanesOf(document: HooksDocument): Lane[] {
  return document.chains.flatMap(({ dialect, event }) => {
    const hooks = hooksOfEvent(document, dialect, event);
    // Where only hooks of all events listen there is no order to see.
    if (!hooks.some((hook) => hook.event === event)) return [];
    const running = hooks.filter((hook) => willRun(hook) && hook.mode === "await");
    return {
      key: `${dialect} ${event}`,
      dialect,
      event,
      hooks,
      conflicts: conflictsOf(document.problems, hooks),
      mostMs: running.reduce((sum, hook) => sum + hook.timeout_ms * hook.attempts, 0),
    };
  });
}

function conflictsOf(problems: readonly Problem[], hooks: readonly HookRow[]): Conflict[] {
  const byId = new Map(hooks.map((hook) => [hook.hook, hook]));
  return problems.flatMap((problem) => {
    const hook = CONFLICTS.has(problem.code) && problem.hook ? byId.get(problem.hook) : undefined;
    if (hook === undefined) return [];
    const other = problem.args?.other;
    return [{ problem, hook, other: (typeof other === "string" ? byId.get(other) : undefined) ?? null }];
  });
}

export function rowsOf(lanes: readonly Lane[]): LaneRow[] {
  return lanes.flatMap((lane) => {
    let place = 0;
    return lane.hooks.map((hook) => {
      if (willRun(hook)) place += 1;
      return { key: `${lane.key} ${hook.hook}`, lane, hook, place: willRun(hook) ? place : null };
    });
  });
}
