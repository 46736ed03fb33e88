import { Command } from "cmdk";
import { Search, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type Ref, useRef, useState } from "react";
import { useTranslation } from "@/i18n";
import { Icon } from "./Icon";
import { Tooltip } from "./Tooltip";

export interface Token {
  /** Null for a bare word. */
  field: string | null;
  value: string;
  negated?: boolean;
  /** What is wrong with it, if anything. */
  problem?: string;
}

/** `-event:llm_delta` as a token; quotes hold blanks. */
export function parseToken(text: string): Token | null {
  const match = /^(-?)(?:([a-z_]+):)?(?:"([^"]*)"?|(.*))$/is.exec(text.trim());
  if (match === null) return null;
  const value = match[3] ?? match[4] ?? "";
  if (value === "") return null;
  return { field: match[2]?.toLowerCase() ?? null, value, negated: match[1] === "-" };
}

export function tokenText(token: Token): string {
  // Without quotes, a bare word with a colon would be read as a field.
  const isQuoted = /\s/.test(token.value) || (token.field === null && token.value.includes(":"));
  const value = isQuoted ? `"${token.value}"` : token.value;
  return `${token.negated ? "-" : ""}${token.field ? `${token.field}:` : ""}${value}`;
}

/** A filter that is set elsewhere and shown, and removed, here. */
export interface Chip {
  field: string;
  text: string;
  onRemove: () => void;
}

export interface Suggestion {
  /** `field:` to go on typing, or a whole `field:value`. */
  text: string;
  /** What it means. */
  about: string;
}

interface TokenInputProps {
  label: string;
  placeholder: string;
  tokens: readonly Token[];
  /** Before the tokens. */
  chip?: Chip | null;
  onChange: (tokens: Token[]) => void;
  /** What could be typed next, for the text so far. */
  suggest?: (text: string) => readonly Suggestion[];
  inputRef?: Ref<HTMLInputElement>;
  children?: ReactNode;
}

/** `field:value` filters. Backspace removes the last, Enter on a token edits it. */
export function TokenInput(props: TokenInputProps) {
  const { label, placeholder, tokens, chip = null, onChange, suggest, inputRef, children } = props;
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const own = useRef<HTMLInputElement | null>(null);
  const [focused, setFocused] = useState(false);
  const suggestions = focused ? (suggest?.(text) ?? []) : [];

  const commit = (typed = text) => {
    const token = parseToken(typed);
    if (token === null) return;
    setText("");
    onChange([...tokens, token]);
  };
  const complete = (suggestion: string) => (suggestion.endsWith(":") ? setText(suggestion) : commit(suggestion));
  const edit = (index: number) => {
    const token = tokens[index];
    if (token === undefined) return;
    setText(tokenText(token));
    onChange(tokens.filter((_, at) => at !== index));
    own.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const open = (text.match(/"/g)?.length ?? 0) % 2 === 1;
    // Enter takes the highlighted suggestion, where there is one.
    const commits = event.key === "Enter" && (suggestions.length === 0 || text === "");
    if (commits || (event.key === " " && !open && /:\S/.test(text))) {
      event.preventDefault();
      commit();
    } else if (event.key === "Backspace" && text === "" && (tokens.length > 0 || chip !== null)) {
      event.preventDefault();
      if (tokens.length > 0) onChange(tokens.slice(0, -1));
      else chip?.onRemove();
    } else if (event.key === "Escape") {
      if (text !== "") event.stopPropagation();
      setText("");
      if (text === "") event.currentTarget.blur();
    }
  };
  return (
    <Command className="input grow" shouldFilter={false} label={label}>
      <span className="dim">
        <Icon of={Search} size={14} />
      </span>
      <div className="row tokens">
        {chip === null ? null : (
          <span className="token">
            <span>
              <i>{`${chip.field}:`}</i>
              {chip.text}
            </span>
            <button type="button" aria-label={t("removeFilter", { token: chip.field })} onClick={chip.onRemove}>
              <Icon of={X} size={10} />
            </button>
          </span>
        )}
        {tokens.map((token, index) => (
          <TokenChip
            key={tokenText(token)}
            token={token}
            onEdit={() => edit(index)}
            onRemove={() => onChange(tokens.filter((_, at) => at !== index))}
          />
        ))}
        <Command.Input
          ref={(element) => {
            own.current = element;
            if (typeof inputRef === "function") inputRef(element);
            else if (inputRef) inputRef.current = element;
          }}
          className="token-text grow"
          value={text}
          onValueChange={setText}
          aria-expanded={suggestions.length > 0}
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          onFocus={() => setFocused(true)}
          onBlur={() => {
            setFocused(false);
            commit();
          }}
        />
      </div>
      {children}
      <Command.List className={suggestions.length > 0 ? "popover suggestions" : "suggestions"} label={t("suggestions")}>
        {suggestions.map((one) => (
          <Command.Item
            key={one.text}
            value={one.text}
            className="popover-item"
            // The input keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onSelect={() => complete(one.text)}
          >
            <span className="mono">{one.text}</span>
            <span className="dim text-tiny trunc">{one.about}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}

/** A token: pressed, it is text again. */
function TokenChip({ token, onEdit, onRemove }: { token: Token; onEdit: () => void; onRemove: () => void }) {
  const { t } = useTranslation();
  const { field, negated, problem } = token;
  return (
    <span className={["token", negated && "negated", problem && "invalid"].filter(Boolean).join(" ")}>
      <Tooltip text={problem ?? null} side="bottom">
        <button type="button" aria-invalid={problem ? true : undefined} aria-description={problem} onClick={onEdit}>
          {field || negated ? <i>{`${negated ? "-" : ""}${field ? `${field}:` : ""}`}</i> : null}
          {token.value}
        </button>
      </Tooltip>
      <button type="button" aria-label={t("removeFilter", { token: tokenText(token) })} onClick={onRemove}>
        <Icon of={X} size={10} />
      </button>
    </span>
  );
}
