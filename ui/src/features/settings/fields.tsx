/** Controls bound to a setting. Texts are written when the field is left or Enter is pressed. */
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field, Input, Switch, TextArea } from "@/components";
import { asList, asText, useSetting } from "./setting";

interface SectionProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, children }: SectionProps) {
  return (
    <section className="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {about ? <p className="text-small dim wrap">{about}</p> : null}
      {children}
    </section>
  );
}

interface LineProps {
  label: string;
  about?: ReactNode;
  children: ReactNode;
}

/** A label with its explanation at the left, the control at the right. */
export function Line({ label, about, children }: LineProps) {
  return (
    <div className="settings-line">
      <div className="grow">
        <div className="medium">{label}</div>
        {about ? <div className="field-note">{about}</div> : null}
      </div>
      {children}
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
  hint?: string;
  placeholder?: string;
  /** What is wrong with a text, or null. */
  check?: (text: string) => string | null;
}

export function TextSetting({ name, label, hint, placeholder, check }: TextSettingProps) {
  const { value, set } = useSetting(name);
  const [text, setText] = useDraft(asText(value));
  const error = check?.(text.trim()) ?? null;
  const commit = () => {
    if (error === null) set(text.trim() === "" ? null : text.trim());
  };
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, describedBy }) => (
        <Input
          id={id}
          aria-describedby={describedBy}
          mono
          value={text}
          placeholder={placeholder}
          invalid={error !== null}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => (event.key === "Enter" ? commit() : undefined)}
        />
      )}
    </Field>
  );
}

interface NumberSettingProps {
  name: string;
  label: string;
  about?: string;
  unit: string;
  min: number;
}

export function NumberSetting({ name, label, about, unit, min }: NumberSettingProps) {
  const { t } = useTranslation();
  const { value, set } = useSetting(name);
  const [text, setText] = useDraft(asText(value));
  const number = Number(text);
  const valid = text.trim() === "" || (Number.isInteger(number) && number >= min);
  const commit = () => {
    if (valid) set(text.trim() === "" ? null : number);
  };
  return (
    <Line
      label={label}
      about={valid ? about : <span className="ink-deny">{t("settings.invalidNumber", { min })}</span>}
    >
      <Input
        className="settings-number"
        aria-label={label}
        inputMode="numeric"
        mono
        unit={unit}
        value={text}
        invalid={!valid}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => (event.key === "Enter" ? commit() : undefined)}
      />
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
  const { value, set } = useSetting(name);
  const on = typeof value === "boolean" ? value : fallback;
  return (
    <Line label={label} about={about}>
      <Switch on={on} label={label} onChange={set} />
    </Line>
  );
}

/** A list of texts, one a line. */
export function ListSetting({ name, label, hint }: { name: string; label: string; hint: string }) {
  const { value, set } = useSetting(name);
  const [text, setText] = useDraft(asList(value).join("\n"));
  const commit = () =>
    set(
      text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
    );
  return (
    <Field label={label} hint={hint}>
      {({ id, describedBy }) => (
        <TextArea
          id={id}
          aria-describedby={describedBy}
          mono
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
        />
      )}
    </Field>
  );
}
