/** One of few, one of many, yes or no, numbers. */
import { Input, Segmented, Select, Switch } from "@/components";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { ChoiceInfo } from "@/ipc";
import type { ControlProps } from "./registry";

/** So many choices stand side by side. */
const SEGMENTS = 4;

/** The choices that are offered, and the present value where it is another one. */
function offered(
  choices: readonly ChoiceInfo[],
  value: unknown,
): { value: string; label: ChoiceInfo["label"] | null }[] {
  const shown = choices.filter((choice) => choice.label.en !== "");
  if (typeof value !== "string" || shown.some((choice) => choice.value === value)) return shown;
  return [...shown, { value, label: null }];
}

export function ChoiceControl({ field, value, fallback, onChange }: ControlProps) {
  const now = typeof value === "string" ? value : String(fallback ?? "");
  const options = offered(field.value.choices, now === "" ? undefined : now).map((choice) => {
    const text = choice.label === null ? "" : textOf(choice.label);
    return {
      value: choice.value,
      label: text === "" || text === choice.value ? choice.value : `${text} · ${choice.value}`,
    };
  });
  const label = textOf(field.label);
  return options.length <= SEGMENTS ? (
    <Segmented label={label} items={options} value={now} onChange={onChange} />
  ) : (
    <Select label={label} options={options} value={now} onChange={onChange} />
  );
}

export function EventControl({ field, id, value, onChange }: ControlProps) {
  const now = typeof value === "string" ? value : "";
  const options = offered(field.value.choices, now).map((choice) => ({
    value: choice.value,
    label: choice.value,
    mono: true,
    about: choice.label === null ? undefined : textOf(choice.label),
  }));
  return <Select id={id} label={textOf(field.label)} options={options} value={now} onChange={onChange} />;
}

/** Several events, each with its own box. */
export function EventsControl({ field, id, describedBy, value, onChange }: ControlProps) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  const known = field.value.choices.map((choice) => choice.value);
  const all = [...known, ...chosen.filter((one) => one !== "" && !known.includes(one))];
  const change = (event: string, on: boolean) => {
    const next = on ? [...chosen, event] : chosen.filter((one) => one !== event);
    onChange(next.length === 0 ? undefined : next);
  };
  return (
    <fieldset
      id={id}
      className="form-group border-0 m-0 p-0 flex flex-wrap gap-y-1 gap-x-3"
      aria-label={textOf(field.label)}
      aria-describedby={describedBy}
    >
      {all.map((event) => (
        <label key={event} className="row gap-1 text-small">
          <input
            type="checkbox"
            className="w-3.5 h-3.5 [accent-color:var(--accent)]"
            checked={chosen.includes(event)}
            onChange={(input) => change(event, input.target.checked)}
          />
          <span className="mono">{event}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function FlagControl({ field, value, fallback, onChange }: ControlProps) {
  const on = (value ?? fallback) === true;
  return (
    <span className="row">
      <Switch on={on} label={textOf(field.label)} onChange={onChange} />
      <span className="text-small dim">{on ? t("form.on") : t("form.off")}</span>
    </span>
  );
}

export function NumberControl({ field, id, describedBy, value, fallback, invalid, onChange }: ControlProps) {
  const { unit, least, most, fractions } = field.value;
  const text = value === undefined || value === null ? "" : String(value);
  return (
    <Input
      id={id}
      className="form-number"
      mono
      inputMode={fractions ? "decimal" : "numeric"}
      unit={unit ?? undefined}
      aria-describedby={describedBy}
      invalid={invalid}
      placeholder={fallback === undefined ? undefined : String(fallback)}
      data-least={least ?? undefined}
      data-most={most ?? undefined}
      value={text}
      onChange={(event) => {
        const typed = event.target.value.trim();
        const number = Number(typed);
        // What is no number stays as it was typed, so that the check can say so.
        onChange(typed === "" ? undefined : Number.isFinite(number) ? number : typed);
      }}
    />
  );
}
