/** One of many: a list box up to eight choices, with a search above. */

import { Check, ChevronsUpDown, type LucideIcon } from "lucide-react";
import { Popover, Select as Radix } from "radix-ui";
import { useId, useState } from "react";
import { Icon } from "./Icon";
import { InertPage } from "./InertPage";
import SearchList from "./SearchList";

export interface Option<V extends string> {
  value: V;
  label: string;
  /** Machine names stay in the mono face. */
  mono?: boolean;
  about?: string;
  disabledBecause?: string;
}

export interface SelectProps<V extends string> {
  label: string;
  id?: string;
  icon?: LucideIcon;
  options: readonly Option<V>[];
  value: V;
  onChange: (value: V) => void;
}

const SEARCH_ABOVE = 8;

export function Select<V extends string>(props: SelectProps<V>) {
  return props.options.length > SEARCH_ABOVE ? <SearchSelect {...props} /> : <ListSelect {...props} />;
}

function ListSelect<V extends string>({ label, id, icon, options, value, onChange }: SelectProps<V>) {
  const [open, setOpen] = useState(false);
  const chosen = options.find((option) => option.value === value);
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as V)} open={open} onOpenChange={setOpen}>
      <Radix.Trigger id={id} className="select" aria-label={label}>
        {icon ? <Icon of={icon} size={14} /> : null}
        <span className={chosen?.mono ? "mono" : undefined}>
          <Radix.Value>{chosen?.label ?? value}</Radix.Value>
        </span>
        <Icon of={ChevronsUpDown} size={12} className="dim" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="popover select-list" position="popper" align="start" sideOffset={4} data-float>
          {/* Radix draws the content of a closed list too, out of sight. */}
          {open ? <InertPage /> : null}
          <Radix.Viewport>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                className="popover-item"
                disabled={Boolean(option.disabledBecause)}
              >
                <span className="grow">
                  {/* All that is drawn, because the item is named by it. */}
                  <Radix.ItemText>
                    <span className={option.mono ? "mono" : undefined}>{option.label}</span>
                    {(option.disabledBecause ?? option.about) ? (
                      <span className="dim text-tiny"> {option.disabledBecause ?? option.about}</span>
                    ) : null}
                  </Radix.ItemText>
                </span>
                <Radix.ItemIndicator>
                  <Icon of={Check} size={14} />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function SearchSelect<V extends string>({ label, id, icon, options, value, onChange }: SelectProps<V>) {
  const [open, setOpen] = useState(false);
  const listId = useId();
  const chosen = options.find((option) => option.value === value);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          id={id}
          className="select"
          role="combobox"
          aria-label={label}
          aria-haspopup="listbox"
          aria-expanded={open}
          aria-controls={open ? listId : undefined}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
            event.preventDefault();
            setOpen(true);
          }}
        >
          {icon ? <Icon of={icon} size={14} /> : null}
          <span className={chosen?.mono ? "mono" : undefined}>{chosen?.label ?? value}</span>
          <Icon of={ChevronsUpDown} size={12} className="dim" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover select-list" id={listId} align="start" sideOffset={4} collisionPadding={8}>
          <SearchList
            label={label}
            options={options}
            value={value}
            onPick={(picked) => {
              setOpen(false);
              if (picked !== value) onChange(picked as V);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
