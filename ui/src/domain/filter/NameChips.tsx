/** Names as chips, with a field for the next one. What is being typed counts as a name at once. */
import { X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { Icon } from "@/components";
import { t } from "@/i18n";
import { oneLine } from "@/lib/escape";

interface NameChipsProps {
  label: string;
  names: readonly string[];
  onChange: (names: string[]) => void;
  /** Whether any text is a name; otherwise only what is suggested. */
  free: boolean;
  bad?: boolean;
}

export function NameChips({ label, names, onChange, free, bad }: NameChipsProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  // The last name is the one in the field, unless somebody else changed the names.
  const isTyping = typed !== "" && names.at(-1) === typed.trim();
  const chips = isTyping ? names.slice(0, -1) : names;
  const type = (text: string) => {
    const parts = text.split(/[|,]/);
    const rest = parts.pop() ?? "";
    const done = parts.map((part) => part.trim()).filter((part) => part !== "");
    setTyped(rest);
    const next = rest.trim();
    onChange([...chips, ...done, ...(next === "" ? [] : [next])]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && isTyping) {
      setTyped("");
      event.preventDefault();
    } else if (event.key === "Backspace" && typed === "" && chips.length > 0) {
      onChange(chips.slice(0, -1));
      event.preventDefault();
    }
  };
  return (
    <span className="flex-1 min-w-0 flex flex-wrap items-center gap-1 @max-[360px]:order-1 @max-[360px]:basis-full [&>.variable.row]:inline-flex [&_.chip-x]:border-0 [&_.chip-x]:bg-transparent [&_.chip-x]:text-inherit">
      {chips.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same name may be there twice
        <span key={`${name} ${index}`} className={bad ? "variable bad row gap-1" : "variable row gap-1"}>
          {oneLine(name, 60)}
          <button
            type="button"
            className="chip-x"
            aria-label={t("filter.remove", { name: oneLine(name, 60) })}
            onClick={() => onChange(chips.filter((_, at) => at !== index))}
          >
            <Icon of={X} size={12} />
          </button>
        </span>
      ))}
      {free ? (
        <input
          id={id}
          className="mono h-6 px-1.5 border-0 rounded-1 bg-transparent text-ink-1 text-sm/[inherit] flex-1 min-w-20 [&::placeholder]:text-ink-3"
          aria-label={label}
          placeholder={t("filter.addName")}
          autoComplete="off"
          spellCheck={false}
          value={isTyping ? typed : ""}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
      ) : null}
    </span>
  );
}
