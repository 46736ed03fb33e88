/**
 * Text of a hook or an agent, made safe to show: control characters, bidirectional marks and escape sequences appear
 * as what they are instead of doing what they do.
 */

/** As in `crates/cli/src/ink.rs`. */
const RANGES = [
  // Control characters, soft hyphen, joiners, fillers, and selectors but for the one that makes an emoji of a sign.
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\ufe00-\\ufe0e",
  // Zero-width and bidirectional characters, line and paragraph separators.
  "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff",
  // Annotations, invisible notation, tags.
  "\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}",
  // Private use, and what is no character at all.
  "\\ue000-\\uf8ff\\ufdd0-\\ufdef\\ufffe\\uffff\\u{f0000}-\\u{10ffff}",
].join("");
const HIDDEN = new RegExp(`[${RANGES}]`, "gu");

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\r") return "\\r";
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** `text` with everything invisible written out. Line feeds and tabs stay. */
export function escapeInvisible(text: string): string {
  return text.replace(HIDDEN, escaped);
}

/** `text` on one line, cut at `limit` characters. */
export function oneLine(text: string, limit = 240): string {
  const flat = escapeInvisible(text.replace(/\s+/g, " ").trim());
  const characters = [...flat];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : flat;
}

/**
 * The summary of an event, which the engine wrote in one line. Its pictures of line feeds are missing in many fonts, and the
 * sign of the Enter key is not.
 */
export function summaryText(about: string): string {
  return escapeInvisible(about.replace(/\s*\u240a[\s\u240a]*/g, " ↵ "));
}

/** A sentence that stands for itself begins with a large letter; a name or a piece of code at its begin stays as it is. */
export function capitalizeFirst(text: string, names: readonly unknown[] = []): string {
  const named = names.some((name) => typeof name === "string" && name !== "" && text.startsWith(name));
  return named || !/^[a-z]+[ ,']/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** What stands behind `escapeInvisible` for a code editor: the same characters as one pattern. */
export const INVISIBLE_CHARACTERS = HIDDEN;
