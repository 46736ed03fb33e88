/** Fields of a payload whose values agents send as another type. */
import type { EventInfo, Payload } from "@/ipc";

export const VALUE_KINDS = ["text", "number", "flag", "list", "object"] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

export interface WrongType {
  field: string;
  is: ValueKind;
  /** As the event's table names it. */
  wanted: ValueKind | "messages";
  /** The line of the field in the text, from 1; null where it is not on a line of its own. */
  line: number | null;
}

function kindOf(value: unknown): ValueKind | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "flag";
    default:
      return "object";
  }
}

function lineOf(text: string, field: string): number | null {
  const key = new RegExp(`^\\s*${JSON.stringify(field).replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*:`);
  const at = text.split("\n").findIndex((line) => key.test(line));
  return at < 0 ? null : at + 1;
}

function isWanted(kind: string): kind is WrongType["wanted"] {
  return kind === "messages" || (VALUE_KINDS as readonly string[]).includes(kind);
}

export function wrongTypes(payload: Payload, text: string, event: EventInfo | undefined): WrongType[] {
  return (event?.fields ?? []).flatMap(({ name, kind }) => {
    const is = kindOf(payload[name]);
    if (is === null || !isWanted(kind)) return [];
    if (is === (kind === "messages" ? "list" : kind)) return [];
    return [{ field: name, is, wanted: kind, line: lineOf(text, name) }];
  });
}
