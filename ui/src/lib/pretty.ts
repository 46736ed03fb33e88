/** A JSON value as a person wants to read it: a string as text, everything else indented. */
export function pretty(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The size of a value as JSON, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
