import { indentJson } from "./jsonText";

/** A JSON value as a person wants to read it: a string as text, everything else indented. */
export function pretty(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Text that holds a JSON object or array, indented; anything else as it is. Numbers and keys stay as they were written. */
export function prettyText(text: string): string {
  const trimmed = text.trim();
  return (/^[[{]/.test(trimmed) ? indentJson(trimmed) : null) ?? text;
}

/** The size of a value as JSON, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
