import { EditorView } from "@codemirror/view";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { showLanguage } from "@/i18n";
import type { HookRow, Params, Problem, Reply } from "@/ipc";
import { Fault } from "@/ipc/fault";
import { checked } from "@/testing/editReplies";
import type { Script } from "@/testing/fakeEngine";
import { FILTERS } from "@/testing/filterData";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROJECT, PROJECT_LIST, sampleReplies } from "@/testing/sampleData";
import { GROUPED, LISTED } from "@/testing/sampleDefinitions";
import { useDrafts } from "../source/drafts";

const GUARD = "jcli:project:pre_tool_execution:1";
const FILE = `${PROJECT}/.jcli/hooks.yaml`;
const BASE = "a".repeat(64);
const TEXT = "pre_tool_execution:\n  - command: one\n  - command: two # mine\n    timeout: 1\n";

function row(hook: string, line: number, definition: Record<string, unknown>): HookRow {
  const known = HOOKS.find((one) => one.hook === GUARD);
  if (known === undefined) throw new Error("no guard");
  return { ...known, hook, line, label: String(definition.command), filter: null, definition };
}

const ROWS = [
  row("jcli:project:pre_tool_execution:0", 2, { command: "one" }),
  row(GUARD, 3, { command: "two", timeout: 1 }),
];

/** The check of the text: two hooks, the second of which may have a problem. */
function checkOf(problems: Problem[] = [], rows = ROWS): Reply<"edit.check"> {
  const doc = checked(FILE, rows, BASE);
  const lines = [
    { hook: ROWS[0]?.hook ?? "", line: 2, end_line: 2, fields: [] },
    {
      hook: GUARD,
      line: 3,
      end_line: 4,
      fields: [
        { field: "command", line: 3, column: 14 },
        { field: "timeout", line: 4, column: 14 },
      ],
    },
  ];
  return { ...doc, lines, problems };
}

function problem(part: Partial<Problem>): Problem {
  const [known] = PROJECT_LIST.problems;
  if (known === undefined) throw new Error("no problem");
  return { ...known, path: FILE, hook: GUARD, line: 4, column: 14, ...part };
}

const file: Script = {
  "hooks.text": ({ path }) => ({
    path,
    text: TEXT,
    hash: BASE,
    dialect: "jcli",
    hooks: [{ hook: GUARD, line: 3, end_line: 4, fields: [] }],
    problems: [],
    last_good: false,
  }),
  "edit.check": () => checkOf(),
};

afterEach(async () => {
  useDrafts.setState({ drafts: {}, wanted: null });
  await act(() => showLanguage("en"));
});

async function edit(script: Script = {}) {
  const app = renderApp(`#/hooks?hook=${GUARD}&tab=source`, { ...file, ...script });
  // By its text: a search by role is repeated with each change of the page, and slows down what it waits for.
  await app.user.click(await screen.findByText("Edit"));
  const text = await screen.findByRole("textbox", { name: /Text of hooks.yaml/ });
  const view = EditorView.findFromDOM(text.closest<HTMLElement>(".cm-editor") as HTMLElement);
  if (view === null) throw new Error("no editor");
  const form = await screen.findByRole("region", { name: "Form of two" });
  return { ...app, view, form };
}

describe("the form of a hook", () => {
  it("shows the fields of the schema with the values of the text", async () => {
    const { form } = await edit();
    expect(within(form).getByLabelText("Command")).toHaveValue("two");
    expect(within(form).getByLabelText("Time limit")).toHaveValue("1");
    expect(within(form).getByRole("radiogroup", { name: "If it fails" })).toBeInTheDocument();
    // A prompt has no effect on a command.
    expect(within(form).queryByLabelText("Prompt")).not.toBeInTheDocument();
    expect(form).toHaveTextContent("the agent continues");
  });

  it("changes the text by the engine, and keeps everything else of it", async () => {
    const changed = TEXT.replace("timeout: 1", "timeout: 15");
    const { engine, form, user, view } = await edit({ "edit.fields": { text: changed, hook: GUARD } });
    await user.type(within(form).getByLabelText("Time limit"), "5");
    await waitFor(() => expect(view.state.doc.toString()).toBe(changed));
    expect(callsOf(engine, "edit.fields")).toEqual([
      {
        project: PROJECT,
        path: FILE,
        dialect: "jcli",
        text: TEXT,
        hook: GUARD,
        steps: [{ do: "set", field: "timeout", value: 15 }],
      },
    ]);
    expect(within(form).getByLabelText("Time limit")).toHaveValue("15");
  });

  it("removes an optional field that is emptied", async () => {
    const { engine, form, user } = await edit();
    await user.clear(within(form).getByLabelText("Time limit"));
    await waitFor(() =>
      expect(callsOf(engine, "edit.fields").at(-1)).toMatchObject({ steps: [{ do: "unset", field: "timeout" }] }),
    );
  });

  it("shows what the text says once it was changed there", async () => {
    const rows = [ROWS[0] as HookRow, { ...(ROWS[1] as HookRow), definition: { command: "three" } }];
    const { form, view } = await edit({
      "edit.check": ({ text }) => checkOf([], text.includes("three") ? rows : ROWS),
    });
    const from = view.state.doc.toString().indexOf("two");
    view.dispatch({ changes: { from, to: from + 3, insert: "three" } });
    await waitFor(() => expect(within(form).getByLabelText("Command")).toHaveValue("three"));
    expect(within(form).getByLabelText("Time limit")).toHaveValue("");
  });

  it("follows the cursor into another hook", async () => {
    const { view } = await edit();
    act(() => view.dispatch({ selection: { anchor: view.state.doc.line(2).from } }));
    const form = await screen.findByRole("region", { name: "Form of one" });
    expect(within(form).getByLabelText("Command")).toHaveValue("one");
  });

  it("shows a problem at its field, with a fix that changes the text", async () => {
    const wrong = problem({ code: "out_of_range", message: "too small", args: { field: "timeout" }, hint: null });
    const rows = [ROWS[0] as HookRow, { ...(ROWS[1] as HookRow), definition: { command: "two", timeout: 9000 } }];
    const { engine, form, user } = await edit({ "edit.check": () => checkOf([wrong], rows) });
    await user.click(await within(form).findByRole("button", { name: "Use 3600" }));
    await waitFor(() =>
      expect(callsOf(engine, "edit.fields").at(-1)).toMatchObject({
        steps: [{ do: "set", field: "timeout", value: 3600 }],
      }),
    );
  });

  it("renames a misspelled key to the nearest one", async () => {
    const wrong = problem({ code: "unknown_field", column: 5, args: { field: "tmeout", nearest: "timeout" } });
    const rows = [ROWS[0] as HookRow, { ...(ROWS[1] as HookRow), definition: { command: "two", tmeout: 4 } }];
    const { engine, form, user } = await edit({ "edit.check": () => checkOf([wrong], rows) });
    await user.click(await within(form).findByRole("button", { name: "Rename to timeout" }));
    await waitFor(() =>
      expect(callsOf(engine, "edit.fields").at(-1)).toMatchObject({
        steps: [
          { do: "unset", field: "tmeout" },
          { do: "set", field: "timeout", value: 4 },
        ],
      }),
    );
  });

  it("says why a change is refused", async () => {
    const { form, user, view } = await edit({
      "edit.fields": () => {
        throw new Fault({ code: "edit_form", message: "line 3 uses syntax that cannot be edited in place" });
      },
    });
    await user.type(within(form).getByLabelText("Command"), "x");
    expect(await within(form).findByText(/syntax that cannot be edited in place/)).toBeInTheDocument();
    expect(view.state.doc.toString()).toBe(TEXT);
    expect(within(form).getByLabelText("Command")).toHaveValue("two");
  });

  it("tests the unsaved text without running anything", async () => {
    const { engine, form, user, view } = await edit();
    act(() => view.dispatch({ changes: { from: TEXT.length, insert: "#" } }));
    await user.click(within(form).getByRole("button", { name: "Test before saving" }));
    await screen.findByRole("dialog", { name: "Test two without saving" });
    await waitFor(() =>
      expect(callsOf(engine, "explain").at(-1)).toMatchObject({ unsaved: { path: FILE, text: `${TEXT}#` } }),
    );
    expect(callsOf(engine, "fire")).toEqual([]);
  });

  it("speaks the language of the window", async () => {
    await edit();
    await act(() => showLanguage("zh-CN"));
    const form = await screen.findByRole("region", { name: "two 的表单" });
    expect(within(form).getByLabelText("时限")).toHaveValue("1");
    expect(form).toHaveTextContent("Agent 继续执行");
  });
});

describe("a condition that is a field of its own", () => {
  it("is built as in the drawer, with what the unsaved text would match", async () => {
    const { dialects } = sampleReplies();
    const [dialect] = (dialects as Reply<"dialects">).dialects;
    const [known] = FILTERS;
    if (dialect === undefined || known === undefined) throw new Error("no dialect");
    const matcher = { ...known, key: "matcher", field: "matcher", test: "whole" };
    const event = dialect.events.map((one) => ({ ...one, compares: { matcher: "tool_name" } }));
    const rows = ROWS.map((one) => ({ ...one, filter: { matcher: "Bash|Shell" } }));
    const { engine, form, user } = await edit({
      definitions: { definitions: [{ ...LISTED, outside: GROUPED.outside }] },
      dialects: { dialects: [{ ...dialect, filters: [matcher], events: event }] },
      "edit.check": () => checkOf([], rows),
    });
    expect(await within(form).findByText("fully matches")).toBeInTheDocument();
    expect(within(form).getByLabelText("matcher")).toHaveValue("Bash|Shell");
    const asked = callsOf(engine, "history.match") as Params<"history.match">[];
    await waitFor(() => expect(asked.some(({ unsaved }) => unsaved?.text === TEXT)).toBe(true));
    await user.click(within(form).getByLabelText("Remove matcher"));
    await waitFor(() =>
      expect(callsOf(engine, "edit.fields").at(-1)).toMatchObject({ steps: [{ do: "unset", field: "matcher" }] }),
    );
  });
});
