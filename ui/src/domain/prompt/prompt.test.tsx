import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Params, Reply } from "@/ipc/types";
import { matchEvents } from "@/testing/filterData";
import { answersTo } from "@/testing/promptData";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, NOW, REVIEW_PROMPT, STATE } from "@/testing/sampleData";
import { chipsOf, faultsOf, groupsOf, type PromptPart, placed } from "./template";

const part = (written: string, kind: PromptPart["kind"], name: string | null = null): PromptPart => ({
  kind,
  written,
  text: written,
  name,
  nearest: null,
});

describe("the parts of a template", () => {
  const parts = placed([
    part("a\n b ", "text"),
    part("{{cwd}}", "value", "cwd"),
    part("\n", "text"),
    part("{{model}}", "empty", "model"),
    part("{{x}}", "unknown", "x"),
  ]);

  it("have places in the text", () => {
    expect(chipsOf(parts)).toEqual([
      { kind: "value", from: 5, to: 12 },
      { kind: "empty", from: 13, to: 22 },
      { kind: "unknown", from: 22, to: 27 },
    ]);
    expect(parts.map(({ line, column }) => [line, column])).toEqual([
      [1, 1],
      [2, 4],
      [2, 11],
      [3, 1],
      [3, 10],
    ]);
  });

  it("are wrong where a name is unknown, or always empty, but not where only this event has no value", () => {
    const variables = (is_set: boolean) => [{ name: "model", is_set, value: null }];
    expect(faultsOf(parts, variables(false)).map(({ name }) => name)).toEqual(["model", "x"]);
    expect(faultsOf(parts, variables(true)).map(({ name }) => name)).toEqual(["x"]);
  });
});

describe("the variables of a template", () => {
  it("are filled only where the event on show has a value", () => {
    const variables = [
      { name: "cwd", is_set: true, value: "/p" },
      { name: "model", is_set: true, value: null },
      { name: "user_input", is_set: false, value: null },
    ];
    const { filled, unfilled, empty } = groupsOf(variables);
    expect([filled, unfilled, empty].map((group) => group.map(({ name }) => name))).toEqual([
      ["cwd"],
      ["model"],
      ["user_input"],
    ]);
  });
});

describe("the prompt editor", () => {
  const open = async (changes: Parameters<typeof renderApp>[1] = {}) => {
    const app = renderApp("#/hooks?hook=jcli:project:pre_tool_execution:2", {
      "history.match": matchEvents(NOW),
      state: { ...STATE, model: { configured: true, why: null, code: null, args: {} } },
      ...changes,
    });
    await app.user.click(await screen.findByRole("button", { name: "Edit prompt" }));
    const sheet = within(await screen.findByRole("dialog", { name: "Prompt of tool-safety-review" }));
    await sheet.findByRole("region", { name: "Preview" });
    return { ...app, sheet };
  };

  it("groups the variables by what they are here, and shows what the model reads of a recorded event", async () => {
    const { sheet, engine } = await open();
    expect(sheet.getByText("Filled at pre_tool_execution")).toBeInTheDocument();
    expect(sheet.getByText("Empty in this event").nextElementSibling).toHaveTextContent("model");
    expect(sheet.getByText(/always empty at/)).toBeInTheDocument();
    expect(sheet.getByText(/Answer with exactly one JSON object/)).toBeInTheDocument();
    expect(await sheet.findByText("1 / 89")).toBeInTheDocument();
    const asked = callsOf(engine, "prompt.render") as Params<"prompt.render">[];
    expect(asked.at(-1)?.trace).toEqual(expect.any(String));
  });

  it("mends an unknown variable, and writes the template after its difference was shown", async () => {
    const { user, sheet, engine } = await open();
    await user.click(await sheet.findByRole("button", { name: "Use tool_arguments" }));
    await user.click(sheet.getByRole("button", { name: "Review change" }));
    await waitFor(() =>
      expect(sheet.getByRole("button", { name: /Save prompt/ })).not.toHaveAttribute("aria-disabled", "true"),
    );
    await user.click(sheet.getByRole("button", { name: /Save prompt/ }));
    const value = REVIEW_PROMPT.replace("{{tool_args}}", "{{tool_arguments}}");
    await waitFor(() => {
      const made = (callsOf(engine, "edit.change") as Params<"edit.change">[]).filter((one) => !one.dry_run);
      expect(made.map(({ steps }) => steps)).toEqual([[{ do: "set", field: "prompt", value }]]);
    });
    expect(await screen.findByText("The prompt of tool-safety-review was changed.")).toBeInTheDocument();
  });

  it("asks the model several times, counts as the answers come, and can be stopped", async () => {
    let end: (doc: Reply<"prompt.run">) => void = () => undefined;
    const running = new Promise<Reply<"prompt.run">>((done) => {
      end = done;
    });
    const { user, sheet, engine } = await open({ "prompt.run": () => running, "fire.stop": { stopped: true } });
    await user.click(sheet.getByRole("button", { name: "Run" }));
    await waitFor(() => expect(callsOf(engine, "prompt.run")).toHaveLength(1));
    const [{ run }] = callsOf(engine, "prompt.run") as [Params<"prompt.run">];
    const answers = answersTo(3);
    act(() => {
      for (const answer of answers) engine.push({ kind: "prompt_answer", run, of: 5, answer });
    });
    expect(await sheet.findByText("3 of 5 responses")).toBeInTheDocument();
    expect(sheet.getByText("2 / 3")).toBeInTheDocument();
    await user.click(sheet.getByRole("button", { name: /Stop/ }));
    expect(callsOf(engine, "fire.stop")).toEqual([{ run }]);
    end({ answers, times: 5, replied: 3, agreed: 2, valid: 3 });
    expect(await sheet.findByText("Asked 3 times about the same event.")).toBeInTheDocument();
  });

  it("says where a model is set, while there is none", async () => {
    const { sheet } = await open({
      state: { ...STATE, model: { configured: false, why: "x", code: null, args: {} } },
    });
    expect(sheet.getByRole("link", { name: "Add a model in Settings" })).toBeInTheDocument();
  });

  it("leads to the review of a hook that is not approved, whose model is not asked", async () => {
    const rows = HOOKS.map((row) => (row.label === "tool-safety-review" ? { ...row, trusted: false } : row));
    const { sheet } = await open({ "hooks.list": { hooks: rows, problems: [], sources: [] } });
    expect(await sheet.findByText(/Approve this hook to try its prompt/)).toBeInTheDocument();
    expect(sheet.getByRole("link", { name: "Review" })).toHaveAttribute(
      "href",
      expect.stringContaining("/trust?hook="),
    );
    expect(sheet.queryByRole("button", { name: "Run" })).toBeNull();
  });

  it("asks before it drops what was typed, by Escape or by a link", async () => {
    const { user, sheet } = await open({
      state: { ...STATE, model: { configured: false, why: "x", code: null, args: {} } },
    });
    await user.click(await sheet.findByRole("button", { name: "Use tool_arguments" }));
    await user.keyboard("{Escape}");
    const question = within(await screen.findByRole("alertdialog", { name: "Discard your changes?" }));
    await user.click(question.getByRole("button", { name: /Keep editing/ }));
    await user.click(sheet.getByRole("link", { name: "Add a model in Settings" }));
    await screen.findByRole("alertdialog", { name: "Discard your changes?" });
    expect(window.location.hash).toContain("/hooks");
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Settings" })).toBeInTheDocument();
  });
});
