/** The texts that hooks inserted into the message list, in the order in which they did. */
import type { Step, Trace } from "@/ipc";
import { type Lifetime, lifetimeOf } from "./lifetimes";

/** Index of the trace and of the step among those that inserted. */
export type InsertionId = string;

export interface Insertion {
  id: InsertionId;
  /** Index of the trace. */
  trace: number;
  hookId: string;
  /** What the hook is called. */
  hook: string;
  lifetime: Lifetime;
  /** Nothing takes it out, and it comes back with the history. */
  persistent: boolean;
  /** The call that took it out; null while it is there. */
  by: string | null;
}

export function insertionsOf(traces: readonly Trace[]): Insertion[] {
  return traces.flatMap((trace, index) => {
    const lifetime = lifetimeOf(trace.event);
    if (lifetime === null) return [];
    const inserting = trace.steps.filter((step) => step.edits.some(({ field }) => field === "messages"));
    return inserting.map((step, at) => ({
      id: `${index} ${at}`,
      trace: index,
      hookId: step.hook,
      hook: step.label,
      lifetime,
      persistent: isPersistent(trace, step),
      by: step.removed?.[0]?.by ?? null,
    }));
  });
}

/** Whether the reply hands the text of this step to the front end. */
function isPersistent(trace: Trace, step: Step): boolean {
  const { persist } = (trace.reply.json ?? {}) as { persist?: unknown };
  return Array.isArray(persist) && persist.some((one: { name?: unknown }) => one?.name === step.label);
}
