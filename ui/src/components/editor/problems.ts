/** Problems of a text: a dot in the gutter, a line under the place, the message on hover. */
import { ensureSyntaxTree } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { EditorDocument } from "./document";

export interface CodeProblem {
  /** From 1; null for the place where the text breaks its syntax. */
  line: number | null;
  /** In Unicode characters, from 1. */
  column: number | null;
  severity: "error" | "warning" | "hint";
  message: string;
}

/** As long as the parser may take to find the place. */
const PARSE_MS = 50;

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
    if (problem.line === null) return [atSyntaxError(state, problem)];
    if (problem.line < 1 || problem.line > state.doc.lines) return [];
    const line = state.doc.line(problem.line);
    // Columns count characters, positions count UTF-16 units.
    const before = [...line.text].slice(0, Math.max(0, (problem.column ?? 1) - 1)).join("").length;
    const from = problem.column === null ? line.from : Math.min(line.from + before, line.to);
    const severity = problem.severity === "hint" ? "info" : problem.severity;
    return [{ from, to: line.to, severity, message: problem.message }];
  });
}

/** Where the parser of the language stumbles first; the end of the text where it does not. */
function atSyntaxError(state: EditorState, problem: CodeProblem): Diagnostic {
  let at = state.doc.length;
  ensureSyntaxTree(state, state.doc.length, PARSE_MS)?.iterate({
    enter: (node) => {
      if (node.type.isError && node.from < at) at = node.from;
    },
  });
  const line = state.doc.lineAt(at);
  // A mark needs a character: the one before where the text ends too early.
  const from = at >= line.to && at > line.from ? at - 1 : at;
  const severity = problem.severity === "hint" ? "info" : problem.severity;
  return { from, to: Math.min(state.doc.length, from + 1), severity, message: problem.message };
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
