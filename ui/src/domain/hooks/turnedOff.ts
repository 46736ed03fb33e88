/** Hooks that are turned off for the agent: they are in no file, and the engine keeps their definitions. */
import type { HookGroup, HookRow, HooksDocument, TurnedOffHook } from "@/ipc";
import { hooksOfGroup } from "./facts";

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
    group: hook.group,
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

/** The hooks of these groups, and behind those of their event the ones that are turned off. */
export function withTurnedOff(document: HooksDocument, groups: readonly HookGroup[]): HookRow[] {
  const off = (document.turned_off ?? []).map(turnedOffRow);
  return groups.flatMap((group) => {
    const rows = hooksOfGroup(document, group);
    for (const one of off.filter((hook) => hook.group === group.group)) {
      const last = rows.findLastIndex(({ event }) => event === one.event);
      rows.splice(last < 0 ? rows.length : last + 1, 0, one);
    }
    return rows;
  });
}
