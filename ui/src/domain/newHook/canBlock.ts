import type { EventInfo, VerdictKind } from "@/ipc";

/** The verdicts with which the agent continues. */
const CONTINUES: ReadonlySet<VerdictKind> = new Set(["proceed", "approve", "respond"]);

/** Whether hooks can block events of this kind. */
export function canBlock(event: EventInfo | undefined): boolean {
  return event !== undefined && !event.notify_only && event.verdicts.some((verdict) => !CONTINUES.has(verdict));
}
