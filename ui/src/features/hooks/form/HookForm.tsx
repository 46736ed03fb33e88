/** A hook as a form beside its text. Everything in it comes from the schema of the dialect. */

import { FlaskConical } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, Note, Skeleton } from "@/components";
import { hookFields } from "@/components/editor/definition/tree";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { type Definition, type DefinitionField, type HookRow, type Problem, useCall } from "@/ipc";
import { oneLine } from "@/lib/escape";
import type { Draft } from "../source/drafts";
import type { TextCheck } from "../source/useTextCheck";
import { FieldProblem, FormField } from "./FormField";
import TestUnsaved from "./TestUnsaved";
import { useFieldEdits } from "./useFieldEdits";
import { fieldOf, fixesOf, hookAtLine, shownFields, stepsOf, type Values, valuesOf } from "./values";

interface HookFormProps {
  draft: Draft;
  check: TextCheck;
  /** The line of the cursor, from 1. */
  line: number;
}

/** The schema of a dialect's hook files; undefined while it is loaded. */
export function useDefinition(dialect: string): Definition | undefined {
  return useCall("definitions", {}).data?.definitions.find((one) => one.dialect === dialect);
}

const ENDINGS = { yaml: /\.ya?ml$/i, json: /\.json$/i, front_matter: /\.md$/i };

/** Whether a file is one that the schema describes, and not a program that defines hooks. */
export function isDefinitionFile(path: string, definition: Definition | undefined): boolean {
  return definition !== undefined && ENDINGS[definition.format].test(path);
}

export function HookForm({ draft, check, line }: HookFormProps) {
  const definition = useDefinition(draft.dialect);
  const { doc } = check;
  const [shown, setShown] = useState<string | null>(null);
  // Lines are only known of the text that was checked.
  useEffect(() => {
    if (!check.waiting && doc !== null) setShown(hookAtLine(doc.lines, line));
  }, [check.waiting, doc, line]);
  const hook = doc?.hooks.find((one) => one.hook === shown);
  if (definition === undefined || doc === null) return <Skeleton rows={6} height={36} what={t("form.loading")} />;
  if (!doc.parses) return <p className="pad-16 text-small dim">{t("form.broken")}</p>;
  if (hook === undefined) return <p className="pad-16 text-small dim">{t("form.noHook")}</p>;
  return <Fields key={hook.hook} draft={draft} check={check} definition={definition} hook={hook} />;
}

interface FieldsProps {
  draft: Draft;
  check: TextCheck;
  definition: Definition;
  hook: HookRow;
}

/** The problems of a hook, by the field that they are about. */
function useProblems(check: TextCheck, hook: HookRow, fields: readonly DefinitionField[]) {
  return useMemo(() => {
    const lines = check.doc?.lines.find((one) => one.hook === hook.hook);
    const byField = new Map<string, [string, Problem][]>();
    const rest: [string | null, Problem][] = [];
    for (const problem of check.doc?.problems ?? []) {
      if (problem.hook !== hook.hook) continue;
      const name = fieldOf(problem, lines);
      const first = name?.split(".")[0] ?? "";
      if (name !== null && fields.some((field) => field.name === first)) {
        byField.set(first, [...(byField.get(first) ?? []), [name, problem]]);
      } else rest.push([name, problem]);
    }
    return { byField, rest };
  }, [check.doc, hook.hook, fields]);
}

const NO_PROBLEMS: [string, Problem][] = [];
const NO_HOOKS: readonly HookRow[] = [];

function Fields({ draft, check, definition, hook }: FieldsProps) {
  const edits = useFieldEdits(draft, hook.hook, check);
  const hooks = check.doc?.hooks ?? NO_HOOKS;
  const [isTesting, setTesting] = useState(false);
  const own = hookFields(definition.root);
  const outside = definition.outside.filter((field) => field.role !== "other_files");
  const fields = useMemo(() => [...outside, ...own], [outside, own]);
  const values: Values = useMemo(() => valuesOf(hook, outside, edits.typed), [hook, outside, edits.typed]);
  const { byField, rest } = useProblems(check, hook, fields);
  const isEventField = own.some((field) => field.value.form === "event" || field.value.form === "events");
  return (
    <section className="flex flex-col gap-3 py-3 px-4" aria-label={t("form.of", { hook: oneLine(hook.label, 40) })}>
      {edits.refusal !== null ? (
        <Note kind="error" className="flat">
          {faultText(edits.refusal).message}
        </Note>
      ) : null}
      {isEventField ? null : (
        <div className="grid grid-cols-[84px_minmax(0,1fr)] gap-2 items-start [&>label]:pt-1.5 [&>label]:text-ink-3 [&>span:first-child]:pt-1.5 [&>span:first-child]:text-ink-3">
          <span className="text-small dim">{t("form.event")}</span>
          <div className="flex flex-col gap-1 min-w-0">
            <span className="mono text-small">{hook.event}</span>
            <span className="field-note">{t("form.eventFixed")}</span>
          </div>
        </div>
      )}
      {shownFields(fields, values).map((field) => (
        <FormField
          key={field.name}
          field={field}
          fields={fields}
          values={values}
          problems={byField.get(field.name) ?? NO_PROBLEMS}
          hook={hook}
          hooks={hooks}
          draft={draft}
          edits={edits}
        />
      ))}
      {rest.map(([name, problem]) => (
        <FieldProblem
          key={`${problem.code} ${problem.message}`}
          problem={problem}
          hooks={hooks}
          fixes={name === null ? [] : fixesOf(problem, name, fields, values)}
          onFix={(fix) => edits.apply(stepsOf(fix))}
        />
      ))}
      <span>
        <Button size="small" icon={FlaskConical} onClick={() => setTesting(true)}>
          {t("form.test")}
        </Button>
      </span>
      {isTesting ? <TestUnsaved draft={draft} hook={hook} onClose={() => setTesting(false)} /> : null}
    </section>
  );
}
