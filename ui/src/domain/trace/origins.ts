/** Where the problems of a hook's output come from, in its files as they are now. */
import { useProject } from "@/domain/project";
import { type Reply, type Step, useCall } from "@/ipc";

export type ProblemOrigin = Reply<"output.origins">["origins"][number];

/** An attempt of a recorded step. */
export interface RecordedAttempt {
  trace: string;
  /** As they stand in the trace, from 0. */
  step: number;
  attempt: number;
}

/** An attempt of a step of a trace, by its index; the last one for -1. */
export function recordedAttempt(
  trace: { trace: string; steps: readonly Step[] } | undefined,
  step: Step,
  attempt: number,
): RecordedAttempt | undefined {
  const index = trace?.steps.findIndex(({ hook }) => hook === step.hook) ?? -1;
  if (trace === undefined || index < 0) return undefined;
  return { trace: trace.trace, step: index, attempt: attempt < 0 ? step.attempts.length - 1 : attempt };
}

/** By the index of the problem. Empty while they are not known, and of what is not recorded. */
export function useOrigins(
  recorded: RecordedAttempt | undefined,
  hasProblems: boolean,
): ReadonlyMap<number, ProblemOrigin> {
  const project = useProject() ?? "";
  const { data } = useCall(
    "output.origins",
    { project, trace: recorded?.trace ?? "" },
    { enabled: recorded !== undefined && hasProblems && project !== "" },
  );
  const own = (data?.origins ?? []).filter(
    ({ step, attempt }) => step === recorded?.step && attempt === recorded.attempt,
  );
  return new Map(own.map((origin) => [origin.problem, origin]));
}
