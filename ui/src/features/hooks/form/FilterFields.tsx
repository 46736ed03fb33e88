/** A condition as plain fields, one for each key of its mapping. */
import { Field, Input } from "@/components";
import { textOf } from "@/i18n/text";
import type { ControlProps } from "./registry";

export function FilterFields({ field, value, onChange }: ControlProps) {
  const parts = value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  const change = (name: string, text: string) => {
    if (text !== "") return onChange(text, name);
    const others = Object.entries(parts).filter(([key, part]) => key !== name && part !== undefined);
    // An empty condition is removed with its last part.
    return others.length === 0 ? onChange(undefined) : onChange(undefined, name);
  };
  return (
    <fieldset className="form-group border-0 m-0 p-0 column gap-2" aria-label={textOf(field.label)}>
      {field.value.fields.map((part) => (
        <Field key={part.name} label={textOf(part.label)} hint={textOf(part.about)}>
          {({ id, describedBy }) => (
            <Input
              id={id}
              mono
              aria-describedby={describedBy}
              value={typeof parts[part.name] === "string" ? String(parts[part.name]) : ""}
              onChange={(event) => change(part.name, event.target.value)}
            />
          )}
        </Field>
      ))}
    </fieldset>
  );
}
