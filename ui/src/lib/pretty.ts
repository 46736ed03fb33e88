import { toJson } from "./exactJson";

/** A JSON value as a person wants to read it: a string as text, everything else indented. */
export function pretty(value: unknown): string {
  return typeof value === "string" ? value : toJson(value, 2);
}

/** The size of a value as JSON, in bytes of UTF-8. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(toJson(value)).length;
}
