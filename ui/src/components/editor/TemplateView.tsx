/** A text with variables: each is a chip in the text, whose look says whether it has a value. */
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, highlightSpecialChars, lineNumbers } from "@codemirror/view";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useState } from "react";
import { INVISIBLE_CHARACTERS } from "@/lib/escape";
import { appearance } from "./appearance";
import { CodeHost } from "./CodeHost";
import { EDITING, KEYS } from "./CodeView";
import { EditorDocument } from "./document";
import { type CodeProblem, problemGutter, showProblems } from "./problems";

export interface TemplateChip {
  from: number;
  to: number;
  kind: "value" | "empty" | "unknown";
}

export interface TemplateHandle {
  /** Puts a text in place of the selection, and gives the editor the focus. */
  insert: (text: string) => void;
}

export interface TemplateViewProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Those of `value`. */
  chips: readonly TemplateChip[];
  problems: readonly CodeProblem[];
  ref?: Ref<TemplateHandle>;
}

const setChips = StateEffect.define<readonly TemplateChip[]>();
const MARKS = {
  value: Decoration.mark({ class: "variable" }),
  empty: Decoration.mark({ class: "variable empty" }),
  unknown: Decoration.mark({ class: "variable bad" }),
};

const chipMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setChips))
        return Decoration.set(effect.value.map(({ kind, from, to }) => MARKS[kind].range(from, to)));
    }
    return now.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export default function TemplateView({ label, value, onChange, chips, problems, ref }: TemplateViewProps) {
  const [document] = useState(() => new EditorDocument(value, chipMarks));
  const tell = useEffectEvent(() => {
    if (document.text !== value) onChange(document.text);
  });
  const some = problems.length > 0;
  const extensions = [
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    EDITING,
    lineNumbers(),
    highlightSpecialChars({ specialChars: INVISIBLE_CHARACTERS }),
    appearance(false),
    EditorView.lineWrapping,
    problemGutter(some),
    KEYS,
  ];
  useEffect(() => document.setText(value), [document, value]);
  useEffect(() => document.subscribe(() => tell()), [document]);
  useEffect(() => {
    // Chips of another text would be at other places.
    const length = document.text.length;
    if (chips.every(({ to }) => to <= length)) document.apply({ effects: setChips.of(chips) });
  }, [document, chips]);
  useEffect(() => showProblems(document, problems), [document, problems]);
  useImperativeHandle(
    ref,
    () => ({
      insert: (text) => {
        document.apply(document.state.replaceSelection(text));
        document.focus();
      },
    }),
    [document],
  );
  return <CodeHost document={document} extensions={extensions} className="codepane fill" />;
}
