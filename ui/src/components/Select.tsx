import { Check, ChevronsUpDown, type LucideIcon, Search } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./Icon";

export interface Option<V extends string> {
  value: V;
  label: string;
  /** Machine names stay in the mono face. */
  mono?: boolean;
  about?: string;
  disabledBecause?: string;
}

interface SelectProps<V extends string> {
  label: string;
  id?: string;
  icon?: LucideIcon;
  options: readonly Option<V>[];
  value: V;
  onChange: (value: V) => void;
}

const SEARCH_ABOVE = 8;

/** One of many; searchable above 8 items. */
export function Select<V extends string>({ label, id, icon, options, value, onChange }: SelectProps<V>) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const chosen = options.find((option) => option.value === value);
  const wanted = query.trim().toLowerCase();
  const found = options.filter((option) => !wanted || `${option.label} ${option.value}`.toLowerCase().includes(wanted));
  const searchable = options.length > SEARCH_ABOVE;

  useEffect(() => {
    if (!open) return;
    setQuery("");
    setAt(
      Math.max(
        0,
        options.findIndex((option) => option.value === value),
      ),
    );
  }, [open, options, value]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const pick = (option: Option<V> | undefined) => {
    if (option === undefined || option.disabledBecause) return;
    setOpen(false);
    if (option.value !== value) onChange(option.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = found.length - 1;
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, last));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Home" && !searchable) setAt(0);
    else if (event.key === "End" && !searchable) setAt(last);
    else if (event.key === "Enter" || (event.key === " " && !searchable)) pick(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          id={id}
          className="select"
          role="combobox"
          aria-label={label}
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
        <Popover.Content
          className="popover"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          style={{ width: "var(--radix-popover-trigger-width)" }}
          onKeyDown={onKeyDown}
        >
          {searchable ? (
            <div className="input">
              <Icon of={Search} size={14} className="dim" />
              <input
                // biome-ignore lint/a11y/noAutofocus: the list was just opened to pick from
                autoFocus
                value={query}
                placeholder={t("search")}
                aria-label={t("search")}
                onChange={(event) => {
                  setQuery(event.target.value);
                  setAt(0);
                }}
              />
            </div>
          ) : null}
          <div ref={list} role="listbox" id={listId} aria-label={label} data-float tabIndex={-1}>
            {found.map((option, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the list
              <div
                key={option.value}
                role="option"
                className="popover-item"
                aria-selected={index === at}
                aria-disabled={option.disabledBecause ? true : undefined}
                data-disabled={option.disabledBecause ? "" : undefined}
                title={option.disabledBecause}
                onPointerMove={() => setAt(index)}
                onClick={() => pick(option)}
              >
                <span className="grow">
                  <span className={option.mono ? "mono" : undefined}>{option.label}</span>
                  {option.about ? <span className="dim text-tiny"> {option.about}</span> : null}
                </span>
                {option.value === value ? <Icon of={Check} size={14} /> : null}
              </div>
            ))}
            {found.length === 0 ? <div className="popover-heading">{t("noneFound")}</div> : null}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
