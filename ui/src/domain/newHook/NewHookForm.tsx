import { InlineCode, Input, Field as Labelled, Segmented, Select, TextArea } from "@/components";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { TemplateField, TemplateKind } from "@/ipc";
import { LayerField } from "./LayerField";
import type { NewHookFormState } from "./useNewHookForm";

/** Fields of several lines. */
const ROWS: Partial<Record<TemplateField, number>> = { command: 6, prompt: 6, script: 12, text: 6 };

export function NewHookForm({ form }: { form: NewHookFormState }) {
  const { dialect, event, template } = form;
  return (
    <form
      className="flex flex-col gap-3 p-4 [&_.segmented]:self-start [&_.segmented]:max-w-full [&_.segmented]:overflow-x-auto [&_textarea]:whitespace-pre [&_textarea]:overflow-x-auto max-paired:overflow-visible scroll"
      onSubmit={(submitted) => submitted.preventDefault()}
    >
      <Labelled label={t("newHook.dialect")} hint={dialect ? textOf(dialect.about) : null}>
        {({ id }) => (
          <Select
            id={id}
            label={t("newHook.dialect")}
            value={dialect?.id ?? ""}
            options={form.dialects.map((one) => ({ value: one.id, label: one.name }))}
            onChange={form.setDialect}
          />
        )}
      </Labelled>
      <Labelled label={t("newHook.event")} hint={event ? textOf(event.about) : null}>
        {({ id }) => (
          <Select
            id={id}
            label={t("newHook.event")}
            value={event?.name ?? ""}
            options={(dialect?.events ?? []).map((one) => ({ value: one.name, label: one.name, mono: true }))}
            onChange={form.setEvent}
          />
        )}
      </Labelled>
      <LayerField layers={dialect?.shelves ?? []} value={form.layer} onChange={form.setLayer} />
      {template ? (
        <div className="field">
          <span className="field-label">{t("newHook.kind")}</span>
          <Segmented<TemplateKind>
            label={t("newHook.kind")}
            value={template.kind}
            onChange={form.setKind}
            items={form.templates.map(({ kind }) => ({ value: kind, label: t(`newHook.template.${kind}`) }))}
          />
          <span className="field-note">
            {t(`newHook.templateAbout.${template.kind}`)}
            {"on_error" in template.definition ? (
              <>
                {" "}
                <InlineCode text={t("newHook.onError")} />
              </>
            ) : null}
          </span>
        </div>
      ) : null}
      {form.fields.map(({ field, value }) => (
        <Labelled
          key={field}
          label={t(`newHook.field.${field}`)}
          hint={field === "tool" ? t("newHook.toolHint") : null}
        >
          {({ id, describedBy }) =>
            ROWS[field] === undefined ? (
              <Input
                id={id}
                aria-describedby={describedBy}
                mono={field !== "description"}
                value={value}
                onChange={(changed) => form.setField(field, changed.target.value)}
              />
            ) : (
              <TextArea
                id={id}
                aria-describedby={describedBy}
                mono
                rows={ROWS[field]}
                value={value}
                onChange={(changed) => form.setField(field, changed.target.value)}
              />
            )
          }
        </Labelled>
      ))}
    </form>
  );
}
