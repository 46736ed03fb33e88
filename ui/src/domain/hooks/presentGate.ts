/** A check of a hook as it would decide now: what was recorded was decided by the files of its time. */
import { type Gate, type HookRow, type Payload, useCall } from "@/ipc";
import { idAt } from "./facts";

interface Subject {
  hook: HookRow;
  event: string;
  payload: Payload;
  project: string;
}

/** Undefined while it is on its way, and without a name. */
export function usePresentGate(
  name: Gate["gate"] | null,
  { hook, event, payload, project }: Subject,
): Gate | undefined {
  const now = useCall("explain", { project, dialect: hook.dialect, event, payload }, { enabled: name !== null });
  const step = now.data?.steps.find((one) => one.hook === idAt(hook, event) || one.hook === hook.hook);
  return step?.gates.find((gate) => gate.gate === name);
}
