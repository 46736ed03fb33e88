/** Segmented and Tabs: one of few, with arrow keys. */
import { RadioGroup, Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Tooltip } from "./Tooltip";

export interface Choice<V extends string> {
  value: V;
  label: ReactNode;
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
    <RadioGroup.Root
      className="segmented"
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => onChange(next as V)}
    >
      {items.map((item) => (
        <RadioGroup.Item key={item.value} value={item.value} className={item.value === value ? "on" : ""}>
          {item.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}

interface TabsProps<V extends string> extends Omit<SegmentedProps<V>, "items"> {
  /** A tab without content says why. */
  items: readonly (Choice<V> & { disabledBecause?: string | undefined })[];
  /** Joins tabs and `TabPanel`. */
  id: string;
}

/** The tabs only; `TabPanel` with the same `id` holds what they show, wherever on the screen that is. */
export function Tabs<V extends string>({ id, label, items, value, onChange }: TabsProps<V>) {
  // A tab without content is reached like the others, so that it can say why; it is not chosen.
  const choose = (next: string) => {
    if (items.some((item) => item.value === next && item.disabledBecause === undefined)) onChange(next as V);
  };
  return (
    <Radix.Root className="tabs-root" value={value} onValueChange={choose}>
      <Radix.List className="tabs" aria-label={label}>
        {items.map((item) => {
          const on = item.value === value;
          return (
            <Tooltip key={item.value} text={item.disabledBecause}>
              <Radix.Trigger
                value={item.value}
                id={`${id}-${item.value}-tab`}
                aria-controls={on ? `${id}-panel` : undefined}
                aria-disabled={item.disabledBecause !== undefined || undefined}
                className={on ? "on" : ""}
              >
                {item.label}
              </Radix.Trigger>
            </Tooltip>
          );
        })}
      </Radix.List>
    </Radix.Root>
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
