/** Where a text stops being JSON, by the editor's own parser: browsers say it in words of their own, in English only. */
import { jsonLanguage } from "@codemirror/lang-json";

export interface JsonError {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** The character there; null at the end of the text. */
  found: string | null;
}

/** The first place that the parser cannot read; null where it reads a text that JSON does not allow after all. */
export function findJsonError(text: string): JsonError | null {
  let at: number | null = null;
  jsonLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (at !== null) return false;
      if (node.type.isError) at = firstSign(text, node.from);
      return at === null;
    },
  });
  if (at === null) return null;
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const found = text.codePointAt(at);
  return {
    line,
    column: at - before.lastIndexOf("\n"),
    found: found === undefined ? null : String.fromCodePoint(found),
  };
}

/** An error begins where the last value ended; what is wrong is the next character that is no space. */
function firstSign(text: string, from: number): number {
  const rest = /\S/.exec(text.slice(from));
  return rest === null ? text.length : from + rest.index;
}
