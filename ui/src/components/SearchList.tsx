import { Command } from "cmdk";
import { Check, Search } from "lucide-react";
import { t } from "@/i18n";
import { Icon } from "./Icon";
import type { Option } from "./Select";

interface SearchListProps {
  label: string;
  options: readonly Option<string>[];
  value: string;
  onPick: (value: string) => void;
}

/** Choices with a search above them. The chosen one is highlighted first. */
export default function SearchList({ label, options, value, onPick }: SearchListProps) {
  return (
    <Command label={t("search")} loop defaultValue={value}>
      <div className="input">
        <Icon of={Search} size={14} className="dim" />
        <Command.Input autoFocus placeholder={t("search")} />
      </div>
      <Command.List label={label} data-float>
        <Command.Empty className="popover-heading">{t("noneFound")}</Command.Empty>
        {options.map((option) => (
          <Command.Item
            key={option.value}
            value={option.value}
            keywords={[option.label]}
            className="popover-item"
            disabled={Boolean(option.disabledBecause)}
            onSelect={() => onPick(option.value)}
          >
            <span className="grow">
              <span className={option.mono ? "mono" : undefined}>{option.label}</span>
              {(option.disabledBecause ?? option.about) ? (
                <span className="dim text-tiny"> {option.disabledBecause ?? option.about}</span>
              ) : null}
            </span>
            {option.value === value ? <Icon of={Check} size={14} /> : null}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
