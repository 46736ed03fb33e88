/** Wrapped lines go on below their own indentation instead of at the edge. */
import type { Extension, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** Deeper lines hang no further. Characters. */
const DEEPEST = 24;
/** Wrapped text lies this much deeper than its line. */
const HANG = 2;
/** Space before every line, as in the code's theme. */
const EDGE = "4px";

const MARKS = Array.from({ length: DEEPEST + 1 }, (_, indent) => Decoration.line({ class: `cm-hang-${indent}` }));

/** Classes in place of style attributes, which the page's policy forbids. */
const LOOK = EditorView.theme(
  Object.fromEntries(
    MARKS.map((_, indent) => [
      `.cm-line.cm-hang-${indent}`,
      { paddingLeft: `calc(${EDGE} + ${indent + HANG}ch)`, textIndent: `-${indent + HANG}ch` },
    ]),
  ),
);

function marksOf(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const indent = /^ */.exec(line.text.slice(0, DEEPEST))?.[0].length ?? 0;
      const mark = MARKS[indent];
      if (mark !== undefined) marks.push(mark.range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(marks, true);
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marksOf(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = marksOf(update.view);
    }
  },
  { decorations: (one) => one.decorations },
);

export const hangingIndent: Extension = [plugin, LOOK];
