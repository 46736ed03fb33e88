/** The conflicts of a project, each with its hooks and, where it is safe, with a change that ends it. */
import { ArrowUpToLine, Trash2 } from "lucide-react";
import { Button, DialectTag, Empty, InlineCode } from "@/components";
import { FileFixes } from "@/domain/hooks/FileFixes";
import { isEditable, locationOf } from "@/domain/hooks/facts";
import { problemText } from "@/domain/hooks/problemText";
import { t } from "@/i18n";
import type { HookRow, HooksDocument } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import type { Edits } from "../edits";
import type { Conflict } from "./lanes";

interface ConflictsProps {
  conflicts: readonly Conflict[];
  document: HooksDocument;
  project: string;
  edits: Edits;
  /** Shows the row of a hook. */
  onHook: (hook: string, event: string) => void;
}

export function Conflicts({ conflicts, document, project, edits, onHook }: ConflictsProps) {
  const { title, advice } = problemText(document.hooks);
  if (conflicts.length === 0) return <Empty title={t("order.noConflicts")} text={t("order.noConflict")} />;
  return (
    <>
      <div className="pane-head">
        <h2>{t("order.count", { count: conflicts.length })}</h2>
      </div>
      <ul
        className="m-0 p-0 [&>li]:grid [&>li]:gap-2 [&>li]:[justify-items:start] [&>li>.row]:w-full [&>li>.row]:min-w-0 pane-body scroll"
        aria-label={t("order.conflicts")}
      >
        {conflicts.map((conflict) => {
          const { problem, hook, other } = conflict;
          const next = advice(problem);
          return (
            <li key={`${problem.code} ${hook.hook} ${problem.line} ${problem.column}`} className="section">
              <div className="text-tiny dim grid grid-cols-[auto_minmax(0,1fr)] gap-y-0.5 gap-x-1.5 w-full wrap-anywhere [&>:last-child]:col-span-full">
                <DialectTag dialect={hook.dialect} />
                <span className="mono">{hook.event}</span>
                <span className="mono">{locationOf(problem, shortPath(problem.path, project))}</span>
              </div>
              <p className="text-small medium">
                <InlineCode text={oneLine(title(problem))} />
              </p>
              {next ? (
                <p className="text-small ink-2">
                  <InlineCode text={oneLine(next)} />
                </p>
              ) : null}
              <div className="row flex-wrap gap-3">
                {[hook, other].map((one) =>
                  one === null ? null : (
                    <button
                      key={one.hook}
                      type="button"
                      className="link text-small"
                      onClick={() => onHook(one.hook, hook.event)}
                    >
                      {oneLine(one.label, 40)}
                    </button>
                  ),
                )}
              </div>
              <SafeFix conflict={conflict} edits={edits} />
              <FileFixes fixes={problem.fixes} hook={problem.hook} hooks={document.hooks} project={project} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What ends the conflict without a further question: it is one edit, with Undo. */
function SafeFix({ conflict: { problem, hook }, edits }: { conflict: Conflict; edits: Edits }) {
  const dialects = useDialects();
  const editable = (one: HookRow) =>
    isEditable(
      one,
      dialects.find(({ id }) => id === one.dialect),
    );
  if (!editable(hook)) return null;
  switch (problem.code) {
    case "duplicate_hook":
      return (
        <Button size="small" icon={Trash2} onClick={() => edits.remove(hook)}>
          {t("order.removeThis", { hook: oneLine(hook.label, 40) })}
        </Button>
      );
    case "unreachable":
    case "drops_changes":
      return (hook.in_list?.place ?? 1) > 1 ? (
        <Button size="small" icon={ArrowUpToLine} onClick={() => edits.move(hook, 1)}>
          {t("order.moveToFront", { hook: oneLine(hook.label, 40) })}
        </Button>
      ) : null;
    default:
      return null;
  }
}
