import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { isTurnedOff, withTurnedOff } from "@/domain/hooks/turnedOff";
import type { HookRow, TurnedOffHook } from "@/ipc";
import { edited } from "@/testing/editReplies";
import { listed } from "@/testing/listed";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROJECT } from "@/testing/sampleData";
import { PROJECT_LIST } from "@/testing/sampleHooks";

const GUARD = "jcli:project:pre_tool_execution:1";
const guard = HOOKS.find((hook) => hook.hook === GUARD) as (typeof HOOKS)[number];
const ID = "01K9ZQ0000000000000000000A";

const OFF: TurnedOffHook = {
  id: ID,
  at: "2026-01-15T10:30:00Z",
  hook: GUARD,
  dialect: "jcli",
  event: guard.event,
  label: "guard-old",
  layer: guard.layer,
  project: PROJECT,
  group: "",
  path: guard.path,
  line: 9,
  handler: "shell",
  runs: "sh old.sh",
  filter: { tool_matcher: "Write|Edit" },
  definition: { command: "sh old.sh" },
  text: "  # the old one\n  - command: sh old.sh\n",
  files: [guard.path, "/p/old.sh"],
};

const withOff = { "hooks.list": { ...PROJECT_LIST, turned_off: [OFF] } };

describe("turning hooks off for the agent", () => {
  it("takes a hook out of its file where there is no field, and Undo takes that back", async () => {
    const kept = edited(null, {
      turned_off: ID,
      notices: [{ kind: "warning", text: "kept", code: "turned_off_kept" }] as never,
    });
    const { engine, user } = renderApp(`#/hooks?hook=${GUARD}`, { "hook.turn_off": kept });
    const drawer = await screen.findByRole("region", { name: "Hook" });
    await user.click(within(drawer).getByRole("button", { name: "More" }));
    await user.click(await screen.findByRole("menuitem", { name: "Turn off for j-cli" }));
    expect(await screen.findByText("guard-shell is off for j-cli. Its definition is kept.")).toBeInTheDocument();
    expect(screen.queryByText("kept")).not.toBeInTheDocument();
    expect(callsOf(engine, "hook.turn_off")).toEqual([{ project: PROJECT, hook: GUARD, version: guard.version }]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "E1" }]));
  });

  it("lists them at the end of their group, off, with a switch that turns them on", async () => {
    const { engine, user } = renderApp("#/hooks", { ...withOff, "hook.turn_on": edited(GUARD) });
    const grid = await screen.findByRole("grid", { name: "Hooks in run order" });
    const row = (await within(grid).findByText("guard-old")).closest("tr") as HTMLElement;
    expect(row).toHaveTextContent("Off");
    await waitFor(() => expect(row).toHaveTextContent("Write|Edit"));
    await user.click(within(row).getByRole("switch", { name: "Turn on guard-old for j-cli" }));
    expect(callsOf(engine, "hook.turn_on")).toEqual([{ project: PROJECT, id: ID }]);
    expect(callsOf(engine, "unmute")).toEqual([]);
    expect(await screen.findByText("guard-old is on for j-cli again.")).toBeInTheDocument();
  });

  it("shows what is kept, and turns the hook on with a key", async () => {
    const { engine, user } = renderApp(`#/hooks?hook=${ID}`, { ...withOff, "hook.turn_on": edited(GUARD) });
    const drawer = await screen.findByRole("region", { name: "Hook that is turned off" });
    expect(drawer).toHaveTextContent(GUARD);
    expect(drawer).toHaveTextContent("1 file is kept");
    await user.keyboard(" ");
    await waitFor(() => expect(callsOf(engine, "hook.turn_on")).toEqual([{ project: PROJECT, id: ID }]));
    expect(callsOf(engine, "mute")).toEqual([]);
  });

  it("keeps the list where everything is turned off", async () => {
    renderApp("#/hooks", { "hooks.list": { ...PROJECT_LIST, hooks: [], turned_off: [OFF] } });
    expect(await screen.findByText("guard-old")).toBeInTheDocument();
  });

  it("puts them behind the hooks of their event, in their group", () => {
    const list = listed({ ...PROJECT_LIST, turned_off: [OFF] });
    const rows = withTurnedOff(list, list.groups);
    const index = rows.findIndex(isTurnedOff);
    expect(rows).toHaveLength(HOOKS.length + 1);
    const isThere = (hook: HookRow | undefined) => hook?.path === guard.path && hook.event === OFF.event;
    expect(isThere(rows[index - 1])).toBe(true);
    expect(rows.slice(index + 1).some(isThere)).toBe(false);
  });
});
