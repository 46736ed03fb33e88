/** A field of a form: its control, its consequence, and what is wrong with it, with the ways out. */
import { LockOpen, ShieldCheck } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Icon, InlineCode } from "@/components";
import { defaultOf } from "@/components/editor/definition/tree";
import { eventOf } from "@/domain/hooks/facts";
import { problemText } from "@/domain/hooks/problemText";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { DefinitionField, HookRow, Problem } from "@/ipc";
import { useDialect, useEventInfo } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import type { Draft } from "../source/drafts";
import { FilterControl } from "./FilterControl";
import { CONTROLS } from "./registry";
import { TimeLimit } from "./TimeLimit";
import type { FieldEdits } from "./useFieldEdits";
import { type Fix, fixesOf, hasEffect, stepsOf, type Values } from "./values";

interface FormFieldProps {
  field: DefinitionField;
  fields: readonly DefinitionField[];
  values: Values;
  problems: readonly [field: string, problem: Problem][];
  hook: HookRow;
  /** All hooks of the text, which a problem may name. */
  hooks: readonly HookRow[];
  draft: Draft;
  edits: FieldEdits;
}

/** Values with one control, to which the label belongs. */
const ONE_CONTROL: ReadonlySet<string> = new Set(["text", "command", "file", "pattern", "prompt", "event", "number"]);
const TONES = { error: "field-note bad", warning: "field-note warn", hint: "field-note" } as const;

export function FormField({ field, fields, values, problems, hook, hooks, draft, edits }: FormFieldProps) {
  const id = useId();
  const filters = useDialect(hook.dialect)?.filters ?? [];
  const isEventKnown = useEventInfo(hook.dialect, eventOf(hook)) !== undefined;
  const isCondition = isEventKnown && filters.some((filter) => filter.field === field.name);
  const Control = isCondition ? FilterControl : CONTROLS[field.value.form];
  const value = values[field.name] ?? undefined;
  const fallback = defaultOf(field, fields, values);
  const isFixed = field.role === "other_files" || Control === undefined;
  const worst = problems.some(([, one]) => one.severity === "error");
  const about =
    field.required && value === undefined ? `${t("form.required")} · ${textOf(field.about)}` : textOf(field.about);
  const note = isFixed
    ? t(field.role === "other_files" ? "form.otherFiles" : "form.notInForm")
    : hasEffect(field, fields, values)
      ? about
      : t("form.noEffect");
  return (
    <div
      className="grid grid-cols-[84px_minmax(0,1fr)] gap-2 items-start [&>label]:pt-1.5 [&>label]:text-ink-3 [&>span:first-child]:pt-1.5 [&>span:first-child]:text-ink-3"
      data-field={field.name}
    >
      {isFixed || (ONE_CONTROL.has(field.value.form) && !isCondition) ? (
        <label className="text-small" htmlFor={id}>
          {textOf(field.label)}
        </label>
      ) : (
        // Its controls are named by the group that they are in.
        <span className="text-small">{textOf(field.label)}</span>
      )}
      <div className="flex flex-col gap-1 min-w-0">
        <div className="flex items-center gap-2 min-h-7 min-w-0 flex-wrap [&>.input]:flex-[1_1_140px] [&>.input]:min-w-0 [&>.select]:flex-[1_1_140px] [&>.select]:min-w-0 [&>.form-group]:flex-[1_1_140px] [&>.form-group]:min-w-0 [&>.segmented]:flex-wrap [&>.segmented]:h-auto [&>.segmented]:max-w-full [&>.input.form-number]:flex-[0_0_96px] [&>.budget]:flex-[1_1_60px] [&>.budget]:min-w-15">
          {isFixed ? (
            <output id={id} className="mono text-small wrap py-1" aria-describedby={`${id}-note`}>
              {value === undefined
                ? t("none")
                : oneLine(typeof value === "string" ? value : JSON.stringify(value), 120)}
            </output>
          ) : (
            <Control
              field={field}
              name={field.name}
              id={id}
              describedBy={`${id}-note`}
              value={value}
              fallback={fallback}
              invalid={worst}
              hook={hook}
              draft={draft}
              onSteps={edits.apply}
              onChange={(next, inner) => edits.set(inner === undefined ? field.name : `${field.name}.${inner}`, next)}
            />
          )}
          <Consequence field={field} value={value ?? fallback} hook={hook} project={draft.project} />
        </div>
        <span id={`${id}-note`} className="field-note">
          <InlineCode text={note} />
        </span>
        {problems.map(([name, problem]) => (
          <FieldProblem
            key={`${name} ${problem.code} ${problem.message}`}
            problem={problem}
            hooks={hooks}
            fixes={fixesOf(problem, name, fields, values)}
            onFix={(fix) => edits.apply(stepsOf(fix))}
          />
        ))}
      </div>
    </div>
  );
}

/** What a value means for the agent, beside it. */
function Consequence({
  field,
  value,
  hook,
  project,
}: {
  field: DefinitionField;
  value: unknown;
  hook: HookRow;
  project: string;
}): ReactNode {
  if (field.role === "time_limit") {
    const unit = field.value.unit === "s" ? 1000 : 1;
    return typeof value === "number" && value > 0 ? (
      <TimeLimit project={project} hook={hook} limitMs={value * unit} />
    ) : null;
  }
  if (field.role !== "failure") return null;
  const effect = hook.on_failure_effect;
  const isOpen = effect === "continues";
  return (
    <span className={isOpen && hook.guard ? "row gap-1 text-small ink-fail" : "row gap-1 text-small ink-2"}>
      <Icon of={isOpen ? LockOpen : ShieldCheck} size={12} />
      {t(`words.ifFails.${effect}`)}
    </span>
  );
}

interface FieldProblemProps {
  problem: Problem;
  hooks: readonly HookRow[];
  fixes: readonly Fix[];
  onFix: (fix: Fix) => void;
}

export function FieldProblem({ problem, hooks, fixes, onFix }: FieldProblemProps) {
  const { title, advice } = problemText(hooks);
  const next = advice(problem);
  const says = (fix: Fix) =>
    fix.kind === "remove"
      ? t("form.removeField", { field: fix.text })
      : fix.kind === "rename"
        ? t("form.rename", { name: fix.text })
        : t("form.use", { value: fix.text });
  return (
    <p className={TONES[problem.severity]} role={problem.severity === "error" ? "alert" : undefined}>
      <InlineCode text={oneLine(title(problem))} />
      {next ? (
        <span className="block dim">
          <InlineCode text={oneLine(next)} />
        </span>
      ) : null}
      {fixes.length > 0 ? (
        <span className="row gap-3 mt-0.5 flex-wrap">
          {fixes.map((fix) => (
            <button key={says(fix)} type="button" className="link" onClick={() => onFix(fix)}>
              {says(fix)}
            </button>
          ))}
        </span>
      ) : null}
    </p>
  );
}
