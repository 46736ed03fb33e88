/** Whether the hooks of an event are still those that a trace is of: a result of other hooks is not the present one. */
import { didRun } from "@/components";
import { listensTo } from "@/domain/hooks/facts";
import type { HookRow, Step, Trace } from "@/ipc";

/** Whether a hook is another one now, or would be left out where it ran, or the other way round. */
function isOther(step: Step, row: HookRow | undefined): boolean {
  if (row === undefined) return true;
  // Old traces do not have the version.
  if (step.version && step.version !== row.version) return true;
  const isInForce = row.valid && row.trusted && row.enabled && !row.muted;
  if (didRun(step)) return !isInForce;
  if (step.reason === "untrusted") return row.trusted;
  return step.reason === "muted" && !row.muted;
}

/** `hooks` are those of the project of the trace, as they are now. */
export function hooksChanged(trace: Trace, hooks: readonly HookRow[]): boolean {
  // What an agent registered for its session is in no file.
  const inFiles = ({ layer }: { layer: HookRow["layer"] }) => layer !== "session";
  const rows = new Map(
    hooks
      .filter((row) => row.dialect === trace.dialect && listensTo(row, trace.event) && inFiles(row))
      .map((row) => [row.hook, row]),
  );
  const steps = trace.steps.filter(({ source }) => inFiles(source));
  const known = new Set(steps.map(({ hook }) => hook));
  return steps.some((step) => isOther(step, rows.get(step.hook))) || [...rows.keys()].some((hook) => !known.has(hook));
}
