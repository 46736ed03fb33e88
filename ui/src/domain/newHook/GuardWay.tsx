/** The guard against a recorded event: its condition and script can be changed and tried before anything is written. */
import { FlaskConical, Square } from "lucide-react";
import { useState } from "react";
import { Button, CodePane, FaultNote, Field, InlineCode, Input, Note, Segmented, TextArea } from "@/components";
import { matchText } from "@/domain/hooks/HistoryMatch";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { type GuardDraft, useCall, useCommand } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { capitalizeFirst } from "@/lib/escape";
import { AddConfirm, type WayProps } from "./AddConfirm";
import { conditionIn, withCondition } from "./condition";
import {
  isName,
  nameIn,
  patternOf,
  plainOf,
  type Rule,
  renamed,
  ruleOf,
  TESTS,
  type Test,
  withName,
  withRule,
} from "./guardScript";
import { LayerField } from "./LayerField";
import type { RecordedEvent } from "./newHook";

/** A value of more characters is shown by its beginning. */
const SHOWN = 2000;

type GuardWayProps = WayProps & { recorded: RecordedEvent; guard: GuardDraft };

export function GuardWay({ recorded, guard, ...props }: GuardWayProps) {
  const form = useGuardForm(props.project, recorded, guard);
  return (
    <AddConfirm
      {...props}
      method="edit.add"
      request={form.request}
      form={
        <div className="flex flex-col min-h-0">
          <GuardFormFields form={form} guard={guard} recorded={recorded} project={props.project} />
          <Try form={form} recorded={recorded} />
        </div>
      }
      doLabel={t("newHook.add")}
    />
  );
}

/** What was changed of the draft, and the request that follows. */
function useGuardForm(project: string, { dialect, event }: RecordedEvent, guard: GuardDraft) {
  const info = useDialect(dialect);
  const layers = info?.shelves ?? [];
  const [wanted, setLayer] = useState("project");
  const [text, setScript] = useState(guard.script.text);
  const drafted = nameIn(guard.script.path);
  const [name, setName] = useState(drafted ?? "");
  const field = info?.filters.map((one) => one.field).find((name) => conditionIn(guard.definition, name) !== undefined);
  const [condition, setCondition] = useState(() => (field && conditionIn(guard.definition, field)) ?? "");
  const layer = layers.includes(wanted) ? wanted : (layers[0] ?? "project");
  const conditioned = field === undefined ? guard.definition : withCondition(guard.definition, field, condition);
  const definition = renamed(conditioned, drafted, name);
  const path = renamed(guard.script.path, drafted, name);
  const script = drafted === null ? text : withName(text, name);
  const files = [{ ...guard.script, path, text: script }];
  const isNamed = drafted === null || isName(name);
  const request = isNamed ? { project, dialect, event, layer, definition, files } : null;
  return {
    ...{ layers, layer, setLayer, script, setScript, field, condition, setCondition, definition, files, request },
    /** Null where the file has no name of its own. */
    name: drafted === null ? null : name,
    setName,
    isNamed,
    path,
  };
}

type GuardForm = ReturnType<typeof useGuardForm>;
type FieldsProps = { form: GuardForm; guard: GuardDraft; recorded: RecordedEvent; project: string };

function GuardFormFields({ form, guard, recorded, project }: FieldsProps) {
  const value = JSON.stringify(guard.value, null, 2);
  const rule = ruleOf(form.script);
  return (
    <form
      className="flex-1 min-h-0 flex flex-col gap-3 p-4 [&_.segmented]:self-start [&_.segmented]:max-w-full [&_.segmented]:overflow-x-auto [&_textarea]:whitespace-pre [&_textarea]:overflow-x-auto max-paired:overflow-visible scroll"
      onSubmit={(submitted) => submitted.preventDefault()}
    >
      <div className="field">
        <span className="field-label">
          <InlineCode text={t("newHook.blocks", { event: recorded.event, field: guard.field })} />
        </span>
        {rule !== null ? (
          <RuleFields
            rule={rule}
            label={guard.field}
            onChange={(next) => form.setScript(withRule(form.script, next))}
          />
        ) : typeof guard.value === "string" ? (
          <span className="text-small ink-2">{t("newHook.ownTest")}</span>
        ) : (
          <>
            <span className="text-small">{t("newHook.test.is")}</span>
            <CodePane label={guard.field} value={value.slice(0, SHOWN)} language="text" />
          </>
        )}
        {guard.masked ? (
          <Note kind="warning" className="flat">
            {t("newHook.masked")}
          </Note>
        ) : null}
      </div>
      {form.field === undefined ? null : (
        <Field label={t("newHook.condition")} hint={<Matches form={form} recorded={recorded} project={project} />}>
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              mono
              value={form.condition}
              onChange={(changed) => form.setCondition(changed.target.value)}
            />
          )}
        </Field>
      )}
      <LayerField layers={form.layers} value={form.layer} onChange={form.setLayer} />
      {form.name === null ? null : (
        <Field label={t("newHook.field.name")} error={form.isNamed ? null : t("newHook.nameSigns")}>
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              mono
              value={form.name ?? ""}
              invalid={!form.isNamed}
              onChange={(changed) => form.setName(changed.target.value)}
            />
          )}
        </Field>
      )}
      <Field label={t("newHook.field.script")} hint={t("newHook.scriptAt", { path: form.path })}>
        {({ id, describedBy }) => (
          <TextArea
            id={id}
            aria-describedby={describedBy}
            mono
            rows={14}
            value={form.script}
            onChange={(changed) => form.setScript(changed.target.value)}
          />
        )}
      </Field>
    </form>
  );
}

interface RuleFieldsProps {
  rule: Rule;
  /** The field that is compared. */
  label: string;
  onChange: (rule: Rule) => void;
}

/** How the value is compared, and with what. A pattern begins as one that finds the same text. */
function RuleFields({ rule, label, onChange }: RuleFieldsProps) {
  const choose = (test: Test) => {
    const plain = rule.test === "pattern" ? plainOf(rule.value) : rule.value;
    if (test !== rule.test) onChange({ test, value: test === "pattern" ? patternOf(plain) : plain });
  };
  return (
    <>
      <Segmented<Test>
        label={t("newHook.testLabel")}
        value={rule.test}
        onChange={choose}
        items={TESTS.map((value) => ({ value, label: t(`newHook.test.${value}`) }))}
      />
      <TextArea
        mono
        aria-label={label}
        rows={3}
        value={rule.value}
        onChange={(changed) => onChange({ ...rule, value: changed.target.value })}
      />
      {rule.test === "pattern" ? <span className="field-note">{t("newHook.patternHint")}</span> : null}
    </>
  );
}

/** How many of the last events the condition would match. */
function Matches({ form, recorded, project }: Pick<FieldsProps, "form" | "recorded" | "project">) {
  const { dialect, event } = recorded;
  const { data, error } = useCall(
    "history.match",
    { project, dialect, event, definition: form.definition },
    { keepPrevious: true },
  );
  if (error !== null) return <span className="bad">{capitalizeFirst(faultText(error).message)}</span>;
  if (data === undefined) return <span>…</span>;
  if (data.looked_at === 0) return <span>{t("matches.none", { event })}</span>;
  return <span>{matchText(data)}</span>;
}

/** Fires the recorded event at the hook as it is in the form. */
function Try({ form, recorded }: { form: GuardForm; recorded: RecordedEvent }) {
  const trying = useCommand("hooks.try");
  const stopping = useCommand("fire.stop");
  const [run, setRun] = useState("");
  const { definition, files } = form;
  const start = () => {
    const next = crypto.randomUUID();
    setRun(next);
    trying.mutate({ run: next, ...recorded, definition, files });
  };
  const tried = trying.variables;
  const isOutdated = JSON.stringify([tried?.definition, tried?.files]) !== JSON.stringify([definition, files]);
  return (
    <div className="field flex-none border-t border-line-2 p-4">
      <span>
        <Button
          size="small"
          icon={FlaskConical}
          busy={trying.isPending}
          disabledBecause={form.isNamed ? null : t("newHook.nameSigns")}
          onClick={start}
        >
          {t("newHook.try")}
        </Button>
        {trying.isPending ? (
          <Button size="small" icon={Square} onClick={() => stopping.mutate({ run })}>
            {t("fire.stop")}
          </Button>
        ) : null}
      </span>
      <span className="field-note">{t("newHook.tryAbout")}</span>
      {trying.error ? <FaultNote fault={trying.error} /> : null}
      {trying.data ? <VerdictBanner trace={trying.data} outdated={isOutdated} small /> : null}
    </div>
  );
}
