/** Values of a scenario that are a text or JSON, as a field shows them. */

/** A text as it is, anything else as JSON; empty where there is none. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** JSON where the text is an object or a list, else the text. */
export function parsedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}
