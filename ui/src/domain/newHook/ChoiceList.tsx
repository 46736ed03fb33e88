/** One of many, each with more than a word: arrow keys move, and the list scrolls. */
import { RadioGroup } from "radix-ui";
import type { ReactNode } from "react";

interface ChoiceListProps {
  label: string;
  items: readonly { value: string; label: ReactNode }[];
  value: string;
  onChange: (value: string) => void;
  /** Said where there is nothing to choose. */
  empty: string;
}

export function ChoiceList({ label, items, value, onChange, empty }: ChoiceListProps) {
  if (items.length === 0) return <p className="text-small dim">{empty}</p>;
  return (
    <RadioGroup.Root className="choice-list scroll" aria-label={label} value={value} onValueChange={onChange}>
      {items.map((item) => (
        <RadioGroup.Item key={item.value} value={item.value} className="choice-row">
          {item.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
