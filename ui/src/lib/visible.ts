/**
 * Text of a hook or an agent, made safe to show: control characters, bidirectional marks and escape sequences appear
 * as what they are instead of doing what they do.
 */

const RANGES =
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb";
const HIDDEN = new RegExp(`[${RANGES}]`, "g");

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\r") return "\\r";
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** `text` with everything invisible written out. Line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** `text` on one line, cut at `limit` characters. */
export function oneLine(text: string, limit = 240): string {
  const flat = visible(text.replace(/\s+/g, " ").trim());
  const characters = [...flat];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : flat;
}

/** What stands behind `visible` for a code editor: the same characters as one pattern. */
export const HIDDEN_CHARACTERS = HIDDEN;
