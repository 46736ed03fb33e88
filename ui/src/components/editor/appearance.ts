/** Colours and sizes of code, from the tokens. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

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
  // Where the cursor is matters only while it is there.
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--bg-2)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--accent-lo)",
  },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "none" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--bg-4)" },
  ".cm-specialChar": { color: "var(--late)" },
  ".cm-marked, &.cm-focused .cm-marked.cm-activeLine": { backgroundColor: "var(--bg-sel)" },
  ".cm-selectionMatch": { backgroundColor: "var(--bg-4)" },
  ".cm-tooltip": {
    backgroundColor: "var(--bg-pop)",
    border: "none",
    boxShadow: "var(--shadow-pop)",
    color: "var(--ink-1)",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--bg-sel)", color: "var(--ink-1)" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal", fontFamily: "var(--font-ui)" },
  ".cm-completionInfo, .cm-definition-help": {
    padding: "6px 10px",
    maxWidth: "320px",
    fontFamily: "var(--font-ui)",
    fontSize: "var(--text-sm)",
    lineHeight: "16px",
    whiteSpace: "normal",
  },
  ".cm-definition-help code": { color: "var(--code-key)", fontFamily: "var(--font-mono)" },
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

const GROWING = EditorView.theme({ "&": { height: "auto" }, ".cm-scroller": { overflow: "visible" } });

/** `grow`: as tall as the text instead of filling its place. */
export function appearance(grow: boolean): Extension {
  return [syntaxHighlighting(COLOURS), LOOK, grow ? GROWING : []];
}
