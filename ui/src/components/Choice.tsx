/** Segmented and Tabs: one of few, with arrow keys. */
import { type KeyboardEvent, type ReactNode, useRef } from "react";

export interface Choice<V extends string> {
  value: V;
  label: ReactNode;
  disabledBecause?: string;
}

function moveOn<V extends string>(
  event: KeyboardEvent<HTMLElement>,
  items: readonly Choice<V>[],
  value: V,
  onChange: (value: V) => void,
): void {
  const at = items.findIndex((item) => item.value === value);
  const last = items.length - 1;
  const to =
    event.key === "ArrowRight"
      ? Math.min(at + 1, last)
      : event.key === "ArrowLeft"
        ? Math.max(at - 1, 0)
        : event.key === "Home"
          ? 0
          : event.key === "End"
            ? last
            : -1;
  const next = items[to];
  if (next === undefined) return;
  event.preventDefault();
  onChange(next.value);
  const buttons = event.currentTarget.querySelectorAll<HTMLButtonElement>("button");
  buttons[to]?.focus();
}

interface SegmentedProps<V extends string> {
  label: string;
  items: readonly Choice<V>[];
  value: V;
  onChange: (value: V) => void;
}

/** Two to five short choices. */
export function Segmented<V extends string>({ label, items, value, onChange }: SegmentedProps<V>) {
  return (
    <div
      className="segmented"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => moveOn(event, items, value, onChange)}
    >
      {items.map((item) => (
        // biome-ignore lint/a11y/useSemanticElements: a segment is drawn as a button
        <button
          key={item.value}
          type="button"
          role="radio"
          aria-checked={item.value === value}
          tabIndex={item.value === value ? 0 : -1}
          className={item.value === value ? "on" : ""}
          onClick={() => onChange(item.value)}
        >
          {item.label}
        </button>
      ))}
    </div>
  );
}

interface TabsProps<V extends string> extends SegmentedProps<V> {
  /** Joins tabs and `TabPanel`. */
  id: string;
}

/** The tabs only; `TabPanel` with the same `id` holds what they show. */
export function Tabs<V extends string>({ id, label, items, value, onChange }: TabsProps<V>) {
  const list = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={list}
      className="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => moveOn(event, items, value, onChange)}
    >
      {items.map((item) => {
        const on = item.value === value;
        return (
          <button
            key={item.value}
            type="button"
            role="tab"
            id={`${id}-${item.value}-tab`}
            aria-selected={on}
            aria-controls={on ? `${id}-panel` : undefined}
            tabIndex={on ? 0 : -1}
            className={on ? "on" : ""}
            onClick={() => onChange(item.value)}
          >
            {item.label}
          </button>
        );
      })}
    </div>
  );
}

interface TabPanelProps {
  id: string;
  value: string;
  className?: string;
  /** It scrolls what has nothing to focus in it, so the keys that scroll need the panel itself. */
  scrolls?: boolean;
  children: ReactNode;
}

export function TabPanel({ id, value, className, scrolls = false, children }: TabPanelProps) {
  return (
    <div
      role="tabpanel"
      id={`${id}-panel`}
      aria-labelledby={`${id}-${value}-tab`}
      className={className}
      tabIndex={scrolls ? 0 : undefined}
    >
      {children}
    </div>
  );
}
