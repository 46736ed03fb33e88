import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, StreamLanguage } from "@codemirror/language";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { python } from "@codemirror/legacy-modes/mode/python";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useMemo, useRef, useState } from "react";
import { INVISIBLE_CHARACTERS } from "@/lib/escape";
import { appearance } from "./appearance";
import { CodeHost } from "./CodeHost";
import { EditorDocument } from "./document";
import { hangingIndent } from "./hangingIndent";
import { type CodeProblem, markedLine, problemGutter, showLine, showProblems } from "./problems";

export type { CodeProblem } from "./problems";

export type CodeLanguage = "json" | "yaml" | "shell" | "python" | "javascript" | "text";

export interface CodeViewProps {
  label: string;
  value: string;
  language: CodeLanguage;
  /** Makes the text editable. */
  onChange?: (value: string) => void;
  problems?: readonly CodeProblem[];
  /** Scrolled to and marked, from 1. */
  line?: number | null;
  wrap?: boolean;
  lineNumbers?: boolean;
  /** As tall as its text instead of filling its place. */
  grow?: boolean;
}

/** Longer texts are shown without colours, so that a key is written at once. Characters. */
const PLAIN_ABOVE = 128_000;
const NO_PROBLEMS: readonly CodeProblem[] = [];

function languageOf(language: CodeViewProps["language"]): Extension {
  switch (language) {
    case "json":
      return json();
    case "yaml":
      return yaml();
    case "shell":
      return StreamLanguage.define(shell);
    case "python":
      return StreamLanguage.define(python);
    case "javascript":
      return StreamLanguage.define(javascript);
    case "text":
      return [];
  }
}

/** Undo, indentation and the marks around the cursor. */
const EDITING: Extension = [
  history(),
  keymap.of(historyKeymap),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
];

/** A text as code: the host with the extensions that JSON, YAML and plain text need. */
export default function CodeView(props: CodeViewProps) {
  const { label, value, language, onChange, problems = NO_PROBLEMS, line, wrap = true, grow = false } = props;
  const numbers = props.lineNumbers ?? true;
  const editable = onChange !== undefined;
  const [document] = useState(() => new EditorDocument(value, markedLine));
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const some = problems.length > 0;
  const isLong = value.length > PLAIN_ABOVE;
  const extensions = useMemo<Extension>(
    () => [
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
      editable ? EDITING : EditorState.readOnly.of(true),
      numbers ? lineNumbers() : [],
      highlightSpecialChars({ specialChars: INVISIBLE_CHARACTERS }),
      drawSelection(),
      isLong ? [] : languageOf(language),
      appearance(grow),
      wrap ? EditorView.lineWrapping : [],
      wrap && !isLong ? hangingIndent : [],
      isLong ? [] : highlightSelectionMatches(),
      problemGutter(some),
      keymap.of([...defaultKeymap.filter((one) => one.key !== "Mod-Enter"), ...searchKeymap]),
    ],
    [label, editable, numbers, language, grow, wrap, some, isLong],
  );
  useEffect(() => document.setText(value), [document, value]);
  useEffect(
    () =>
      document.subscribe(() => {
        // A text that came from outside is known there.
        if (document.text !== latest.current.value) latest.current.onChange?.(document.text);
      }),
    [document],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has its problems elsewhere
  useEffect(() => showProblems(document, problems), [document, problems, value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is marked again
  useEffect(() => {
    if (line) showLine(document, line);
  }, [document, line, value]);
  return <CodeHost document={document} extensions={extensions} className={grow ? "codepane" : "codepane fill"} />;
}
