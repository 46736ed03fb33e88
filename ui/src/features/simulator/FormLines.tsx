/** One field of the form: a label and its control, which tells of a change when the typing pauses or ends. */

import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { Button, Field, Input, type Option, Select, TextArea } from "@/components";
import { t } from "@/i18n";
import { useLatest } from "@/lib/useLatest";

const PAUSE_MS = 500;

/** The fields on show, each telling what was typed. */
const fields = new Set<() => void>();

/** Tells everything that was typed, without waiting for a pause. */
export function tellTyped(): void {
  for (const tell of fields) tell();
}

/** A text that is told after a pause and when the field loses the focus. */
function useTyped(value: string, onChange: (value: string) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  const latestRef = useLatest({ typed, value, onChange });
  const told = useRef<string | null>(null);
  const tell = useCallback(() => {
    const now = latestRef.current;
    if (now.typed === null || now.typed === now.value || now.typed === told.current) return;
    told.current = now.typed;
    now.onChange(now.typed);
  }, [latestRef]);
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(tell, PAUSE_MS);
    fields.add(tell);
    return () => {
      clearTimeout(timer);
      fields.delete(tell);
    };
  }, [typed, tell]);
  return {
    value: typed ?? value,
    onChange: (next: string) => setTyped(next),
    onBlur: () => {
      tell();
      told.current = null;
      setTyped(null);
    },
  };
}

interface TextLineProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  hint?: string;
  warning?: string | null;
  area?: boolean;
  mono?: boolean;
}

export function TextLine({ label, value, onChange, placeholder, hint, warning, area, mono }: TextLineProps) {
  const typed = useTyped(value, onChange);
  const rows = Math.min(8, Math.max(2, typed.value.split("\n").length));
  return (
    <Field label={label} hint={hint} warning={warning}>
      {({ id, describedBy }) => {
        const props = { id, "aria-describedby": describedBy, placeholder, value: typed.value, onBlur: typed.onBlur };
        return area ? (
          <TextArea {...props} mono={mono} rows={rows} onChange={(event) => typed.onChange(event.target.value)} />
        ) : (
          <Input {...props} mono={mono} onChange={(event) => typed.onChange(event.target.value)} />
        );
      }}
    </Field>
  );
}

interface SelectLineProps {
  label: string;
  value: string;
  options: readonly Option<string>[];
  onChange: (value: string) => void;
}

export function SelectLine({ label, value, options, onChange }: SelectLineProps) {
  return (
    <Field label={label}>
      {({ id }) => <Select id={id} label={label} value={value} options={options} onChange={onChange} />}
    </Field>
  );
}

interface PlaceButtonsProps {
  /** Appends of what the buttons are to their words. */
  of: (what: string) => string;
  index: number;
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** Up, down and away, for an item of a list. */
export function PlaceButtons({ of, index, count, onMove, onRemove }: PlaceButtonsProps) {
  const props = { kind: "ghost", size: "small" } as const;
  return (
    <span className="row gap-0">
      {index > 0 ? (
        <Button {...props} icon={ArrowUp} label={of(t("simulator.edit.up"))} onClick={() => onMove(index - 1)} />
      ) : null}
      {index < count - 1 ? (
        <Button {...props} icon={ArrowDown} label={of(t("simulator.edit.down"))} onClick={() => onMove(index + 1)} />
      ) : null}
      <Button {...props} icon={Trash2} label={of(t("simulator.edit.remove"))} onClick={onRemove} />
    </span>
  );
}
