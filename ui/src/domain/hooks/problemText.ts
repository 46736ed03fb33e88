/** A problem as its own sentence: hooks by their labels, the first letter large. */
import { useCallback, useMemo } from "react";
import { useMessages } from "@/i18n/messages";
import type { HookRow, Problem } from "@/ipc";
import { capitalizeFirst, oneLine } from "@/lib/escape";

export interface ProblemText {
  title(problem: Problem): string;
  advice(problem: Problem): string | null;
}

export function useProblemText(hooks: readonly HookRow[]): ProblemText {
  const { say, hint } = useMessages();
  const labels = useMemo(() => new Map(hooks.map((hook) => [hook.hook, oneLine(hook.label, 60)])), [hooks]);
  const title = useCallback(
    (problem: Problem) =>
      capitalizeFirst(say(problem, problem.message, labels), [
        ...Object.values(problem.args ?? {}),
        ...labels.values(),
      ]),
    [say, labels],
  );
  const advice = useCallback(
    (problem: Problem) => {
      const text = hint(problem, problem.hint, labels);
      return text === null ? null : capitalizeFirst(text, [...labels.values()]);
    },
    [hint, labels],
  );
  return useMemo(() => ({ title, advice }), [title, advice]);
}
