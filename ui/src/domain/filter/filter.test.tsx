import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Params } from "@/ipc/types";
import { FILTERS, matchEvents } from "@/testing/filterData";
import { callsOf, renderApp } from "@/testing/render";
import { EVENTS, NOW } from "@/testing/sampleData";
import { clauseFault, filterOf, filterSteps, namesOf, neverMatching, widened, withNames } from "./clauses";

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

describe("the filter builder", () => {
  const open = async () => {
    const app = renderApp("#/hooks?hook=jcli:project:pre_tool_execution:1", { "history.match": matchEvents(NOW) });
    await app.user.click(await screen.findByRole("button", { name: "Edit condition" }));
    const sheet = await screen.findByRole("dialog", { name: "Condition of guard-shell" });
    return { ...app, sheet: within(sheet) };
  };

  it("counts the matches at every key, beside what is saved", async () => {
    const { user, sheet, engine } = await open();
    expect(await sheet.findByText(/Matches 89 of the last 200 events/)).toBeInTheDocument();
    await user.type(sheet.getByRole("textbox", { name: "tool_matcher" }), "Grep");
    expect(await sheet.findByText("+22 would match")).toBeInTheDocument();
    const asked = callsOf(engine, "history.match") as Params<"history.match">[];
    expect(asked.at(-1)?.steps).toEqual([{ do: "set", field: "filter.tool_matcher", value: "Bash|Shell|Grep" }]);
  });

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
