/** The guard against a recorded event: its condition and script can be changed and tried before anything is written. */
import { FlaskConical, Square } from "lucide-react";
import { useState } from "react";
import { Button, CodePane, FaultNote, Field, InlineCode, Input, Note, TextArea } from "@/components";
import { matchText } from "@/domain/hooks/HistoryMatch";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { type GuardDraft, useCall, useCommand } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { capitalizeFirst } from "@/lib/escape";
import { AddConfirm, type WayProps } from "./AddConfirm";
import { conditionIn, withCondition } from "./condition";
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
      form={<GuardFormFields form={form} guard={guard} recorded={recorded} project={props.project} />}
      doLabel={t("newHook.add")}
    />
  );
}

/** What was changed of the draft, and the request that follows. */
function useGuardForm(project: string, { dialect, event }: RecordedEvent, guard: GuardDraft) {
  const info = useDialect(dialect);
  const layers = info?.shelves ?? [];
  const [wanted, setLayer] = useState("project");
  const [script, setScript] = useState(guard.script.text);
  const field = info?.filters.map((one) => one.field).find((name) => conditionIn(guard.definition, name) !== undefined);
  const [condition, setCondition] = useState(() => (field && conditionIn(guard.definition, field)) ?? "");
  const layer = layers.includes(wanted) ? wanted : (layers[0] ?? "project");
  const definition = field === undefined ? guard.definition : withCondition(guard.definition, field, condition);
  const files = [{ ...guard.script, text: script }];
  const request = { project, dialect, event, layer, definition, files };
  return { layers, layer, setLayer, script, setScript, field, condition, setCondition, definition, files, request };
}

type GuardForm = ReturnType<typeof useGuardForm>;
type FieldsProps = { form: GuardForm; guard: GuardDraft; recorded: RecordedEvent; project: string };

function GuardFormFields({ form, guard, recorded, project }: FieldsProps) {
  const value = typeof guard.value === "string" ? guard.value : JSON.stringify(guard.value, null, 2);
  return (
    <form
      className="flex flex-col gap-3 p-4 [&_.segmented]:self-start [&_.segmented]:max-w-full [&_.segmented]:overflow-x-auto [&_textarea]:whitespace-pre [&_textarea]:overflow-x-auto max-paired:overflow-visible scroll"
      onSubmit={(submitted) => submitted.preventDefault()}
    >
      <div className="field">
        <span className="field-label">
          <InlineCode text={t("newHook.blocks", { event: recorded.event, field: guard.field })} />
        </span>
        <CodePane label={guard.field} value={value.slice(0, SHOWN)} language="text" />
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
      <Field label={t("newHook.field.script")} hint={t("newHook.scriptAt", { path: guard.script.path })}>
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
      <Try form={form} recorded={recorded} />
    </form>
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
  return (
    <div className="field">
      <span>
        <Button size="small" icon={FlaskConical} busy={trying.isPending} onClick={start}>
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
      {trying.data ? <VerdictBanner trace={trying.data} /> : null}
    </div>
  );
}
