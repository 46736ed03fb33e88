/** Two texts as one document with its removed lines between, or beside each other. */
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";
import { appearance } from "./appearance";
import { KEYS } from "./CodeView";
import { cspNonce } from "./document";

export interface DiffViewProps {
  label: string;
  before: string;
  after: string;
  /** By itself: beside each other from 600 px. */
  mode?: "auto" | "unified" | "split";
  /** Number of the first line. */
  firstLine?: number;
  /** Number of the first line of the later text, where it is another one. */
  firstLineAfter?: number;
}

const SIDE_BY_SIDE = 600;
const FOLDS = { margin: 3, minSize: 2 };
/** How long changes are compared by character before the rest counts as replaced. */
const DIFFERENCE = { scanLimit: 2000 };

const SIGN = { position: "absolute", marginLeft: "-14px" };
const LOOK = EditorView.theme({
  ".cm-scroller": { lineHeight: "18px" },
  ".cm-content": { padding: "4px 0" },
  ".cm-line, .cm-deletedChunk .cm-deletedLine": { padding: "0 12px 0 18px" },
  ".cm-deletedChunk": { padding: "0" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--del-bg)", color: "var(--del-ink)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--add-bg)", color: "var(--add-ink)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--del-word)" },
  "&.cm-merge-b .cm-changedText": { background: "var(--add-word)" },
  "&.cm-merge-a .cm-changedLine::before, .cm-deletedChunk .cm-deletedLine::before": { ...SIGN, content: '"−"' },
  "&.cm-merge-b .cm-changedLine::before": { ...SIGN, content: '"+"' },
  ".cm-mergeSpacer": { backgroundColor: "var(--bg-2)", opacity: "0.5" },
  "& .cm-collapsedLines": {
    padding: "0 0 0 18px",
    background: "var(--bg-2)",
    color: "var(--ink-3)",
    cursor: "default",
    "&:before": { content: '"⋯"' },
    "&:after": { content: "none" },
    "&:hover": { color: "var(--ink-1)" },
  },
});

/** An empty text is one empty line, which a new or a removed file does not have. */
const NEW_FILE = EditorView.theme({ ".cm-deletedChunk": { display: "none" } });
const REMOVED_FILE = EditorView.theme({ ".cm-line, .cm-gutters": { display: "none !important" } });

/** As the window shows what others wrote; the end of the last line begins no further one. */
function shownTexts(before: string, after: string): [string, string] {
  const texts: [string, string] = [escapeInvisible(before), escapeInvisible(after)];
  if (!texts.every((text) => text === "" || text.endsWith("\n"))) return texts;
  return [texts[0].slice(0, -1), texts[1].slice(0, -1)];
}

function extensionsOf(label: string, firstLine: number, showAll: () => boolean): Extension {
  return [
    EditorView.cspNonce.of(cspNonce()),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    EditorState.readOnly.of(true),
    EditorState.phrases.of({ "$ unchanged lines": t("diff.hidden") }),
    lineNumbers({ formatNumber: (line) => String(line + firstLine - 1) }),
    EditorView.lineWrapping,
    LOOK,
    appearance(true),
    keymap.of([{ key: "Enter", run: showAll }]),
    KEYS,
  ];
}

export default function DiffView(props: DiffViewProps) {
  const { label, before, after, mode = "auto", firstLine = 1, firstLineAfter = firstLine } = props;
  const box = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  const isSplit = mode === "split" || (mode === "auto" && isWide);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || mode !== "auto" || typeof ResizeObserver === "undefined") return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWide(entry.contentRect.width >= SIDE_BY_SIDE);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [mode]);
  useEffect(() => {
    const parent = box.current;
    if (parent === null) return undefined;
    const [a, b] = shownTexts(before, after);
    // In a new or a removed file the tint of the lines says it all.
    const highlightChanges = a !== "" && b !== "";
    const show = (collapseUnchanged?: typeof FOLDS): MergeView | EditorView => {
      const showAll = () => {
        view.destroy();
        view = show();
        (view instanceof MergeView ? view.b : view).focus();
        return true;
      };
      const shared = { collapseUnchanged, diffConfig: DIFFERENCE, gutter: false, highlightChanges };
      if (isSplit)
        return new MergeView({
          ...shared,
          parent,
          a: { doc: a, extensions: extensionsOf(t("diff.before", { label }), firstLine, showAll) },
          b: { doc: b, extensions: extensionsOf(t("diff.after", { label }), firstLineAfter, showAll) },
        });
      const oneSided = a === "" ? NEW_FILE : b === "" ? REMOVED_FILE : [];
      const unified = unifiedMergeView({ ...shared, original: a, mergeControls: false });
      const extensions = [oneSided, extensionsOf(label, firstLineAfter, showAll), unified];
      return new EditorView({ parent, doc: b, extensions });
    };
    let view: MergeView | EditorView = show(FOLDS);
    return () => view.destroy();
  }, [label, before, after, isSplit, firstLine, firstLineAfter]);
  return <div ref={box} />;
}
