/** Where a position lies in a hook file: the path of its mapping, and whether a key or a value is written there. */
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import type { Definition } from "@/ipc";
import type { PathPart } from "./tree";

export interface Place {
  /** The path of the mapping or list around it. */
  path: PathPart[];
  /** The key whose value is written; null where a key is written, or an item of a list. */
  key: string | null;
  writes: "key" | "value";
  /** The word that is written, without quotes. */
  from: number;
  to: number;
  /** Whether a quote is written before the word, and after it. */
  quoted: boolean;
  closed: boolean;
  /** Keys that the mapping has already. */
  taken: ReadonlySet<string>;
}

export function placeAt(state: EditorState, at: number, format: Definition["format"]): Place | null {
  return format === "json" ? jsonPlace(state, at) : yamlPlace(state, at, format === "front_matter");
}

/** What opens a level in a line: the dash of a list item, or a key. */
interface Opener {
  column: number;
  part: PathPart;
}

interface YamlLine {
  openers: Opener[];
  /** Where the key or the item begins. */
  column: number;
  key: string | null;
  /** Where the value begins; the column of the item where there is no key. */
  value: number;
}

const LINE = /^(\s*)((?:-(?:\s+|$))*)(?:(["']?)([\w$./*-]+)\3\s*:(?=\s|$)\s*)?/;

function yamlLine(text: string): YamlLine {
  const [all = "", indent = "", dashes = "", , key] = LINE.exec(text) ?? [];
  const column = Math.max(indent.length + dashes.length, dashes.trim() === "" ? 0 : indent.length + 2);
  const openers = [...dashes].flatMap((sign, index) =>
    sign === "-" ? [{ column: indent.length + index, part: null as PathPart }] : [],
  );
  if (key !== undefined) openers.push({ column, part: key });
  return { openers, column, key: key ?? null, value: key === undefined ? column : all.length };
}

function isSilent(text: string): boolean {
  return text.trim() === "" || /^\s*#/.test(text);
}

/** Block style by its indentation, which also holds for a line that is not finished. */
function yamlPlace(state: EditorState, at: number, isFrontMatter: boolean): Place | null {
  const { doc } = state;
  const here = doc.lineAt(at);
  const column = at - here.from;
  if (isFrontMatter && !isInFront(state, here.number)) return null;
  if (/(^|\s)#/.test(here.text.slice(0, column))) return null;
  const own = yamlLine(here.text);
  const writesValue = own.key !== null && column >= own.value;
  const word = wordAround(here.text, column, writesValue ? own.value : own.column);
  const path: PathPart[] = [];
  const taken = keysBelow(state, here.number, own.column);
  // In an empty line the column of the cursor decides.
  let limit = here.text.trim() === "" ? column : own.column;
  let isItem = false;
  const open = (opener: Opener) => {
    // The items of a list may begin in the column of its key.
    if (opener.column > limit || (opener.column === limit && !(isItem && opener.part !== null))) return;
    path.unshift(opener.part);
    limit = opener.column;
    isItem = opener.part === null;
  };
  for (const opener of [...own.openers].reverse()) if (opener.part === null) open(opener);
  for (let number = here.number - 1; number >= 1; number -= 1) {
    const { text } = doc.line(number);
    if (/^---\s*$/.test(text)) break;
    if (isSilent(text)) continue;
    for (const opener of yamlLine(text).openers.reverse()) {
      if (path.length === 0 && opener.column === limit && opener.part !== null) taken.add(opener.part);
      open(opener);
    }
  }
  return {
    path,
    key: writesValue ? own.key : null,
    writes: writesValue ? "value" : "key",
    ...shifted(word, here.from),
    taken,
  };
}

/** The keys of the same mapping in the lines that follow. */
function keysBelow(state: EditorState, line: number, column: number): Set<string> {
  const { doc } = state;
  const keys = new Set<string>();
  for (let number = line + 1; number <= doc.lines; number += 1) {
    const { text } = doc.line(number);
    if (isSilent(text)) continue;
    const next = yamlLine(text);
    if (next.column < column || next.openers[0]?.part === null || /^---\s*$/.test(text)) break;
    if (next.column === column && next.key !== null) keys.add(next.key);
  }
  return keys;
}

/** Whether a line lies between the two lines of dashes. */
function isInFront(state: EditorState, number: number): boolean {
  const { doc } = state;
  if (!/^---\s*$/.test(doc.line(1).text)) return false;
  for (let at = 2; at <= doc.lines; at += 1) if (/^---\s*$/.test(doc.line(at).text)) return number > 1 && number < at;
  return number > 1;
}

interface Word {
  from: number;
  to: number;
  quoted: boolean;
  closed: boolean;
}

function shifted(word: Word, by: number): Word {
  return { ...word, from: word.from + by, to: word.to + by };
}

/** The word around a column, not before `least`. */
function wordAround(text: string, column: number, least: number): Word {
  const isPart = (sign: string | undefined) => sign !== undefined && /[\w.$*-]/.test(sign);
  let from = column;
  while (from > least && isPart(text[from - 1])) from -= 1;
  let to = column;
  while (isPart(text[to])) to += 1;
  const isQuote = (sign: string | undefined) => sign === '"' || sign === "'";
  return { from, to, quoted: isQuote(text[from - 1]), closed: isQuote(text[to]) };
}

function jsonPlace(state: EditorState, at: number): Place | null {
  const inner = syntaxTree(state).resolveInner(at, -1);
  if (/Comment/.test(inner.name)) return null;
  const own = inner.name === "Property" || inner.name === "PropertyName" ? inner : null;
  const isName = inner.name === "PropertyName";
  const isValue = inner.name === "String" || inner.name === "Number" || inner.name === "True" || inner.name === "False";
  const property = isName ? inner.parent : isValue ? inner.parent : own;
  const key = property?.name === "Property" ? keyOf(state, property) : null;
  const writesValue = !isName && property?.name === "Property" && key !== null;
  const around = writesValue ? property.parent : isName ? (property?.parent ?? null) : inner;
  const path = pathOf(state, around);
  if (path === null) return null;
  const taken = new Set<string>();
  const object = nearest(around, "Object");
  for (let child = object?.firstChild ?? null; child !== null; child = child.nextSibling) {
    if (child.name === "Property" && child !== property) taken.add(keyOf(state, child) ?? "");
  }
  const line = state.doc.lineAt(at);
  return {
    path,
    key: writesValue ? key : null,
    writes: writesValue || nearest(around, "Object", "Array")?.name === "Array" ? "value" : "key",
    ...shifted(wordAround(line.text, at - line.from, 0), line.from),
    taken,
  };
}

function nearest(node: SyntaxNode | null, ...names: string[]): SyntaxNode | null {
  let at = node;
  while (at !== null && !names.includes(at.name)) at = at.parent;
  return at;
}

function keyOf(state: EditorState, property: SyntaxNode): string | null {
  const name = property.firstChild;
  if (name?.name !== "PropertyName") return null;
  return state.sliceDoc(name.from, name.to).replace(/^"|"$/g, "");
}

/** The path of an object or an array, from the top of the file. */
function pathOf(state: EditorState, node: SyntaxNode | null): PathPart[] | null {
  const path: PathPart[] = [];
  let at = nearest(node, "Object", "Array");
  while (at !== null) {
    const parent = at.parent;
    if (parent === null) break;
    if (parent.name === "Property") {
      path.unshift(keyOf(state, parent));
      at = parent.parent;
    } else if (parent.name === "Array") {
      path.unshift(null);
      at = parent;
    } else break;
  }
  return path;
}
