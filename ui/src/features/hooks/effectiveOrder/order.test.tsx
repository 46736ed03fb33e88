import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, onTestFinished } from "vitest";
import { problemKey } from "@/domain/hooks/problemKey";
import type { Problem, Reply } from "@/ipc/types";
import { addressOf } from "@/testing/address";
import { CONFLICTS, DOCTOR_STORY, fixedMode } from "@/testing/doctorData";
import { listed } from "@/testing/listed";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROJECT } from "@/testing/sampleData";
import { LANE_IN_TWO_LINES, TWO_LINES } from "./LaneHead";
import { lanesOf } from "./lanes";

const GUARD = "jcli:project:pre_tool_execution:1";
const DONE: Reply<"edit.change"> = { ...fixedMode(true), hook: GUARD };

describe("effective order", () => {
  it("has the hooks of all sources in run order, and those that do not run without a place", () => {
    const hooks = HOOKS.map((hook) =>
      hook.hook === GUARD ? { ...hook, shadowed_by: "jcli:user:pre_tool_execution:1", position: null } : hook,
    );
    const lane = lanesOf(listed({ hooks, problems: CONFLICTS, sources: [] })).find(
      (one) => one.event === "pre_tool_execution",
    );
    expect(lane?.hooks.map((hook) => hook.label).slice(0, 2)).toEqual(["normalize-paths", "audit-log"]);
    expect(lane?.conflicts.map(({ problem }) => problem.code)).toEqual(["drops_changes", "duplicate_hook"]);
  });

  it("lists the conflicts with both hooks, and removes a duplicate on request", async () => {
    const { engine, user } = renderApp("#/hooks?view=order", {
      ...DOCTOR_STORY,
      "edit.remove": { ...DONE, hook: null },
    });
    const list = await screen.findByRole("list", { name: "Conflicts" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(2);
    await user.click(await within(list).findByRole("button", { name: "Remove guard-shell" }));
    await waitFor(() => expect(callsOf(engine, "edit.remove")).toMatchObject([{ project: PROJECT, hook: GUARD }]));
  });

  it("moves a guard to the front of its list", async () => {
    const { engine, user } = renderApp("#/hooks?view=order", { ...DOCTOR_STORY, "edit.change": DONE });
    await user.click(await screen.findByRole("button", { name: "Move tool-safety-review to the front" }));
    await waitFor(() =>
      expect(callsOf(engine, "edit.change")).toMatchObject([{ steps: [{ do: "move_to", place: 1 }] }]),
    );
  });

  it("gives the event of a chain a line of its own where the window is narrow", async () => {
    const wide = window.matchMedia;
    window.matchMedia = (query) => ({ ...wide(query), matches: query === LANE_IN_TWO_LINES });
    onTestFinished(() => {
      window.matchMedia = wide;
    });
    renderApp("#/hooks?view=order", DOCTOR_STORY);
    const table = await screen.findByRole("grid", { name: "Hooks of each event in run order" });
    const head = (await within(table).findAllByText("pre_tool_execution"))[0]?.closest("td");
    expect(head?.style.height).toBe(`calc(${TWO_LINES}px * var(--ts))`);
  });

  it("shows a row that a conflict names", async () => {
    const { user } = renderApp("#/hooks?view=order", DOCTOR_STORY);
    const list = await screen.findByRole("list", { name: "Conflicts" });
    await user.click(within(list).getAllByRole("button", { name: "normalize-paths" })[0] as HTMLElement);
    await waitFor(() => expect(decodeURIComponent(window.location.hash)).toContain("jcli:user:pre_tool_execution:0"));
  });
});

describe("the fix of a problem", () => {
  it("shows the exact change first, and makes it when it is confirmed", async () => {
    const [first] = CONFLICTS as [Problem];
    const address = addressOf({ to: "/hooks", search: { view: "problems", problem: problemKey(first) } });
    const { engine, user } = renderApp(address, DOCTOR_STORY);
    await user.click(await screen.findByRole("button", { name: "Make guard_shell.py executable" }));
    expect(await screen.findByText("Mode 0644 becomes 0755")).toBeInTheDocument();
    const before = callsOf(engine, "edit.fix");
    for (const call of before) expect(call).toMatchObject({ dry_run: true, hook: GUARD });
    await user.click(screen.getByRole("button", { name: "Apply the fix" }));
    expect(await screen.findByText("guard_shell.py was changed.")).toBeInTheDocument();
    const made = callsOf(engine, "edit.fix").slice(before.length);
    expect(made.filter((call) => !(call as { dry_run?: boolean }).dry_run)).toHaveLength(1);
  });
});
