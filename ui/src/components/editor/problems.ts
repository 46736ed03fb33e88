/** Problems of a text: a dot in the gutter, a line under the place, the message on hover. */
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { EditorDocument } from "./document";

export interface CodeProblem {
  /** From 1. */
  line: number;
  /** In Unicode characters, from 1. */
  column: number | null;
  severity: "error" | "warning" | "hint";
  message: string;
}

/** Puts the mark on the line that begins at a position. */
const markLine = StateEffect.define<number>();

export const markedLine: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(markLine)) return Decoration.set(Decoration.line({ class: "cm-marked" }).range(effect.value));
    }
    return transaction.docChanged ? Decoration.none : now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function diagnostics(state: EditorState, problems: readonly CodeProblem[]): Diagnostic[] {
  return problems.flatMap((problem) => {
    if (problem.line < 1 || problem.line > state.doc.lines) return [];
    const line = state.doc.line(problem.line);
    // Columns count characters, positions count UTF-16 units.
    const before = [...line.text].slice(0, Math.max(0, (problem.column ?? 1) - 1)).join("").length;
    const from = problem.column === null ? line.from : Math.min(line.from + before, line.to);
    const severity = problem.severity === "hint" ? "info" : problem.severity;
    return [{ from, to: line.to, severity, message: problem.message }];
  });
}

/** The gutter takes its room only where there is a problem. */
export function problemGutter(some: boolean): Extension {
  return some ? lintGutter() : [];
}

export function showProblems(document: EditorDocument, problems: readonly CodeProblem[]): void {
  document.apply(setDiagnostics(document.state, diagnostics(document.state, problems)));
}

/** Marks a line, from 1, and scrolls to it. */
export function showLine(document: EditorDocument, line: number): void {
  const { doc } = document.state;
  if (line < 1 || line > doc.lines) return;
  const at = doc.line(line).from;
  document.apply({ effects: [markLine.of(at), EditorView.scrollIntoView(at, { y: "center" })] });
}
