/** Texts, lists of texts and variables. */
import { Plus, X } from "lucide-react";
import { Button, Input, TextArea } from "@/components";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { ControlProps } from "./registry";

/** An optional text that is emptied is removed. */
function written(text: string, isRequired: boolean): string | undefined {
  return text === "" && !isRequired ? undefined : text;
}

export function TextControl({ field, id, describedBy, value, fallback, invalid, onChange }: ControlProps) {
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  const shared = {
    id,
    "aria-describedby": describedBy,
    invalid,
    value: text,
    placeholder: fallback === undefined ? undefined : String(fallback),
    onChange: (event: { target: { value: string } }) => onChange(written(event.target.value, field.required)),
  };
  const { form } = field.value;
  if (form === "prompt" || text.includes("\n")) {
    return <TextArea {...shared} mono rows={Math.min(16, Math.max(4, text.split("\n").length))} />;
  }
  return <Input {...shared} mono={form !== "text" || field.role === "key"} />;
}

/** A list of texts, each in its own line. */
export function LinesControl({ field, id, describedBy, value, invalid, onChange }: ControlProps) {
  const items = Array.isArray(value) ? value.map(String) : [];
  const label = textOf(field.label);
  const change = (next: string[]) => onChange(next.length === 0 && !field.required ? undefined : next);
  return (
    <fieldset
      className="form-group border-0 m-0 p-0 column gap-1"
      id={id}
      aria-label={label}
      aria-describedby={describedBy}
    >
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place
        <span key={index} className="row gap-1">
          <Input
            mono
            className="grow"
            invalid={invalid}
            aria-label={t("form.item", { label, place: index + 1 })}
            value={item}
            onChange={(event) => change(items.map((one, at) => (at === index ? event.target.value : one)))}
          />
          <Button
            kind="ghost"
            size="small"
            icon={X}
            label={t("form.removeItem", { place: index + 1 })}
            onClick={() => change(items.filter((_, at) => at !== index))}
          />
        </span>
      ))}
      <span>
        <Button size="small" kind="ghost" icon={Plus} onClick={() => change([...items, ""])}>
          {t("form.addItem")}
        </Button>
      </span>
    </fieldset>
  );
}

/** Names and values. */
export function VariablesControl({ field, id, describedBy, value, onChange }: ControlProps) {
  const label = textOf(field.label);
  const entries = value !== null && typeof value === "object" ? Object.entries(value) : [];
  const change = (next: [string, unknown][]) => onChange(next.length === 0 ? undefined : Object.fromEntries(next));
  return (
    <fieldset
      className="form-group border-0 m-0 p-0 column gap-1"
      id={id}
      aria-label={label}
      aria-describedby={describedBy}
    >
      {entries.map(([name, text], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a variable is its place while its name is typed
        <span key={index} className="row gap-1">
          <Input
            mono
            aria-label={t("form.variable", { place: index + 1 })}
            value={name}
            onChange={(event) => change(entries.map((one, at) => (at === index ? [event.target.value, text] : one)))}
          />
          <Input
            mono
            className="grow"
            aria-label={t("form.variableValue", { place: index + 1 })}
            value={String(text)}
            onChange={(event) => change(entries.map((one, at) => (at === index ? [name, event.target.value] : one)))}
          />
          <Button
            kind="ghost"
            size="small"
            icon={X}
            label={t("form.removeField", { field: name })}
            onClick={() => change(entries.filter((_, at) => at !== index))}
          />
        </span>
      ))}
      <span>
        <Button
          size="small"
          kind="ghost"
          icon={Plus}
          disabledBecause={entries.some(([name]) => name === "") ? t("form.variable", { place: entries.length }) : null}
          onClick={() => change([...entries, ["", ""]])}
        >
          {t("form.addVariable")}
        </Button>
      </span>
    </fieldset>
  );
}
