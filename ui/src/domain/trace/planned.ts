/** What would become of a step of an explanation, in the words of outcomes. */
import { failedGate } from "@/components";
import type { ExplainStep } from "@/ipc";

export function plannedOutcome(
  step: ExplainStep,
): "planned" | "not_matched" | "skipped" | "failed_open" | "failed_closed" {
  const failed = failedGate(step.gates);
  if (failed === undefined) return "planned";
  // What cannot start is started all the same, and fails.
  if (failed.gate === "starts")
    return step.would_fail === "blocks" || step.would_fail === "asks" ? "failed_closed" : "failed_open";
  return failed.gate === "filter" ? "not_matched" : "skipped";
}
