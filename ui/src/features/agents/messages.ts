/** The messages of the protocol log: what a row says, and how the chosen one is laid out. */
import type { AgentLogLine } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { readExactly, toJson } from "@/lib/exactJson";
import { indentJson } from "@/lib/jsonText";

const CONTENT_CHARACTERS = 200;

type Json = Record<string, unknown>;

function objectOf(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function parse(text: string): Json | null {
  try {
    return objectOf(readExactly(text));
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

/** What a message is about, on one line: the event, the verdict, or its content as it is. */
export function contentOf(line: AgentLogLine): string {
  const message = parse(line.text);
  if (message === null) return oneLine(line.text, CONTENT_CHARACTERS);
  const params = objectOf(message.params);
  const result = objectOf(message.result);
  const error = objectOf(message.error);
  const said = params ?? result ?? error;
  const parts =
    error !== null
      ? [textOf(error.code), textOf(error.message)]
      : [said?.event, objectOf(said?.verdict)?.kind, said?.session, said?.text, said?.callback].map(textOf);
  const short = parts.filter((part) => part !== "").join(" ");
  const all = textOf(message.params ?? message.result ?? "");
  return oneLine(short === "" ? all : short, CONTENT_CHARACTERS);
}

/** The text of a message: its JSON indented, or every byte in its place. */
export function layOut(line: AgentLogLine, layout: "decoded" | "bytes"): string {
  return (layout === "decoded" && parse(line.text) !== null ? indentJson(line.text) : null) ?? line.text;
}

export function isError(line: AgentLogLine): boolean {
  return line.kind === "error" || line.kind === "other";
}
