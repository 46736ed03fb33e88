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
