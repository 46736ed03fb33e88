/** The problems of a text that is not saved: what, what next, and where. */
import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { Icon, InlineCode } from "@/components";
import { t } from "@/i18n";
import type { HookRow, Problem } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { problemText } from "./problemText";

const LOOKS: Record<Problem["severity"], [colour: string, icon: LucideIcon]> = {
  error: ["ink-deny", CircleX],
  warning: ["ink-late", TriangleAlert],
  hint: ["ink-accent", Info],
};
const ORDER = ["error", "warning", "hint"] as const;

interface ProblemListProps {
  problems: readonly Problem[];
  /** The hooks that sentences may name. */
  hooks: readonly HookRow[];
  /** Goes to the place of a problem; without it places are not shown. */
  onPlace?: (problem: Problem) => void;
}

export function ProblemList({ problems, hooks, onPlace }: ProblemListProps) {
  const { title, advice } = problemText(hooks);
  const sorted = [...problems].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return (
    <ul
      className="[&>li]:flex [&>li]:gap-2 [&>li]:py-1.5 [&>li]:px-3 [&>li]:border-t [&>li]:border-line-1 [&>li]:text-sm [&>li:first-child]:border-t-0 [&_.icon]:mt-px [&_.link]:self-start [&_.link]:min-w-6 [&_.link]:min-h-6 [&_.link]:text-right"
      aria-label={t("hooks.problem.table")}
    >
      {sorted.map((problem) => {
        const [colour, icon] = LOOKS[problem.severity];
        const next = advice(problem);
        return (
          <li key={`${problem.code} ${problem.line} ${problem.column} ${problem.message}`}>
            <span className={colour}>
              <Icon of={icon} size={14} />
              <span className="visually-hidden">{t(`words.severity.${problem.severity}`)}</span>
            </span>
            <span className="grow wrap">
              <span className="block">
                <InlineCode text={oneLine(title(problem))} />
              </span>
              {next ? (
                <span className="block dim">
                  <InlineCode text={oneLine(next)} />
                </span>
              ) : null}
            </span>
            {onPlace && problem.line !== null ? (
              <button
                type="button"
                className="link mono"
                aria-label={t("editor.goToLine", { line: placeOf(problem) })}
                onClick={() => onPlace(problem)}
              >
                {placeOf(problem)}
              </button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

/** `22:15` */
function placeOf({ line, column }: Problem): string {
  return [line, column].filter((part) => part !== null).join(":");
}

/** How many problems of each kind, in their marks. */
export function ProblemCounts({ problems }: { problems: readonly Problem[] }) {
  return ORDER.map((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    if (count === 0) return null;
    const [colour, icon] = LOOKS[severity];
    return (
      <span key={severity} className={`row gap-1 text-tiny ${colour}`}>
        <Icon of={icon} size={12} />
        <span className="visually-hidden">{t(`words.severity.${severity}`)}</span>
        {count}
      </span>
    );
  });
}
