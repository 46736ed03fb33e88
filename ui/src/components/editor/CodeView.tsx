import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
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
import { useEffect, useEffectEvent, useState } from "react";
import { escapeInvisible, INVISIBLE_CHARACTERS } from "@/lib/escape";
import { appearance } from "./appearance";
import { CodeHost } from "./CodeHost";
import { EditorDocument } from "./document";
import { hangingIndent } from "./hangingIndent";
import { type CodeLanguage, languageExtension } from "./languages";
import { type CodeProblem, markedLine, problemGutter, showLine, showProblems } from "./problems";

export type { CodeLanguage } from "./languages";
export type { CodeProblem } from "./problems";

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
export const PLAIN_ABOVE = 128_000;
const NO_PROBLEMS: readonly CodeProblem[] = [];

/** Undo, indentation and the marks around the cursor. */
export const EDITING: Extension = [
  history(),
  keymap.of(historyKeymap),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
];

/** As elsewhere in the window, `\x1b`: the font has no picture of a control character. */
function specialCharacter(code: number, description: string | null): HTMLElement {
  const sign = document.createElement("span");
  sign.className = "cm-specialChar";
  sign.textContent = escapeInvisible(String.fromCodePoint(code));
  sign.setAttribute("aria-label", description ?? sign.textContent);
  return sign;
}

export const KEYS = keymap.of([...defaultKeymap.filter((one) => one.key !== "Mod-Enter"), ...searchKeymap]);

/** A text as code: the host with the extensions that JSON, YAML and plain text need. */
export default function CodeView(props: CodeViewProps) {
  const { label, value, language, onChange, problems = NO_PROBLEMS, line, wrap = true, grow = false } = props;
  const numbers = props.lineNumbers ?? true;
  const editable = onChange !== undefined;
  const [document] = useState(() => new EditorDocument(value, markedLine));
  // A text that came from outside is known there.
  const tell = useEffectEvent(() => {
    if (document.text !== value) onChange?.(document.text);
  });
  const some = problems.length > 0;
  const isLong = value.length > PLAIN_ABOVE;
  const extensions: Extension = [
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    editable ? EDITING : EditorState.readOnly.of(true),
    numbers ? lineNumbers() : [],
    highlightSpecialChars({ specialChars: INVISIBLE_CHARACTERS, render: specialCharacter }),
    drawSelection(),
    isLong ? [] : languageExtension(language),
    appearance(grow),
    wrap ? EditorView.lineWrapping : [],
    wrap && !isLong ? hangingIndent : [],
    isLong ? [] : highlightSelectionMatches(),
    problemGutter(some),
    KEYS,
  ];
  useEffect(() => document.setText(value), [document, value]);
  useEffect(() => document.subscribe(() => tell()), [document]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has its problems elsewhere
  useEffect(() => showProblems(document, problems), [document, problems, value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is marked again
  useEffect(() => {
    if (line) showLine(document, line);
  }, [document, line, value]);
  return <CodeHost document={document} extensions={extensions} className={grow ? "codepane" : "codepane fill"} />;
}
