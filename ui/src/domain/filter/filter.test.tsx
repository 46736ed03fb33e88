import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { TooltipProvider } from "@/components";
import { createQueryClient } from "@/ipc";
import { replaceTransport } from "@/ipc/transport";
import type { Dialect, Params } from "@/ipc/types";
import { fakeEngine } from "@/testing/fakeEngine";
import { FILTERS, matchEvents } from "@/testing/filterData";
import { callsOf, renderApp } from "@/testing/render";
import { EVENTS, NOW, sampleReplies } from "@/testing/sampleData";
import { clauseFault, filterOf, filterSteps, namesOf, neverMatching, widened, withNames } from "./clauses";
import FilterBuilder from "./FilterBuilder";

const eventOf = (name: string) => {
  const found = EVENTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const TOOL = eventOf("pre_tool_execution");
const filterNamed = (key: string) => {
  const found = FILTERS.find((one) => one.key === key);
  if (found === undefined) throw new Error(key);
  return found;
};

describe("the conditions of a hook", () => {
  it("are read from the definition, and from the row where others share them", () => {
    const definition = { command: "x", filter: { tool_name: "Bash" } };
    expect(filterOf({ definition, filter: null }, FILTERS)).toEqual({ tool_name: "Bash" });
    expect(filterOf({ definition: {}, filter: { tool_matcher: "A" } }, FILTERS)).toEqual({ tool_matcher: "A" });
  });

  it("become the smallest edit, and take an empty mapping with them", () => {
    const definition = { filter: { tool_name: "Bash" } };
    const before = { tool_name: "Bash" };
    expect(filterSteps(definition, before, before, FILTERS)).toEqual([]);
    expect(filterSteps(definition, before, {}, FILTERS)).toEqual([{ do: "unset", field: "filter" }]);
    expect(filterSteps(definition, before, { tool_matcher: "A|B" }, FILTERS)).toEqual([
      { do: "unset", field: "filter.tool_name" },
      { do: "set", field: "filter.tool_matcher", value: "A|B" },
    ]);
    const others = { filter: { tool_name: "Bash", note: 1 } };
    expect(filterSteps(others, before, {}, FILTERS)).toEqual([{ do: "unset", field: "filter.tool_name" }]);
  });

  it("say why they do nothing", () => {
    const value = { tool_name: "Bash", tool_matcher: "A", model_prefix: "gpt" };
    expect(FILTERS.map((filter) => clauseFault(filter, value, TOOL))).toEqual([null, "overruled", "never"]);
    expect(neverMatching(FILTERS, value, TOOL)).toEqual(["model_prefix"]);
  });

  it("are widened by what nearly matched, keeping what matches already", () => {
    const near = { key: "tool_matcher", got: "bash", near_miss: "case" as const };
    const wider = widened(FILTERS, { tool_matcher: "Bash|Shell" }, near, TOOL);
    expect(wider?.value).toEqual({ tool_matcher: "Bash|Shell|bash" });
    const exact = widened(FILTERS, { tool_name: "Bash" }, { ...near, key: "tool_name" }, TOOL);
    expect(exact?.value, "an exact name becomes a list of names").toEqual({ tool_matcher: "Bash|bash" });
    expect(widened(FILTERS, { tool_matcher: "Bash" }, { ...near, got: "rm -rf" }, TOOL)).toBeNull();
  });

  it("keep the form of a pattern of names, and leave any other pattern alone", () => {
    const whole = { ...filterNamed("tool_matcher"), test: "search" };
    expect(namesOf(whole, "^(Shell|Bash)$")).toEqual(["Shell", "Bash"]);
    expect(withNames(whole, "^Shell$", ["Shell", "bash"])).toBe("^(Shell|bash)$");
    expect(namesOf(whole, "Sh.*")).toBeNull();
    expect(withNames(whole, "A", [])).toBeUndefined();
  });
});

const HOOK = "jcli:project:pre_tool_execution:1";
const SAVED = { tool_matcher: "Bash|Shell" };

/** The builder alone, whose changes are compared as steps of an edit. */
function Builder({ dialect }: { dialect: Dialect }) {
  const [value, setValue] = useState<Readonly<Record<string, unknown>>>(SAVED);
  const ask = { project: "/p", dialect: dialect.id, event: TOOL.name, hook: HOOK };
  const steps = filterSteps({ filter: SAVED }, SAVED, value, FILTERS);
  return (
    <FilterBuilder
      dialect={dialect}
      event={TOOL}
      value={value}
      onChange={setValue}
      ask={{ ...ask, steps }}
      saved={{ ask, value: SAVED }}
    />
  );
}

describe("the filter builder", () => {
  it("counts the matches at every key, beside what is saved", async () => {
    const engine = fakeEngine({ "history.match": matchEvents(NOW) });
    replaceTransport(engine);
    const { dialects } = sampleReplies();
    const [dialect] = (dialects as { dialects: Dialect[] }).dialects;
    if (dialect === undefined) throw new Error("no dialect");
    render(
      <QueryClientProvider client={createQueryClient()}>
        <TooltipProvider>
          <Builder dialect={dialect} />
        </TooltipProvider>
      </QueryClientProvider>,
    );
    expect(await screen.findByText(/Matches 89 of the last 200 events/)).toBeInTheDocument();
    await userEvent.type(screen.getByPlaceholderText("add name"), "Grep");
    expect(await screen.findByText("+22 would match")).toBeInTheDocument();
    const asked = (callsOf(engine, "history.match") as Params<"history.match">[]).map(({ steps }) => steps?.at(0));
    const typed = ["G", "Gr", "Gre", "Grep"].map((name) => `Bash|Shell|${name}`);
    for (const value of typed) expect(asked).toContainEqual({ do: "set", field: "filter.tool_matcher", value });
  });

  const open = async () => {
    const app = renderApp("#/hooks?hook=jcli:project:pre_tool_execution:1", { "history.match": matchEvents(NOW) });
    // By their texts: a search by role is repeated with each change of the page, and slows down what it waits for.
    await app.user.click(await screen.findByText("Edit condition"));
    await screen.findByText("Condition of guard-shell");
    const sheet = screen.getByRole("dialog", { name: "Condition of guard-shell" });
    return { ...app, sheet: within(sheet) };
  };

  it("adds a near miss with one click, shows the exact change, writes it and can undo it", async () => {
    const { user, sheet, engine } = await open();
    await user.click(await sheet.findByRole("button", { name: "Add bash" }));
    const save = () => sheet.getByRole("button", { name: /Save condition/ });
    await waitFor(() => expect(save()).not.toHaveAttribute("aria-disabled", "true"));
    await user.click(save());
    await waitFor(() => {
      const made = (callsOf(engine, "edit.change") as Params<"edit.change">[]).filter((one) => !one.dry_run);
      expect(made.map(({ steps }) => steps)).toEqual([
        [{ do: "set", field: "filter.tool_matcher", value: "Bash|Shell|bash" }],
      ]);
    });
    expect(await screen.findByText("The condition of guard-shell was changed.")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Undo" })).toBeInTheDocument();
  });

  it("marks a condition that can never match, and counts without it", async () => {
    const { user, sheet } = await open();
    await user.click(await sheet.findByRole("button", { name: "model_prefix" }));
    await user.type(sheet.getByRole("textbox", { name: "model_prefix" }), "gpt");
    expect(sheet.getByText(/Never set at pre_tool_execution/)).toBeInTheDocument();
    expect(await sheet.findByText(/Counted without/)).toBeInTheDocument();
    expect(sheet.getByText(/Matches 89 of the last 200 events/)).toBeInTheDocument();
  });
});
