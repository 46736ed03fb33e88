import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { INVISIBLE_CHARACTERS } from "@/lib/escape";

export interface CodeProblem {
  /** From 1. */
  line: number;
  /** In Unicode characters, from 1. */
  column: number | null;
  severity: "error" | "warning" | "hint";
  message: string;
}

export interface CodeEditorProps {
  label: string;
  value: string;
  language: "json" | "yaml" | "text";
  /** Makes the pane editable. */
  onChange?: (value: string) => void;
  problems?: readonly CodeProblem[];
  /** Scrolled to and marked, from 1. */
  line?: number | null;
  wrap?: boolean;
  lineNumbers?: boolean;
  /** As tall as its text instead of filling its place. */
  grow?: boolean;
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-str)" },
  { tag: [tags.number, tags.integer, tags.float], color: "var(--code-num)" },
  { tag: [tags.bool, tags.null, tags.keyword, tags.typeName, tags.labelName], color: "var(--code-kw)" },
  { tag: tags.comment, color: "var(--code-com)" },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.meta], color: "var(--code-punct)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--ink-1)", backgroundColor: "var(--bg-code)", fontSize: "var(--text-sm)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    fontVariantLigatures: "none",
    letterSpacing: "-0.01em",
    lineHeight: "20px",
    fontWeight: "420",
  },
  ".cm-content": { padding: "8px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 12px 0 4px" },
  ".cm-gutters": { backgroundColor: "var(--bg-code)", color: "var(--ink-3)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "32px", padding: "0 8px 0 4px" },
  ".cm-activeLine": { backgroundColor: "var(--bg-2)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--bg-2)", color: "var(--ink-2)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--accent-lo)",
  },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  ".cm-matchingBracket": { backgroundColor: "var(--bg-4)", outline: "none" },
  ".cm-specialChar": { color: "var(--late)" },
  ".cm-marked": { backgroundColor: "var(--bg-sel)" },
  ".cm-selectionMatch": { backgroundColor: "var(--bg-4)" },
  ".cm-tooltip": {
    backgroundColor: "var(--bg-pop)",
    border: "none",
    boxShadow: "var(--shadow-pop)",
    color: "var(--ink-1)",
  },
  ".cm-panels": { backgroundColor: "var(--bg-2)", color: "var(--ink-1)" },
  ".cm-panel input": { backgroundColor: "var(--bg-code)", border: "1px solid var(--line-3)" },
  ".cm-panel button": { backgroundImage: "none", backgroundColor: "var(--bg-3)", border: "1px solid var(--line-2)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--deny) 1px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--late) 1px" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--accent) 1px" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "6px 0 0", display: "grid", placeItems: "start center" },
  ".cm-lint-marker": { content: "none", width: "7px", height: "7px", borderRadius: "50%" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--deny)" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--late)" },
  ".cm-lint-marker-info": { content: "none", boxShadow: "inset 0 0 0 1.5px var(--accent)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--deny)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--late)" },
});

const GROWING = EditorView.theme({ "&": { height: "auto" }, ".cm-scroller": { overflow: "escapeInvisible" } });

function languageOf(language: CodeEditorProps["language"]): Extension {
  switch (language) {
    case "json":
      return json();
    case "yaml":
      return yaml();
    case "text":
      return [];
  }
}

/** Puts the mark on the line that begins at a position. */
const mark = StateEffect.define<number>();

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(mark)) return Decoration.set(Decoration.line({ class: "cm-marked" }).range(effect.value));
    }
    return transaction.docChanged ? Decoration.none : now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The nonce of the page's policy, where it has one. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}

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

export default function CodeEditor(props: CodeEditorProps) {
  const { label, value, language, onChange, problems = [], line, wrap = true, grow = false } = props;
  const numbers = props.lineNumbers ?? true;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const first = useRef({ value });
  const editable = onChange !== undefined;

  useEffect(() => {
    const parent = host.current;
    if (parent === null) return;
    const extensions: Extension[] = [
      EditorView.cspNonce.of(nonce()),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
      editable ? [] : EditorState.readOnly.of(true),
      numbers ? lineNumbers() : [],
      highlightSpecialChars({ specialChars: INVISIBLE_CHARACTERS }),
      drawSelection(),
      languageOf(language),
      syntaxHighlighting(COLOURS),
      LOOK,
      marked,
      grow ? GROWING : [],
      wrap ? EditorView.lineWrapping : [],
      highlightSelectionMatches(),
      keymap.of([...defaultKeymap.filter((one) => one.key !== "Mod-Enter"), ...searchKeymap]),
      editable ? [history(), keymap.of(historyKeymap), indentOnInput(), bracketMatching(), highlightActiveLine()] : [],
      EditorView.updateListener.of((update) => {
        if (update.docChanged) change.current?.(update.state.doc.toString());
      }),
    ];
    const editor = new EditorView({ parent, state: EditorState.create({ doc: first.current.value, extensions }) });
    view.current = editor;
    return () => {
      first.current = { value: editor.state.doc.toString() };
      editor.destroy();
      view.current = null;
    };
  }, [label, language, editable, numbers, wrap, grow]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    if (problems.length > 0) editor.dispatch({ effects: lintGutterOnce(editor) });
    editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, problems)));
  }, [problems]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text is marked again
  useEffect(() => {
    const editor = view.current;
    if (editor === null || !line || line > editor.state.doc.lines) return;
    const at = editor.state.doc.line(line).from;
    editor.dispatch({ effects: [mark.of(at), EditorView.scrollIntoView(at, { y: "center" })] });
  }, [line, value]);

  return <div ref={host} className={grow ? "codepane" : "codepane fill"} />;
}

const withGutter = new WeakSet<EditorView>();

/** Adds the problem gutter the first time there is a problem. */
function lintGutterOnce(editor: EditorView): StateEffect<unknown>[] {
  if (withGutter.has(editor)) return [];
  withGutter.add(editor);
  return [StateEffect.appendConfig.of(lintGutter())];
}
