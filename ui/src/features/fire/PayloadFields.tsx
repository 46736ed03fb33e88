/** The payload as fields. JSON inside a string is opened, and written back as a string. */
import { X } from "lucide-react";
import { useState } from "react";
import { Button, Cut, Input, Menu, Switch, TextArea } from "@/components";
import { t } from "@/i18n";
import type { EventInfo } from "@/ipc";
import { isNested, readExactly, toJson, WrittenNumber } from "@/lib/exactJson";

type Fields = Record<string, unknown>;

interface PayloadFieldsProps {
  /** One JSON object. */
  text: string;
  event: EventInfo | undefined;
  onChange: (text: string) => void;
}

export function PayloadFields({ text, event, onChange }: PayloadFieldsProps) {
  const fields = readExactly(text) as Fields;
  const missing = (event?.fields ?? []).filter(({ name }) => !Object.hasOwn(fields, name));
  const change = (next: Fields) => onChange(toJson(next, 2));
  return (
    <div className="flex flex-col gap-3 py-3 px-3 overflow-y-auto">
      <FieldsOf value={fields} path="" onChange={change} />
      {missing.length > 0 ? (
        <Menu
          items={missing.map(({ name, kind }) => ({
            label: name,
            run: () => change({ ...fields, [name]: EMPTY[kind] ?? "" }),
          }))}
        >
          <button type="button" className="link self-start row gap-1 text-small">
            {t("fire.fields.add")}
          </button>
        </Menu>
      ) : null}
    </div>
  );
}

/** What a new field of a kind begins with. */
const EMPTY: Readonly<Record<string, unknown>> = { messages: [], list: [], object: {}, flag: false, number: 0 };

interface FieldsOfProps {
  value: Fields;
  /** Dotted, of the object; empty for the payload itself. */
  path: string;
  onChange: (value: Fields) => void;
}

function FieldsOf({ value, path, onChange }: FieldsOfProps) {
  return Object.entries(value).map(([name, one]) => (
    <OneField
      key={name}
      name={name}
      path={path === "" ? name : `${path}.${name}`}
      value={one}
      onChange={(next) => onChange({ ...value, [name]: next })}
      onRemove={() => onChange(Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)))}
    />
  ));
}

interface OneFieldProps {
  name: string;
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
  onRemove: () => void;
}

function OneField({ name, path, value, onChange, onRemove }: OneFieldProps) {
  const inner = typeof value === "string" ? openedJson(value) : null;
  const object = inner ?? (isNested(value) && !Array.isArray(value) ? (value as Fields) : null);
  return (
    <div className="flex flex-col gap-1 min-w-0 group">
      <div className="row min-h-5">
        <Cut className="mono text-ink-2" text={path}>
          {name}
        </Cut>
        {inner === null ? null : <span className="text-small dim">{t("fire.fields.inString")}</span>}
        <span className="spacer" />
        <span className="opacity-0 group-hover:opacity-100 focus-within:opacity-100">
          <Button
            kind="ghost"
            size="small"
            icon={X}
            label={t("fire.fields.remove", { name: path })}
            onClick={onRemove}
          />
        </span>
      </div>
      {object === null ? (
        <Value path={path} value={value} onChange={onChange} />
      ) : (
        <div className="flex flex-col gap-3 pl-3 border-l border-line-2">
          <FieldsOf value={object} path={path} onChange={(next) => onChange(inner === null ? next : toJson(next))} />
        </div>
      )}
    </div>
  );
}

/** The object that the text of a field is; null for any other text. */
function openedJson(text: string): Fields | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return readExactly(text) as Fields;
  } catch {
    return null;
  }
}

interface ValueProps {
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Value({ path, value, onChange }: ValueProps) {
  if (typeof value === "boolean") return <Switch on={value} label={path} onChange={onChange} />;
  if (typeof value === "string") {
    return (
      <TextArea
        mono
        aria-label={path}
        className="compact"
        rows={Math.min(12, Math.max(1, linesOf(value)))}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return <JsonValue key={path} path={path} value={value} onChange={onChange} />;
}

/** How many letters about stand on a line of a field. */
const LETTERS = 36;
const linesOf = (text: string) =>
  text.split("\n").reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LETTERS)), 0);

/** A number, a list or nothing: as JSON, taken over while it is JSON. */
function JsonValue({ path, value, onChange }: ValueProps) {
  const written = toJson(value, 2);
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft ?? written;
  const type = (text: string) => {
    try {
      onChange(readExactly(text));
      setDraft(null);
    } catch {
      setDraft(text);
    }
  };
  const props = {
    "aria-label": path,
    mono: true,
    invalid: draft !== null,
    value: shown,
    onBlur: () => setDraft(null),
  };
  if (typeof value === "number" || value instanceof WrittenNumber || value === null) {
    return <Input {...props} onChange={(event) => type(event.target.value)} />;
  }
  return (
    <TextArea
      {...props}
      className="compact"
      rows={Math.min(12, linesOf(shown))}
      onChange={(event) => type(event.target.value)}
    />
  );
}
