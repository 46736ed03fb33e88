/** Hooks that are turned off for the agent: they are in no file, and the engine keeps their definitions. */
import type { HookRow, SourceRow, TurnedOffHook } from "@/ipc";
import { groupKey, inRunOrder } from "./facts";

/** A turned-off hook as a row among the others. Its `hook` is the id with which it is turned on. */
export interface TurnedOffRow extends HookRow {
  turnedOff: TurnedOffHook;
}

export function isTurnedOff(hook: HookRow): hook is TurnedOffRow {
  return "turnedOff" in hook;
}

export function turnedOffRow(hook: TurnedOffHook): TurnedOffRow {
  return {
    hook: hook.id,
    dialect: hook.dialect,
    event: hook.event,
    serves: hook.serves,
    label: hook.label,
    layer: hook.layer,
    path: hook.path,
    line: hook.line,
    handler: hook.handler,
    runs: hook.runs,
    definition: hook.definition,
    filter: hook.filter,
    timeout_ms: 0,
    on_failure: "open",
    on_failure_effect: "continues",
    guard: false,
    health: { state: "off", code: null, args: {}, at: null },
    rank: null,
    position: null,
    mode: "await",
    enabled: false,
    trusted: true,
    muted: false,
    muted_until: null,
    shadowed_by: null,
    wrapped: false,
    valid: true,
    attempts: 1,
    version: "",
    uid: "",
    accepts: [],
    verdicts: [],
    in_list: null,
    turnedOff: hook,
  };
}

/** Hooks in run order, and at the end of each group those that are turned off. */
export function withTurnedOff(
  hooks: readonly HookRow[],
  turnedOff: readonly TurnedOffHook[] | undefined,
  sources: readonly SourceRow[],
): HookRow[] {
  const inOrder = inRunOrder(hooks, sources);
  if (turnedOff === undefined || turnedOff.length === 0) return inOrder;
  const off = turnedOff.map(turnedOffRow);
  const groups = new Map<string, HookRow[]>();
  // A group of which everything is turned off gets the place that its dialect and layer have.
  for (const hook of inRunOrder([...hooks, ...off], sources)) groups.set(groupKey(hook, sources), []);
  for (const hook of [...inOrder, ...off]) groups.get(groupKey(hook, sources))?.push(hook);
  return [...groups.values()].flat();
}
