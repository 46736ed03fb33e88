/** Lines that are tinted for as long as their document is shown; they move with the text. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { EditorDocument } from "./document";

/** First and last line, from 1. */
export interface LineRange {
  first: number;
  last: number;
}

const markLines = StateEffect.define<readonly number[]>();
const MARK = Decoration.line({ class: "cm-marked" });

export const markedLines: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(markLines)) return Decoration.set(effect.value.map((at) => MARK.range(at)));
    }
    return transaction.docChanged ? now.map(transaction.changes) : now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Tints the lines, puts the cursor at their begin and scrolls there. */
export function showLines(document: EditorDocument, { first, last }: LineRange): void {
  const { doc } = document.state;
  const begin = Math.min(Math.max(1, first), doc.lines);
  const end = Math.min(Math.max(begin, last), doc.lines);
  const starts = Array.from({ length: end - begin + 1 }, (_, index) => doc.line(begin + index).from);
  const at = starts[0] ?? 0;
  document.apply({
    effects: [markLines.of(starts), EditorView.scrollIntoView(at, { y: "center" })],
    selection: { anchor: at },
  });
}

/** Puts the cursor at a place, from 1, and scrolls there. Columns count characters. */
export function goTo(document: EditorDocument, line: number, column: number | null): void {
  const { doc } = document.state;
  const here = doc.line(Math.min(Math.max(1, line), doc.lines));
  const before = [...here.text].slice(0, Math.max(0, (column ?? 1) - 1)).join("").length;
  const at = Math.min(here.from + before, here.to);
  document.apply({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  document.focus();
}
