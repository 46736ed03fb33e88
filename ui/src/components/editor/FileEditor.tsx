/** A whole file as code that is edited. Its document outlives the view, with its cursor and its undo history. */

import { highlightSelectionMatches } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, lineNumbers } from "@codemirror/view";
import { useEffect, useEffectEvent, useState } from "react";
import { INVISIBLE_CHARACTERS } from "@/lib/escape";
import { appearance } from "./appearance";
import { CodeHost } from "./CodeHost";
import { EDITING, KEYS, PLAIN_ABOVE } from "./CodeView";
import { type DefinitionHelp, definitionHelp } from "./definition/help";
import { EditorDocument } from "./document";
import { hangingIndent } from "./hangingIndent";
import { type CodeLanguage, languageExtension } from "./languages";
import { goTo, type LineRange, markedLines, showLines } from "./markedLines";
import { type CodeProblem, problemGutter, showProblems } from "./problems";

/** Where a document is kept while no view shows it. */
export interface KeptDocument {
  current: EditorDocument | null;
}

/** A place to go to; each object is gone to once. */
export interface CodePlace {
  line: number;
  column: number | null;
}

export interface FileEditorProps {
  label: string;
  kept: KeptDocument;
  /** Another text than the document's replaces it by the smallest change. */
  text: string;
  language: CodeLanguage;
  onChange: (text: string) => void;
  problems: readonly CodeProblem[];
  /** Tinted, and shown first. */
  lines: LineRange | null;
  place: CodePlace | null;
  /** The schema of the file, for completion and help. */
  help?: DefinitionHelp | null;
  /** Hears in which line the cursor is, from 1. */
  onCursor?: (line: number) => void;
}

/**
 * Only a line feed ends a line. A file in which other line ends are mixed keeps each of them, as a character that is
 * shown; what is pasted has line feeds.
 */
const EXACT_LINES: Extension = [
  EditorState.lineSeparator.of("\n"),
  EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
];

/** The document that was kept, or a new one, kept from now on. */
function documentIn(kept: KeptDocument, text: string, lines: LineRange | null): EditorDocument {
  if (kept.current !== null) return kept.current;
  const created = new EditorDocument(text, [EXACT_LINES, markedLines]);
  if (lines !== null) showLines(created, lines);
  kept.current = created;
  return created;
}

export default function FileEditor(props: FileEditorProps) {
  const { label, kept, text, language, onChange, problems, lines, place, help = null, onCursor } = props;
  const [document] = useState(() => documentIn(kept, text, lines));
  const tell = useEffectEvent(() => {
    if (document.text !== text) onChange(document.text);
  });
  const isLong = text.length > PLAIN_ABOVE;
  const some = problems.length > 0;
  const extensions: Extension = [
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    EDITING,
    lineNumbers(),
    highlightSpecialChars({ specialChars: INVISIBLE_CHARACTERS }),
    drawSelection(),
    isLong ? [] : languageExtension(language),
    appearance(false),
    EditorView.lineWrapping,
    isLong ? [] : [hangingIndent, highlightSelectionMatches()],
    problemGutter(some),
    help === null || isLong ? [] : definitionHelp(help),
    KEYS,
  ];
  useEffect(() => document.setText(text), [document, text]);
  useEffect(() => document.subscribe(() => tell()), [document]);
  useEffect(() => {
    if (onCursor === undefined) return undefined;
    onCursor(document.cursorLine);
    return document.watchCursor(onCursor);
  }, [document, onCursor]);
  useEffect(() => showProblems(document, problems), [document, problems]);
  useEffect(() => {
    if (place !== null) goTo(document, place.line, place.column);
  }, [document, place]);
  // Whoever opens the editor wants to type, and to see the lines that it was opened at.
  useEffect(() => document.reveal(), [document]);
  return <CodeHost document={document} extensions={extensions} className="codepane fill" />;
}
