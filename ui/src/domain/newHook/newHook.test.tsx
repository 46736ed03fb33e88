import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import type { FirstValue, HookTemplate, Params } from "@/ipc/types";
import { edited } from "@/testing/editReplies";
import type { FakeEngine } from "@/testing/fakeEngine";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROBLEMS, PROJECT, PROJECT_LIST } from "@/testing/sampleData";
import { useNewHook } from "./newHook";
import { definitionOf } from "./template";
import { freeName } from "./useNewHookForm";
// Loaded before the first test begins, which would wait for it otherwise.
import "./NewHookSheet";

afterEach(() => useNewHook.setState({ wanted: null }));

const NAME: FirstValue = { field: "name", value: "guard" };

const added = (engine: FakeEngine) =>
  (callsOf(engine, "edit.add") as Params<"edit.add">[]).filter(({ dry_run }) => !dry_run);

describe("the templates of new hooks", () => {
  const script = { field: "script", value: "name = '@name@' # @other@" } as const;
  const template: HookTemplate = {
    kind: "guard",
    fields: [],
    definition: { name: "@name@", command: ["python3", "-c", "@script@"], filter: { tool: "@tool@" }, timeout: 5 },
  };

  it("are filled with what stands in the form, without what is empty", () => {
    const filled = (tool: string) => definitionOf(template, [{ field: "tool", value: tool }, script, NAME]);
    const rest = { name: "guard", command: ["python3", "-c", "name = 'guard' # @other@"], timeout: 5 };
    expect(filled("Bash")).toEqual({ ...rest, filter: { tool: "Bash" } });
    expect(filled("")).toEqual(rest);
    expect(definitionOf(template, [script, NAME])).toEqual(rest);
  });

  it("suggest a name that no hook has", () => {
    expect(freeName("guard", new Set())).toBe("guard");
    expect(freeName("guard", new Set(["guard", "guard-2"]))).toBe("guard-3");
  });
});

describe("a new hook", () => {
  it("is asked for with N, begins at its first field, shows what is added, and is chosen in the list afterwards", async () => {
    const list = PROJECT_LIST;
    const id = "jcli:project:pre_tool_execution:9";
    const health = { state: "needs_review" as const, code: null, args: {}, at: null };
    const row = { ...(HOOKS[3] as (typeof HOOKS)[number]), hook: id, label: "brand-new", trusted: false, health };
    let there = false;
    const { engine, user } = renderApp("#/hooks", {
      "hooks.list": () => ({ ...list, hooks: there ? [...list.hooks, row] : list.hooks }) as never,
    });
    await screen.findByRole("grid");
    await user.keyboard("n");
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(within(dialog).getByRole("combobox", { name: "Hook system" })).toHaveFocus();
    await waitFor(() => expect(dialog).toHaveTextContent("new file"));
    expect(dialog).toHaveTextContent("- command: true");
    expect(dialog).toHaveTextContent(
      "If the hook itself fails, on_error: abort blocks; without it the agent continues.",
    );
    expect(added(engine)).toEqual([]);
    there = true;
    await user.click(within(dialog).getByRole("button", { name: /Add hook/ }));
    await waitFor(() => expect(added(engine)).toHaveLength(1));
    expect(added(engine)[0]).toMatchObject({
      project: PROJECT,
      dialect: "jcli",
      event: "pre_tool_execution",
      layer: "project",
      definition: { on_error: "abort", filter: { tool_matcher: "Bash|Shell" } },
    });
    expect(await screen.findByText(/was added/)).toBeInTheDocument();
    const drawer = await screen.findByRole("region", { name: "Hook" });
    expect(within(drawer).getByRole("heading", { level: 2 })).toHaveTextContent("brand-new");
    expect(within(drawer).getByRole("button", { name: /Review/ })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "E1" }]));
  });

  it("goes to the place and begins with the template that are chosen", async () => {
    const { engine, user } = renderApp("#/hooks");
    await user.click(await screen.findByRole("button", { name: /New hook/ }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    await user.click(await within(dialog).findByRole("radio", { name: "Your own" }));
    await user.click(within(dialog).getByRole("radio", { name: "Ask a model" }));
    const prompt = within(dialog).getByRole("textbox", { name: "Prompt" });
    expect(prompt).toHaveDisplayValue(/tool_name: \{\{tool_name\}\}/);
    await user.clear(prompt);
    await user.type(prompt, "Safe?");
    await waitFor(() =>
      expect(callsOf(engine, "edit.add").at(-1)).toMatchObject({
        layer: "user",
        definition: { type: "llm", prompt: "Safe?" },
        dry_run: true,
      }),
    );
  });

  it("names other hooks by their labels in what the engine says of it", async () => {
    const other = HOOKS[0];
    const [problem] = PROBLEMS;
    if (other === undefined || problem === undefined) throw new Error("no sample");
    const { user } = renderApp("#/hooks", {
      "edit.add": ({ event }) =>
        edited(`jcli:project:${event}:9`, {
          written: false,
          diff: "--- a\n+++ a\n@@ -1 +1,2 @@\n x\n+y\n",
          problems: [
            {
              ...problem,
              code: "drops_changes",
              message: `if this hook stops or skips, the changes made by ${other.hook} are discarded`,
              hint: "",
              args: { other: other.hook },
            },
          ],
        }),
    });
    await user.click(await screen.findByRole("button", { name: /New hook/ }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(await within(dialog).findByText(/are discarded/)).toHaveTextContent(`made by ${other.label} are`);
  });

  it("says why nothing can be added, and adds nothing then", async () => {
    const { engine, user } = renderApp("#/hooks", {
      "edit.add": () => {
        throw new Fault({ code: "edit_name_taken", message: "`guard` already exists", hint: "choose another name" });
      },
    });
    await user.click(await screen.findByRole("button", { name: /New hook/ }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(await within(dialog).findByText(/choose another name/i)).toBeInTheDocument();
    await user.click(within(dialog).getByRole("button", { name: /Add hook/ }));
    expect(added(engine)).toEqual([]);
  });

  it("begins at the event of the lifecycle map that was chosen", async () => {
    const { user } = renderApp("#/hooks?view=lifecycle&event=session_end");
    await screen.findByText("No hook listens here.");
    const drawer = screen.getByRole("region", { name: "Event" });
    await user.click(within(drawer).getByRole("button", { name: /New hook/ }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(await within(dialog).findByRole("combobox", { name: "Event" })).toHaveTextContent("session_end");
  });

  it("begins at the event that is fired", async () => {
    const { user } = renderApp("#/fire?dialect=jcli&event=stop");
    await user.click(await screen.findByRole("button", { name: /New hook/ }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(await within(dialog).findByRole("combobox", { name: "Event" })).toHaveTextContent("stop");
  });
});
