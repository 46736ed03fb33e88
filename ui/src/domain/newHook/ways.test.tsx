import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { HistoryRow, Params, Reply } from "@/ipc";
import { Fault } from "@/ipc/fault";
import type { FakeEngine, Script } from "@/testing/fakeEngine";
import { GUARD } from "@/testing/newHookData";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, historyRows, PROJECT, sampleReplies, TRACE } from "@/testing/sampleData";
import { canBlock } from "./canBlock";
import { conditionIn, withCondition } from "./condition";
import { useNewHook, type Way } from "./newHook";
// Loaded before the first test begins, which would wait for it otherwise.
import "./NewHookSheet";
import "./DialectWay";
import "./RecordedWay";
import "./SampleWay";

afterEach(() => useNewHook.setState({ wanted: null }));

const WAYS: Record<Way, string> = {
  event: "An event",
  sample: "A sample",
  recorded: "A recorded event",
  dialect: "Another hook system",
};

async function sheetAt(way: Way, changes: Script = {}) {
  const app = renderApp("#/hooks", changes);
  await screen.findByRole("grid");
  await app.user.keyboard("n");
  const dialog = await screen.findByRole("dialog", { name: "New hook" });
  await app.user.click(await within(dialog).findByRole("radio", { name: WAYS[way] }));
  return { ...app, dialog };
}

/** Two dialects: that of the hooks, and one to convert them to. */
function withPicoclaw(): Reply<"dialects"> {
  const { dialects } = sampleReplies().dialects as Reply<"dialects">;
  return { dialects: [...dialects, { ...(dialects[0] as (typeof dialects)[0]), id: "picoclaw", name: "PicoClaw" }] };
}

/** The button, once nothing is in its way: it is another element then. */
async function ready(dialog: HTMLElement, name: RegExp): Promise<HTMLElement> {
  const button = () => within(dialog).getByRole("button", { name });
  await waitFor(() => expect(button()).not.toHaveAttribute("aria-disabled", "true"));
  return button();
}

function saved<M extends "edit.add" | "samples.add">(engine: FakeEngine, method: M): Params<M>[] {
  return (callsOf(engine, method) as Params<M>[]).filter(({ dry_run }) => !dry_run);
}

describe("a new hook from a sample", () => {
  it("shows everything that is written, and adds it where it is wanted", async () => {
    const { engine, user, dialog } = await sheetAt("sample");
    await waitFor(() => expect(dialog).toHaveTextContent('print("jcli/guard-shell")'));
    expect(within(dialog).getByRole("radio", { name: /guard-shell/ })).toBeChecked();
    expect(within(dialog).getByText("a guard that fails closed")).toBeInTheDocument();
    await user.click(within(dialog).getByRole("radio", { name: "Your own" }));
    const add = await ready(dialog, /Add sample/);
    expect(saved(engine, "samples.add")).toEqual([]);
    await user.click(add);
    await waitFor(() =>
      expect(saved(engine, "samples.add")).toEqual([{ project: PROJECT, sample: "jcli/guard-shell", layer: "user" }]),
    );
    expect(await screen.findByRole("button", { name: "Undo" })).toBeInTheDocument();
  });

  it("is found by a word of its sentence, and says when nothing is", async () => {
    const { user, dialog } = await sheetAt("sample");
    const search = await within(dialog).findByRole("textbox", { name: "Search" });
    await user.type(search, "loop");
    expect(await within(dialog).findByRole("radio", { name: /stop-gate/ })).toBeChecked();
    expect(within(dialog).queryByRole("radio", { name: /guard-shell/ })).toBeNull();
    await user.type(search, "zzz");
    expect(await within(dialog).findByText("Choose a sample.")).toBeInTheDocument();
  });

  it("says why it cannot be listed", async () => {
    const { dialog } = await sheetAt("sample", {
      "samples.list": () => {
        throw new Fault({ code: "unreachable", message: "the engine is gone" });
      },
    });
    expect(await within(dialog).findByText(/engine is gone/)).toBeInTheDocument();
  });
});

describe("a new hook from a recorded event", () => {
  it("is a guard that is tried before it is added with its script", async () => {
    const { engine, user, dialog } = await sheetAt("recorded");
    await user.click(await within(dialog).findByRole("button", { name: "Guard against this" }));
    const script = await within(dialog).findByRole("textbox", { name: "Script" });
    expect(script).toHaveDisplayValue(/BLOCKED = "rm -rf/);
    expect(callsOf(engine, "guards.draft")[0]).toEqual({
      dialect: TRACE.dialect,
      event: TRACE.event,
      payload: TRACE.payload_before,
    });
    await user.type(script, "# mine");
    const condition = within(dialog).getByRole("textbox", { name: "Only for this tool" });
    await user.clear(condition);
    await user.type(condition, "Shell");
    await user.click(within(dialog).getByRole("button", { name: "Test" }));
    await waitFor(() => expect(callsOf(engine, "hooks.try")).toHaveLength(1));
    expect(callsOf(engine, "hooks.try")[0]).toMatchObject({
      event: TRACE.event,
      payload: TRACE.payload_before,
      definition: { filter: { tool_name: "Shell" } },
      files: [{ path: GUARD.script.path, text: `${GUARD.script.text}# mine`, executable: true }],
    });
    expect(await within(dialog).findByRole("status")).toBeInTheDocument();
    const add = await ready(dialog, /Add hook/);
    expect(saved(engine, "edit.add")).toEqual([]);
    await user.click(add);
    await waitFor(() => expect(saved(engine, "edit.add")).toHaveLength(1));
    expect(saved(engine, "edit.add")[0]).toMatchObject({ layer: "project", files: [{ path: GUARD.script.path }] });
  });

  it("blocks what contains, begins with or matches a value, in a file of a name that is chosen", async () => {
    const { engine, user, dialog } = await sheetAt("recorded");
    await user.click(await within(dialog).findByRole("button", { name: "Guard against this" }));
    const script = await within(dialog).findByRole("textbox", { name: "Script" });
    const value = within(dialog).getByRole("textbox", { name: GUARD.field });
    expect(value).toHaveValue("rm -rf /tmp/x");
    expect(within(dialog).getByRole("radio", { name: "is" })).toBeChecked();
    await user.click(within(dialog).getByRole("radio", { name: "begins with" }));
    expect(script).toHaveDisplayValue(/found\.startswith\(BLOCKED\)/);
    await user.clear(value);
    await user.type(value, "rm -r");
    expect(script).toHaveDisplayValue(/BLOCKED = "rm -r"/);
    const name = within(dialog).getByRole("textbox", { name: "Name" });
    await user.clear(name);
    expect(within(dialog).getByText(/Use small letters/)).toBeInTheDocument();
    await user.type(name, "no_rm");
    await user.click(await ready(dialog, /Add hook/));
    await waitFor(() => expect(saved(engine, "edit.add")).toHaveLength(1));
    const [{ definition, files = [] }] = saved(engine, "edit.add") as [Params<"edit.add">];
    expect(definition).toMatchObject({ command: "python3 .jcli/hooks/no_rm.py" });
    expect(files).toMatchObject([{ path: ".jcli/hooks/no_rm.py", text: expect.stringContaining('"rm -r"') }]);
  });

  it("is tried again where it was changed since, which the verdict shows", async () => {
    const { user, dialog } = await sheetAt("recorded");
    await user.click(await within(dialog).findByRole("button", { name: "Guard against this" }));
    const script = await within(dialog).findByRole("textbox", { name: "Script" });
    await user.click(within(dialog).getByRole("button", { name: "Test" }));
    const verdict = await within(dialog).findByRole("status");
    expect(verdict).toHaveClass("deny");
    await user.type(script, "# mine");
    expect(verdict).not.toHaveClass("deny");
  });

  it("can be stopped while it is tried", async () => {
    const forever = () => new Promise<typeof TRACE>(() => undefined);
    const { engine, user, dialog } = await sheetAt("recorded", {
      "hooks.try": forever,
      "fire.stop": { stopped: true },
    });
    await user.click(await within(dialog).findByRole("button", { name: "Guard against this" }));
    await within(dialog).findByRole("textbox", { name: "Script" });
    expect(within(dialog).queryByRole("button", { name: "Stop" })).not.toBeInTheDocument();
    await user.click(within(dialog).getByRole("button", { name: "Test" }));
    await user.click(await within(dialog).findByRole("button", { name: "Stop" }));
    const { run } = callsOf(engine, "hooks.try")[0] as Params<"hooks.try">;
    expect(callsOf(engine, "fire.stop")).toEqual([{ run }]);
  });

  it("is asked for in the drawer of History", async () => {
    const { user } = renderApp(`#/history?trace=${TRACE.trace}`);
    await user.click(await screen.findByRole("button", { name: /Guard against this/ }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(await within(dialog).findByRole("textbox", { name: "Script" })).toBeInTheDocument();
  });

  it("leads to a hook for the event where none can block it", async () => {
    const { user, dialog } = await sheetAt("recorded", { "guards.draft": { can_block: false, guard: null } });
    await user.click(await within(dialog).findByRole("button", { name: "Guard against this" }));
    expect(await within(dialog).findByText(`${TRACE.event} cannot block`)).toBeInTheDocument();
    await user.click(within(dialog).getByRole("button", { name: "New hook for this event" }));
    expect(await within(dialog).findByRole("combobox", { name: "Event" })).toHaveTextContent(TRACE.event);
  });

  it("warns of masked values, and says when nothing was recorded", async () => {
    const masked = { can_block: true, guard: { ...GUARD, masked: true } };
    const { user, dialog } = await sheetAt("recorded", { "guards.draft": masked });
    await user.click(await within(dialog).findByRole("button", { name: "Guard against this" }));
    expect(await within(dialog).findByText(/Secrets in this value were masked/)).toBeInTheDocument();
  });

  it("says when nothing was recorded", async () => {
    const { dialog } = await sheetAt("recorded", { "history.page": { traces: [], next: null } });
    expect(await within(dialog).findByText("No recorded events")).toBeInTheDocument();
  });

  it("offers an event that comes while the list is open, and asks for none before", async () => {
    let traces: HistoryRow[] = [];
    const { engine, dialog } = await sheetAt("recorded", { "history.page": () => ({ traces, next: null }) });
    await within(dialog).findByText("No recorded events");
    const asked = callsOf(engine, "history.page").length;
    traces = historyRows(1);
    act(() => engine.push({ kind: "traces", rows: traces.map((row) => ({ ...row, project: PROJECT })) }));
    expect(await within(dialog).findByText(traces[0]?.event ?? "", {}, { timeout: 3000 })).toBeInTheDocument();
    expect(callsOf(engine, "history.page")).toHaveLength(asked + 1);
  });
});

describe("a new hook from another dialect", () => {
  it("is the conversion of the chosen hook", async () => {
    const { engine, user, dialog } = await sheetAt("dialect", { dialects: withPicoclaw() });
    const first = HOOKS[0];
    if (first === undefined) throw new Error("no sample");
    await user.click(await within(dialog).findByRole("button", { name: /Convert/ }));
    expect(await within(dialog).findByRole("button", { name: /Write files/ })).toBeInTheDocument();
    await waitFor(() => expect(callsOf(engine, "hooks.convert")[0]).toMatchObject({ hook: first.hook, dry_run: true }));
  });
});

describe("the condition of a guard", () => {
  it("is read and written at its dotted field, and left out where it is empty", () => {
    const definition = { command: "x", filter: { tool_name: "Bash" } };
    expect(conditionIn(definition, "filter.tool_name")).toBe("Bash");
    expect(conditionIn(definition, "filter.other")).toBeUndefined();
    expect(withCondition(definition, "filter.tool_name", "Shell")).toEqual({
      command: "x",
      filter: { tool_name: "Shell" },
    });
    expect(withCondition(definition, "filter.tool_name", "")).toEqual({ command: "x" });
    expect(withCondition({ matcher: "a", command: "x" }, "matcher", "")).toEqual({ command: "x" });
  });

  it("is for events that can be blocked", () => {
    const event = { notify_only: false, verdicts: ["proceed", "deny"] } as unknown as Parameters<typeof canBlock>[0];
    expect(canBlock(event)).toBe(true);
    expect(canBlock(event && { ...event, verdicts: ["approve"] })).toBe(false);
    expect(canBlock(event && { ...event, notify_only: true })).toBe(false);
    expect(canBlock(undefined)).toBe(false);
  });
});
