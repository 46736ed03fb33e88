import { EditorView } from "@codemirror/view";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import type { Params } from "@/ipc/types";
import { useUnsaved } from "@/lib/unsaved";
import { checked, edited } from "@/testing/editReplies";
import type { FakeEngine, Script } from "@/testing/fakeEngine";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROJECT, PROJECT_LIST } from "@/testing/sampleData";
import { useDrafts } from "./drafts";

const GUARD = "jcli:project:pre_tool_execution:1";
const FILE = `${PROJECT}/.jcli/hooks.yaml`;
const OLD = "a".repeat(64);
const NEW = "b".repeat(64);

/** The file on disk, as a test changes it. */
function disk(first: string): { script: Script; write: (text: string, hash: string) => void } {
  let now = { text: first, hash: OLD };
  return {
    write: (text, hash) => {
      now = { text, hash };
    },
    script: {
      "hooks.text": ({ path }) => ({
        path,
        ...now,
        dialect: "jcli",
        hooks: [{ hook: GUARD, line: 2, end_line: 2, fields: [] }],
        problems: [],
        last_good: false,
      }),
    },
  };
}

afterEach(() => useDrafts.setState({ drafts: {}, wanted: null }));

async function edit(script: Script, hook = GUARD) {
  const app = renderApp(`#/hooks?hook=${hook}&tab=source`, script);
  await app.user.click(await screen.findByRole("button", { name: /^Edit/ }));
  const text = await screen.findByRole("textbox", { name: /Text of hooks.yaml/ });
  const view = EditorView.findFromDOM(text.closest<HTMLElement>(".cm-editor") as HTMLElement);
  if (view === null) throw new Error("no editor");
  const type = (insert: string, from = view.state.doc.length) => view.dispatch({ changes: { from, insert } });
  return { ...app, view, type };
}

const textsOf = (calls: unknown[]) => (calls as Params<"edit.save">[]).map(({ text }) => text);

/** What was really saved, dry runs aside. */
const savesOf = (engine: FakeEngine) =>
  (callsOf(engine, "edit.save") as Params<"edit.save">[]).filter(({ dry_run }) => !dry_run);

describe("editing a hook's file", () => {
  it("checks the whole text once it rests, and shows its problems and hooks", async () => {
    const problem = PROJECT_LIST.problems[0];
    if (problem === undefined) throw new Error("no problem");
    const { engine, type, user, view } = await edit({
      ...disk("stop:\n  - command: a\n").script,
      "edit.check": ({ path }) => ({ ...checked(path, HOOKS.slice(3, 6), OLD), problems: [{ ...problem, line: 2 }] }),
    });
    type("#");
    type("!");
    expect(await screen.findByText("3 hooks, 1 before")).toBeInTheDocument();
    await waitFor(() => expect(textsOf(callsOf(engine, "edit.check")).at(-1)).toBe("stop:\n  - command: a\n#!"));
    const asked = callsOf(engine, "edit.check");
    expect(textsOf(asked)).not.toContain("stop:\n  - command: a\n#");
    expect(asked.at(-1)).toMatchObject({ project: PROJECT, path: FILE, dialect: "jcli", base: OLD });
    const problems = screen.getByRole("list", { name: "Problems" });
    expect(problems).toHaveTextContent("ignore");
    await user.click(within(problems).getByRole("button", { name: "Go to 2:15" }));
    expect(view.state.doc.lineAt(view.state.selection.main.head).number).toBe(2);
  });

  it("never shows the answer to an older text", async () => {
    const waiting: (() => void)[] = [];
    const { engine, type } = await edit({
      ...disk("a").script,
      "edit.check": ({ path, text }) =>
        new Promise((resolve) => {
          waiting.push(() => resolve(checked(path, HOOKS.slice(0, text === "a1" ? 5 : 2), OLD)));
        }),
    });
    type("1");
    await waitFor(() => expect(textsOf(callsOf(engine, "edit.check"))).toContain("a1"));
    type("2");
    await waitFor(() => expect(textsOf(callsOf(engine, "edit.check"))).toContain("a12"));
    for (const answer of waiting.reverse()) answer();
    expect(await screen.findByText("2 hooks, 1 before")).toBeInTheDocument();
    await new Promise((settled) => setTimeout(settled, 20));
    expect(screen.queryByText("5 hooks, 1 before")).not.toBeInTheDocument();
  });

  it("shows the difference first, saves over the version it began with, and can be undone", async () => {
    const { engine, type, user } = await edit(disk("a").script);
    type("b");
    await user.keyboard("{Control>}s{/Control}");
    const dialog = await screen.findByRole("dialog", { name: "Save hooks.yaml" });
    await waitFor(() => expect(dialog).toHaveTextContent("./guard-prod-db.sh"));
    expect(savesOf(engine)).toEqual([]);
    await user.keyboard("{Control>}s{/Control}");
    expect(await screen.findByText("hooks.yaml was saved.")).toBeInTheDocument();
    expect(savesOf(engine)).toEqual([
      { project: PROJECT, path: FILE, dialect: "jcli", base: OLD, hook: GUARD, text: "ab" },
    ]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "E1" }]));
  });

  it("gives a file its own line ends back", async () => {
    const { engine, type, user, view } = await edit(disk("a: 1\r\nb: 2\r\n").script);
    expect(view.state.doc.toString()).toBe("a: 1\nb: 2\n");
    type("c: 3\n");
    await user.keyboard("{Control>}s{/Control}");
    await screen.findByRole("dialog");
    expect(new Set(textsOf(callsOf(engine, "edit.save")))).toEqual(new Set(["a: 1\r\nb: 2\r\nc: 3\r\n"]));
  });

  it("keeps line ends that are mixed exactly as they are", async () => {
    const { engine, type, user } = await edit(disk("a: 1\r\nb: 2\n").script);
    type("c: 3\n");
    await user.keyboard("{Control>}s{/Control}");
    await screen.findByRole("dialog");
    expect(new Set(textsOf(callsOf(engine, "edit.save")))).toEqual(new Set(["a: 1\r\nb: 2\nc: 3\n"]));
  });

  it("says why a text is refused, and keeps it", async () => {
    const refusal = { code: "edit_would_be_wrong", message: "this edit would cause an error: x", hint: "write y" };
    const { type, user, view } = await edit({
      ...disk("a").script,
      "edit.save": ({ dry_run }) => {
        if (dry_run) return edited(null, { written: false, diff: "" });
        throw new Fault(refusal);
      },
    });
    type("b");
    await user.keyboard("{Control>}s{/Control}");
    const dialog = await screen.findByRole("dialog");
    await user.click(await within(dialog).findByRole("button", { name: /^Save/ }));
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("This edit would cause an error: x");
    await user.click(within(dialog).getByRole("button", { name: /Keep editing/ }));
    expect(view.state.doc.toString()).toBe("ab");
  });

  it("offers no second try over a file that changed after it was read", async () => {
    const { type, user } = await edit({
      ...disk("a").script,
      "edit.save": () => {
        throw new Fault({
          code: "edit_file_changed",
          message: "guard.sh changed on disk since it was read",
          hint: null,
        });
      },
    });
    type("b");
    await user.keyboard("{Control>}s{/Control}");
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText(/changed on disk since it was read/)).toBeInTheDocument();
    expect(within(dialog).queryByRole("button", { name: "Try again" })).toBeNull();
  });

  it("says that the file changed on disk, and saves over it only when asked to", async () => {
    const file = disk("a");
    const { engine, type, user } = await edit({
      ...file.script,
      "edit.check": ({ path, base }) => ({ ...checked(path, [], NEW), same_base: base === NEW }),
    });
    file.write("other", NEW);
    type("b");
    expect(await screen.findByText("The file changed on disk.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show the difference" }));
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText("other")).toBeInTheDocument();
    await user.click(within(dialog).getByRole("button", { name: "Keep editing (Save overwrites it)" }));
    await waitFor(() => expect(screen.queryByText("The file changed on disk.")).not.toBeInTheDocument());
    await user.keyboard("{Control>}s{/Control}");
    await waitFor(() => expect(callsOf(engine, "edit.save").at(-1)).toMatchObject({ base: NEW, text: "ab" }));
  });

  it("loads the file again when asked to, with a way back", async () => {
    const file = disk("a");
    const { type, user, view } = await edit({
      ...file.script,
      "edit.check": ({ path, base }) => ({ ...checked(path, [], NEW), same_base: base === NEW }),
    });
    file.write("other", NEW);
    type("b");
    await user.click(await screen.findByRole("button", { name: "Load the file again" }));
    await waitFor(() => expect(view.state.doc.toString()).toBe("other"));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(view.state.doc.toString()).toBe("ab"));
  });

  it("keeps the text while another tab of the drawer is on show", async () => {
    const { type, user } = await edit(disk("a").script);
    type("b");
    await user.click(screen.getByRole("tab", { name: "Summary" }));
    expect(screen.getByRole("tab", { name: /Source/ })).toContainElement(screen.getByLabelText("Unsaved changes"));
    await user.click(screen.getByRole("tab", { name: /Source/ }));
    const text = await screen.findByRole("textbox", { name: /Text of hooks.yaml/ });
    expect(text).toHaveTextContent("ab");
  });

  it.each<[string, () => HTMLElement]>([
    ["the drawer is closed", () => screen.getByRole("button", { name: "Close" })],
    ["a hook of another file is chosen", () => screen.getByText("normalize-paths")],
    ["another section is opened", () => screen.getByRole("link", { name: /History/ })],
  ])("asks once before unsaved changes are left: %s", async (_, wayOut) => {
    const { type, user } = await edit(disk("a").script);
    type("b");
    await screen.findByLabelText("Unsaved changes", { selector: ".in-tab" });
    await user.click(wayOut());
    const question = await screen.findByRole("alertdialog");
    await user.click(within(question).getByRole("button", { name: /Keep editing/ }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).not.toBeInTheDocument());
    expect(screen.getByRole("textbox", { name: /Text of hooks.yaml/ })).toHaveTextContent("ab");
    await user.click(wayOut());
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Discard changes" }));
    await waitFor(() => expect(screen.queryByRole("textbox", { name: /Text of/ })).not.toBeInTheDocument());
    expect(screen.queryByRole("alertdialog")).not.toBeInTheDocument();
  });

  it("asks before a typed address is opened, and puts the old one back when the text is kept", async () => {
    const { type, user } = await edit(disk("a").script);
    type("b");
    await screen.findByLabelText("Unsaved changes", { selector: ".in-tab" });
    const before = window.location.hash;
    window.location.hash = "#/metrics";
    const question = await screen.findByRole("alertdialog");
    await user.click(within(question).getByRole("button", { name: /Keep editing/ }));
    await waitFor(() => expect(window.location.hash).toBe(before));
    expect(screen.getByRole("textbox", { name: /Text of hooks.yaml/ })).toHaveTextContent("ab");
    window.location.hash = "#/metrics";
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Discard changes" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Metrics" })).toBeInTheDocument();
    expect(window.location.hash).toMatch(/^#\/metrics/);
  });

  it("has the browser ask before the page is reloaded or closed, as long as the text is not saved", async () => {
    const { type, user } = await edit(disk("a").script);
    const leave = () => window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    expect(leave()).toBe(true);
    expect(useUnsaved.getState().files).toEqual([]);
    type("b");
    await waitFor(() => expect(useUnsaved.getState().files).toEqual([FILE]));
    expect(leave()).toBe(false);
    await user.click(screen.getByRole("tab", { name: /^Summary/ }));
    expect(leave()).toBe(false);
    act(() => useDrafts.setState({ drafts: {} }));
    expect(leave()).toBe(true);
    expect(useUnsaved.getState().files).toEqual([]);
  });

  it("asks nothing where nothing was changed", async () => {
    const { user } = await edit(disk("a").script);
    await user.click(screen.getByRole("button", { name: "Done" }));
    expect(await screen.findByRole("button", { name: /^Edit/ })).toBeInTheDocument();
    window.location.hash = "#/history";
    await screen.findByRole("heading", { level: 1, name: "History" });
  });

  it("opens a script that the hook names, and says whose it is", async () => {
    const script = `${PROJECT}/guard.py`;
    const { engine, user } = renderApp(`#/hooks?hook=${GUARD}&tab=source`, {
      ...disk("exit 0\n").script,
      "hooks.files": { files: [FILE, script] },
    });
    await user.click(await screen.findByRole("radio", { name: "guard.py" }));
    await user.click(await screen.findByRole("button", { name: /^Edit/ }));
    const text = await screen.findByRole("textbox", { name: /Text of guard.py/ });
    const view = EditorView.findFromDOM(text.closest<HTMLElement>(".cm-editor") as HTMLElement);
    view?.dispatch({ changes: { from: 0, insert: "# mine\n" } });
    const of = { project: PROJECT, path: script, hook: GUARD };
    await waitFor(() =>
      expect(callsOf(engine, "edit.check").at(-1)).toMatchObject({ ...of, text: "# mine\nexit 0\n" }),
    );
    expect(callsOf(engine, "hooks.text").at(-1)).toMatchObject(of);
    await user.click(screen.getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(callsOf(engine, "edit.save").at(-1)).toMatchObject({ ...of, dry_run: true }));
  });

  it("lists many files of a hook by their places", async () => {
    const scripts = ["a/run.py", "b/run.py", "c.py"].map((name) => `${PROJECT}/${name}`);
    const { user } = renderApp(`#/hooks?hook=${GUARD}&tab=source`, {
      ...disk("exit 0\n").script,
      "hooks.files": { files: [FILE, ...scripts] },
    });
    await user.click(await screen.findByRole("combobox", { name: "Files of the hook" }));
    expect(await screen.findByRole("option", { name: "b/run.py" })).toBeInTheDocument();
  });

  it("counts as unsaved until it is saved or undone", async () => {
    const { type, view } = await edit(disk("stop: []\n").script);
    type("#");
    await waitFor(() => expect(useUnsaved.getState().files).toEqual([FILE]));
    view.dispatch({ changes: { from: view.state.doc.length - 1, to: view.state.doc.length } });
    await waitFor(() => expect(useUnsaved.getState().files).toEqual([]));
  });
});
