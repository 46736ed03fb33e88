/** JSON as a text, without what reading it as values costs: numbers that no value can hold, and keys that come twice. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

export interface JsonToken {
  text: string;
  /** Where it begins, in characters from 0. */
  at: number;
}

export function tokensOf(json: string): JsonToken[] {
  return [...json.matchAll(TOKEN)].map((match) => ({ text: match[0], at: match.index }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text indented. Numbers stay as they were written, and so do keys that come twice. Null for a text that is no JSON. */
export function indentJson(json: string): string | null {
  if (!isJson(json)) return null;
  let depth = 0;
  let before = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  const parts = tokensOf(json).map(({ text }) => {
    const opened = before === "{" || before === "[";
    const last = before;
    before = text;
    if (text === "}" || text === "]") {
      depth -= 1;
      return last === "{" || last === "[" ? text : line() + text;
    }
    const start = opened ? line() : "";
    if (text === "{" || text === "[") depth += 1;
    if (text === ",") return text + line();
    if (text === ":") return ": ";
    // Escapes that need none are written out.
    return start + (text.startsWith('"') ? JSON.stringify(JSON.parse(text)) : text);
  });
  return parts.join("");
}

/** Text that holds a JSON object or array, indented; anything else as it is. Numbers and keys stay as they were written. */
export function prettyText(text: string): string {
  const trimmed = text.trim();
  return (/^[[{]/.test(trimmed) ? indentJson(trimmed) : null) ?? text;
}

interface RawJson {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

/** Null in a browser that cannot send a number as it was written. */
const raw: RawJson | null = "rawJSON" in JSON ? (JSON as unknown as RawJson) : null;

/** What a number becomes: itself where it says what was written, else what `keep` makes of the text. */
export function numberAs(written: string, value: number, keep: ((text: string) => unknown) | null): unknown {
  return keep === null || String(value) === written ? value : keep(written);
}

/** Reads JSON so that it can be sent on with its numbers as they were written, where the browser can do that. */
export function readExactly(json: string): unknown {
  if (raw === null) return JSON.parse(json);
  const revive = (_key: string, value: unknown, context: { source: string }) =>
    typeof value === "number" ? numberAs(context.source, value, raw.rawJSON) : value;
  return JSON.parse(json, revive as (key: string, value: unknown) => unknown);
}

/** Whether `readExactly` keeps numbers as they were written. */
export const KEEPS_NUMBERS = raw !== null;

/** Whether a value that was read exactly is a number. */
export function isNumber(value: unknown): boolean {
  return typeof value === "number" || (raw?.isRawJSON(value) ?? false);
}
