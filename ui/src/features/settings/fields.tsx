/** Controls bound to a setting, all in one form: a row. Texts are written when the field is left or Enter is pressed. */
import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useState } from "react";
import { Input, Switch, TextArea } from "@/components";
import { t } from "@/i18n";
import { asList, asText, useSetting } from "./setting";

interface SectionProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, children }: SectionProps) {
  return (
    <section className="flex flex-col gap-3 [&>h2+.dim]:-mt-2" aria-label={title}>
      <h2>{title}</h2>
      {about ? <p className="text-small dim wrap">{about}</p> : null}
      {children}
    </section>
  );
}

interface FieldIds {
  id: string;
  describedBy: string | undefined;
}

interface LineProps {
  label: string;
  about?: ReactNode;
  /** What is wrong with the value; stands in place of what the row is about. */
  error?: string | null;
  /** Undoes what was saved last; null where nothing was. */
  undo?: (() => void) | null;
  /** A control, or what makes one of the ids that join it to its label and its notes. */
  children: ReactNode | ((ids: FieldIds) => ReactNode);
}

/** A label with its explanation at the left, the control at the right. */
export function Line({ label, about, error, undo = null, children }: LineProps) {
  const id = useId();
  const note = error ?? about;
  const isField = typeof children === "function";
  return (
    <div className="flex items-center gap-4 min-h-row-2 py-2 border-b border-line-1 [&:has(textarea)]:items-start max-barred:flex-col max-barred:items-stretch max-barred:gap-1.5 max-barred:[&:has(.switch)]:flex-row max-barred:[&:has(.switch)]:items-center max-barred:[&:has(.switch)>.settings-words]:flex-1">
      <div className="settings-words flex-[1_1_220px] min-w-0 max-barred:flex-none">
        {isField ? (
          <label className="medium block" htmlFor={id}>
            {label}
          </label>
        ) : (
          <div className="medium">{label}</div>
        )}
        {note ? (
          <div className={error ? "field-note bad" : "field-note"} id={`${id}-note`} role={error ? "alert" : undefined}>
            {note}
          </div>
        ) : null}
        <div className="row field-note text-allow [&:not(:has(button))]:m-0">
          <span role="status">{undo === null ? null : t("settings.saved")}</span>
          {undo === null ? null : (
            <button type="button" className="link" onClick={undo}>
              {t("undo")}
            </button>
          )}
        </div>
      </div>
      <div className="flex-none w-70 flex justify-end [&>.input]:flex-1 [&>.input]:min-w-0 [&>.select]:flex-1 [&>.select]:min-w-0 [&>.area>textarea]:w-full [&>.segmented]:flex-none max-barred:w-auto max-barred:justify-start">
        {isField ? children({ id, describedBy: note ? `${id}-note` : undefined }) : children}
      </div>
    </div>
  );
}

/** A text being edited: follows the setting until a person types. */
function useDraft(value: string): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return [text, setText];
}

interface TextSettingProps {
  name: string;
  label: string;
  about?: string;
  placeholder?: string;
  /** What is wrong with a text, or null. */
  check?: (text: string) => string | null;
}

export function TextSetting({ check, ...props }: TextSettingProps) {
  const read = (text: string) => ({ value: text === "" ? null : text, wrong: check?.(text) ?? null });
  return <TypedSetting {...props} read={read} />;
}

interface NumberSettingProps {
  name: string;
  label: string;
  about?: string;
  unit: string;
  min: number;
}

export function NumberSetting({ min, ...props }: NumberSettingProps) {
  const read = (text: string) => {
    const number = Number(text);
    const valid = text === "" || (Number.isInteger(number) && number >= min);
    return { value: text === "" ? null : number, wrong: valid ? null : t("settings.invalidNumber", { min }) };
  };
  return <TypedSetting {...props} read={read} className="max-w-32 [&>input]:text-right" inputMode="numeric" />;
}

interface TypedSettingProps
  extends Pick<InputHTMLAttributes<HTMLInputElement>, "className" | "inputMode" | "placeholder"> {
  name: string;
  label: string;
  about?: string;
  unit?: string;
  /** What a text says, and what is wrong with it, or null. */
  read: (text: string) => { value: string | number | null; wrong: string | null };
}

/** One line that is typed. */
function TypedSetting({ name, label, about, read, ...input }: TypedSettingProps) {
  const { value, set, undo, refused, edited } = useSetting(name);
  const [text, setText] = useDraft(asText(value));
  const now = read(text.trim());
  const error = now.wrong ?? refused;
  const commit = () => {
    if (now.wrong === null) set(now.value);
  };
  return (
    <Line label={label} about={about} error={error} undo={undo}>
      {({ id, describedBy }) => (
        <Input
          {...input}
          id={id}
          aria-describedby={describedBy}
          mono
          value={text}
          invalid={error !== null}
          onChange={(event) => {
            edited();
            setText(event.target.value);
          }}
          onBlur={commit}
          onKeyDown={(event) => (event.key === "Enter" ? commit() : undefined)}
        />
      )}
    </Line>
  );
}

interface SwitchSettingProps {
  name: string;
  label: string;
  about?: string;
  /** What holds while the file does not say. */
  fallback: boolean;
}

export function SwitchSetting({ name, label, about, fallback }: SwitchSettingProps) {
  const { value, set, undo, refused } = useSetting(name);
  const on = typeof value === "boolean" ? value : fallback;
  return (
    <Line label={label} about={about} error={refused} undo={undo}>
      <Switch on={on} label={label} onChange={set} />
    </Line>
  );
}

/** A list of texts, one a line. */
export function ListSetting({ name, label, about }: { name: string; label: string; about: string }) {
  const { value, set, undo, refused, edited } = useSetting(name);
  const [text, setText] = useDraft(asList(value).join("\n"));
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return (
    <Line label={label} about={about} error={refused} undo={undo}>
      {({ id, describedBy }) => (
        <TextArea
          id={id}
          aria-describedby={describedBy}
          mono
          rows={Math.min(8, Math.max(2, lines.length + 1))}
          value={text}
          invalid={refused !== null}
          onChange={(event) => {
            edited();
            setText(event.target.value);
          }}
          onBlur={() => set(lines)}
        />
      )}
    </Line>
  );
}
