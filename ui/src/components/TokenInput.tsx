import { Search, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type Ref, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./Icon";

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
  const value = /\s/.test(token.value) ? `"${token.value}"` : token.value;
  return `${token.negated ? "-" : ""}${token.field ? `${token.field}:` : ""}${value}`;
}

/** A filter that is set elsewhere and shown, and removed, here. */
export interface Chip {
  field: string;
  text: string;
  onRemove: () => void;
}

interface TokenInputProps {
  label: string;
  placeholder: string;
  tokens: readonly Token[];
  /** Before the tokens. */
  chip?: Chip | null;
  onChange: (tokens: Token[]) => void;
  /** What could be typed next, for the text so far. */
  suggest?: (text: string) => readonly string[];
  inputRef?: Ref<HTMLInputElement>;
  children?: ReactNode;
}

/** `field:value` filters. Backspace removes the last, Enter on a token edits it. */
export function TokenInput(props: TokenInputProps) {
  const { label, placeholder, tokens, chip = null, onChange, suggest, inputRef, children } = props;
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const own = useRef<HTMLInputElement | null>(null);
  const listId = useId();
  const suggestions = suggest?.(text) ?? [];

  const commit = () => {
    const token = parseToken(text);
    if (token === null) return;
    setText("");
    onChange([...tokens, token]);
  };
  const edit = (index: number) => {
    const token = tokens[index];
    if (token === undefined) return;
    setText(tokenText(token));
    onChange(tokens.filter((_, at) => at !== index));
    own.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const open = (text.match(/"/g)?.length ?? 0) % 2 === 1;
    if (event.key === "Enter" || (event.key === " " && !open && /:\S/.test(text))) {
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
    <div className="input grow">
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
          <span
            key={tokenText(token)}
            className={`token${token.negated ? " negated" : ""}${token.problem ? " invalid" : ""}`}
            title={token.problem}
          >
            <button type="button" onClick={() => edit(index)}>
              {token.field ? <i>{`${token.negated ? "-" : ""}${token.field}:`}</i> : null}
              {token.value}
            </button>
            <button
              type="button"
              aria-label={t("removeFilter", { token: tokenText(token) })}
              onClick={() => onChange(tokens.filter((_, at) => at !== index))}
            >
              <Icon of={X} size={10} />
            </button>
          </span>
        ))}
        <input
          ref={(element) => {
            own.current = element;
            if (typeof inputRef === "function") inputRef(element);
            else if (inputRef) inputRef.current = element;
          }}
          className="grow"
          style={{ background: "none", border: 0, outline: "none" }}
          value={text}
          list={suggestions.length > 0 ? listId : undefined}
          aria-label={label}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={commit}
        />
        {suggestions.length > 0 ? (
          <datalist id={listId}>
            {suggestions.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        ) : null}
      </div>
      {children}
    </div>
  );
}
