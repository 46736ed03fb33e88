import { history, undo } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import CodeView from "./CodeView";
import DiffView from "./DiffView";
import { EditorDocument, smallestChange } from "./document";

const shown: (() => void)[] = [];
afterEach(() => {
  for (const hide of shown.splice(0)) hide();
  document.body.replaceChildren();
});

function show(doc: EditorDocument): EditorView {
  const parent = document.body.appendChild(document.createElement("div"));
  shown.push(doc.show(parent));
  const view = EditorView.findFromDOM(parent);
  if (view === null) throw new Error("no view");
  return view;
}

describe("the document of an editor", () => {
  it("is one text, whoever changes it", () => {
    const doc = new EditorDocument("a: 1\n");
    const [one, other] = [show(doc), show(doc)];
    one.dispatch({ changes: { from: 3, to: 4, insert: "2" } });
    doc.apply({ changes: { from: 0, to: 1, insert: "b" } });
    expect([doc.text, one.state.doc.toString(), other.state.doc.toString()]).toEqual(Array(3).fill("b: 2\n"));
  });

  it("keeps cursor and undo history when a text comes from outside", () => {
    const doc = new EditorDocument("first\nsecond\n", history());
    const view = show(doc);
    view.dispatch({ selection: { anchor: 12 } });
    doc.setText("changed\nsecond\n");
    expect(doc.state.selection.main.head).toBe(14);
    undo(view);
    expect(doc.text).toBe("first\nsecond\n");
  });

  it("tells who listens of changes of the text, and of nothing else", () => {
    const doc = new EditorDocument("a");
    const heard = vi.fn();
    const stop = doc.subscribe(heard);
    doc.apply({ selection: { anchor: 1 } });
    doc.setText("a");
    expect(heard).not.toHaveBeenCalled();
    doc.setText("b");
    stop();
    doc.setText("c");
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("finds the smallest change between two texts", () => {
    expect(smallestChange("abcd", "abXd")).toEqual({ from: 2, to: 3, insert: "X" });
    expect(smallestChange("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
    expect(smallestChange("same", "same")).toEqual({ from: 4, to: 4, insert: "" });
  });
});

describe("a text as code", () => {
  const editor = (container: HTMLElement) => {
    const view = EditorView.findFromDOM(container);
    if (view === null) throw new Error("no view");
    return view;
  };

  it("says what a person typed, and not what came from outside", () => {
    const changed = vi.fn();
    const pane = (value: string) => <CodeView label="Payload" language="json" value={value} onChange={changed} />;
    const { container, rerender } = render(pane("{}"));
    rerender(pane("[]"));
    expect(editor(container).state.doc.toString()).toBe("[]");
    expect(changed).not.toHaveBeenCalled();
    editor(container).dispatch({ changes: { from: 1, insert: "1" } });
    expect(changed).toHaveBeenCalledWith("[1]");
  });

  it("keeps its view when label, language or problems change", () => {
    const { container, rerender } = render(<CodeView label="a" language="json" value="{}" />);
    const before = editor(container);
    const problem = { line: 1, column: 1, severity: "error" as const, message: "wrong" };
    rerender(<CodeView label="b" language="yaml" value="{}" problems={[problem]} />);
    expect(editor(container)).toBe(before);
    expect(before.contentDOM).toHaveAttribute("aria-label", "b");
    expect(container.querySelector(".cm-lintRange-error")).not.toBeNull();
  });
});

describe("a difference", () => {
  const far = Array.from({ length: 40 }, (_, line) => `line ${line}`).join("\n");
  const texts = (container: HTMLElement, selector: string) =>
    [...container.querySelectorAll(selector)].map((element) => element.textContent);

  it("marks what differs within a line", () => {
    const [before, after] = ['matcher: "Bash|Shell"\n', 'matcher: "Bash|Shell|Write"\n'];
    const { container } = render(<DiffView label="Edit" before={before} after={after} />);
    expect(texts(container, ".cm-changedText").join("")).toBe("|Write");
    expect(texts(container, "div.cm-deletedLine")).toEqual(['matcher: "Bash|Shell"']);
  });

  it("folds what is the same far from a change, and Enter opens it", () => {
    const after = far.replace("line 20", "line twenty");
    const { container } = render(<DiffView label="Edit" before={far} after={after} />);
    expect(texts(container, ".cm-collapsedLines")).toEqual([" 17 unchanged lines", " 16 unchanged lines"]);
    fireEvent.keyDown(screen.getByRole("textbox", { name: "Edit" }), { key: "Enter" });
    expect(texts(container, ".cm-collapsedLines")).toEqual([]);
  });

  it("shows invisible characters of both texts, and counts lines from where the texts begin", () => {
    const { container } = render(
      <DiffView label="Edit" mode="split" before={"a\u202e\n"} after={"a\r\n"} firstLine={7} firstLineAfter={9} />,
    );
    expect(texts(container, ".cm-line")).toEqual(["a\\u202e", "a\\r"]);
    expect(texts(container, ".cm-lineNumbers .cm-gutterElement:last-child")).toEqual(["7", "9"]);
    expect(screen.getByRole("textbox", { name: "Edit, after" })).toHaveAttribute("aria-readonly", "true");
  });
});
