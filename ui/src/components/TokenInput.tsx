import { Command } from "cmdk";
import { Search, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from "react";
import { t } from "@/i18n";
import { uniqueKeys } from "@/lib/uniqueKeys";
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

/** `-event:llm_delta` as a token; in quotes stand blanks, `\"` and `\\`. */
export function parseToken(text: string): Token | null {
  const match = /^(-?)(?:([a-z_]+):)?(?:"((?:\\["\\]|[^"])*)"?|(.*))$/is.exec(text.trim());
  if (match === null) return null;
  const value = match[3]?.replace(/\\(["\\])/g, "$1") ?? match[4] ?? "";
  if (value === "") return null;
  return { field: match[2]?.toLowerCase() ?? null, value, negated: match[1] === "-" };
}

export function tokenText(token: Token): string {
  // Without quotes, a bare word with a colon would be read as a field.
  const isQuoted = /[\s"]/.test(token.value) || (token.field === null && token.value.includes(":"));
  const value = isQuoted ? `"${token.value.replace(/["\\]/g, "\\$&")}"` : token.value;
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

/** The same text twice would be one item for the list, which then keeps the other for good. */
function oncePerText(suggestions: readonly Suggestion[]): Suggestion[] {
  const texts = new Map<string, Suggestion>();
  for (const one of suggestions) if (!texts.has(one.text)) texts.set(one.text, one);
  return [...texts.values()];
}

/** `field:value` filters. Backspace removes the last, Enter on a token edits it. */
export function TokenInput(props: TokenInputProps) {
  const { label, placeholder, tokens, chip = null, onChange, suggest, inputRef, children } = props;
  const [text, setText] = useState("");
  const own = useRef<HTMLInputElement>(null);
  useImperativeHandle(inputRef, () => own.current as HTMLInputElement);
  // A token closes the list, which would lie over what was found. Typing opens it again.
  const [open, setOpen] = useState(false);
  const suggestions = open ? oncePerText(suggest?.(text) ?? []) : [];
  const [marked, setMarked] = useState("");
  // The arrow keys went to a suggestion; the first one is highlighted by itself.
  const [moved, setMoved] = useState(false);
  const highlighted = suggestions.find((one) => one.text === marked) ?? suggestions[0];

  const type = (typed: string) => {
    setText(typed);
    setMarked("");
    setMoved(false);
    setOpen(true);
  };
  const commit = (typed = text) => {
    const token = parseToken(typed);
    if (token === null) return;
    setText("");
    setMoved(false);
    setOpen(false);
    onChange([...tokens, token]);
  };
  const complete = (suggestion: string) => (suggestion.endsWith(":") ? type(suggestion) : commit(suggestion));
  const edit = (index: number) => {
    const token = tokens[index];
    if (token === undefined) return;
    type(tokenText(token));
    onChange(tokens.filter((_, at) => at !== index));
    own.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    // The key belongs to the input method while it composes.
    if (event.nativeEvent.isComposing) return;
    const isQuoted = (text.match(/"/g)?.length ?? 0) % 2 === 1;
    if (event.key === "Enter") {
      event.preventDefault();
      if (highlighted !== undefined && (text !== "" || moved)) complete(highlighted.text);
      else commit();
    } else if (event.key === " " && !isQuoted && /:\S/.test(text)) {
      event.preventDefault();
      commit();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (open) setMoved(true);
      else event.preventDefault();
      setOpen(true);
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
  const keys = uniqueKeys(tokens.map(tokenText));
  return (
    <Command
      className="input grow"
      shouldFilter={false}
      label={label}
      value={highlighted?.text ?? ""}
      onValueChange={setMarked}
    >
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
            key={keys[index]}
            token={token}
            onEdit={() => edit(index)}
            onRemove={() => onChange(tokens.filter((_, at) => at !== index))}
          />
        ))}
        <Command.Input
          ref={own}
          className="token-text grow"
          value={text}
          onValueChange={type}
          aria-expanded={suggestions.length > 0}
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
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
