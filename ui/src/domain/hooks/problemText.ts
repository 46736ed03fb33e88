/** A problem as its own sentence: hooks by their labels, the first letter large. */
import { hintOf, say } from "@/i18n/messages";
import type { HookRow, Problem } from "@/ipc";
import { capitalizeFirst, oneLine } from "@/lib/escape";

export interface ProblemText {
  title(problem: Problem): string;
  advice(problem: Problem): string | null;
}

export function problemText(hooks: readonly HookRow[]): ProblemText {
  const labels = new Map(hooks.map((hook) => [hook.hook, oneLine(hook.label, 60)]));
  return {
    title: (problem) =>
      capitalizeFirst(say(problem, problem.message, labels), [
        ...Object.values(problem.args ?? {}),
        ...labels.values(),
      ]),
    advice(problem) {
      const text = hintOf(problem, problem.hint, labels);
      return text === null ? null : capitalizeFirst(text, [...labels.values()]);
    },
  };
}
