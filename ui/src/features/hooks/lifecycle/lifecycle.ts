/** What the life map shows, derived from tables, hooks and history. */
import { didRun, type GlyphKind, glyphOf } from "@/components";
import { rowSteps } from "@/domain/trace/runOrder";
import { LOUDEST } from "@/domain/trace/verdict";
import type { Dialect, EventInfo, HistoryRow, HookRow, HooksDocument, Problem, VerdictKind } from "@/ipc";

export type LifecycleMap = Dialect["map"];
type Point = LifecycleMap["lines"][number]["points"][number];

const CORNER = 8;

/** An SVG path along level and upright parts, with round corners. */
export function edgePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let path = `M${first[0]} ${first[1]}`;
  let from = first;
  rest.forEach((at, index) => {
    const next = rest[index + 1];
    if (next === undefined) {
      path += `L${at[0]} ${at[1]}`;
      return;
    }
    const before = towards(at, from);
    const after = towards(at, next);
    path += `L${before[0]} ${before[1]}Q${at[0]} ${at[1]} ${after[0]} ${after[1]}`;
    from = at;
  });
  return path;
}

/** The point a corner's radius away from `at`, or half way where there is less room. */
function towards(at: Point, to: Point): Point {
  const [dx, dy] = [to[0] - at[0], to[1] - at[1]];
  const length = Math.abs(dx) + Math.abs(dy);
  const step = Math.min(CORNER, length / 2);
  return [at[0] + Math.sign(dx) * step, at[1] + Math.sign(dy) * step];
}

/** How many hooks stand at an event: those that would get their turn, and those that would once somebody approved them. */
export function activeHooks(hooks: readonly HookRow[]): { hooks: number; waiting: number } {
  const stand = hooks.filter((hook) => hook.valid && hook.enabled && !hook.muted && hook.shadowed_by === null);
  return { hooks: stand.length, waiting: stand.filter((hook) => !hook.trusted).length };
}

/** So many outcomes there is room for. */
const ROOM = 3;

/** Which outcomes the event's last chain had, in run order, the loudest where there are more than three. */
export function lastOutcomes(last: HistoryRow | null | undefined): GlyphKind[] {
  const seen = new Set((last ? rowSteps(last) : []).map(glyphOf));
  const kept = new Set<GlyphKind>(LOUDEST.filter((outcome) => didRun({ outcome }) && seen.has(outcome)).slice(0, ROOM));
  return [...seen].filter((kind) => kept.has(kind));
}

/** Whether a guard let go when the event was last fired. */
export function failedOpen(last: HistoryRow | null | undefined): boolean {
  return (last?.outcomes ?? []).some((outcome) => outcome === "failed_open" || outcome === "timed_out_open");
}

/** A verdict that a hook can bring about. */
type EffectVerdict = Exclude<VerdictKind, "proceed">;
export type Effect = "notify" | "change" | "add" | EffectVerdict;

/** What hooks may do at an event, by its table: changes, then the verdicts in the table's order, then additions. */
export function effectsOf(event: EventInfo): Effect[] {
  if (event.notify_only) return ["notify"];
  const does = new Set(event.accepts.map((output) => output.does));
  const changes: Effect[] = does.has("replaces") ? ["change"] : [];
  const adds: Effect[] = does.has("adds") ? ["add"] : [];
  return [...changes, ...event.verdicts.filter((verdict) => verdict !== "proceed"), ...adds];
}

/** Advice about the hooks of an event, each sentence once. */
export function hintsOf(document: HooksDocument, hooks: readonly HookRow[]): Problem[] {
  const own = new Set(hooks.map((hook) => hook.hook));
  const said = new Map<string, Problem>();
  for (const problem of document.problems) {
    const about = problem.severity === "hint" && problem.hook !== null && own.has(problem.hook);
    const key = `${problem.code} ${problem.message}`;
    if (about && !said.has(key)) said.set(key, problem);
  }
  return [...said.values()];
}
