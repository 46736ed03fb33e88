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
    <RadioGroup.Root
      className="flex flex-[1_0_220px] flex-col overflow-y-auto border border-line-1 rounded-2 scroll"
      aria-label={label}
      value={value}
      onValueChange={onChange}
    >
      {items.map((item) => (
        <RadioGroup.Item
          key={item.value}
          value={item.value}
          className="flex flex-none flex-col gap-0.5 min-w-0 py-2 px-3 text-left [&[data-state='checked']]:bg-sel"
        >
          {item.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
