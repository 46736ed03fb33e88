import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { TurnedOffHook } from "@/ipc";
import type { Script } from "@/testing/fakeEngine";
import { callsOf, renderApp } from "@/testing/render";
import { OWN_LIST, PROBLEMS, STATE } from "@/testing/sampleData";

const NO_PROJECT: Script = { state: { ...STATE, projects: [], project: null, first_start: true, pending: 0 } };

const OWN = OWN_LIST.hooks[0] as (typeof OWN_LIST.hooks)[number];

const OFF: TurnedOffHook = {
  id: "01K9ZQ0000000000000000000A",
  at: "2026-01-15T10:30:00Z",
  hook: OWN.hook,
  dialect: OWN.dialect,
  event: OWN.event,
  label: "old-audit",
  layer: OWN.layer,
  project: null,
  group: "",
  path: OWN.path,
  line: 9,
  handler: "shell",
  runs: "sh old.sh",
  filter: null,
  definition: { command: "sh old.sh" },
  text: "  - command: sh old.sh\n",
  files: [OWN.path],
};

const table = () => screen.findByRole("grid", { name: "Your own hooks" });

describe("before any project is open", () => {
  it("lists the user's own hooks, and says that they run everywhere", async () => {
    const { engine } = renderApp("#/hooks", NO_PROJECT);
    expect(within(await table()).getByText("audit-log")).toBeInTheDocument();
    expect(within(await table()).queryByText("guard-shell")).not.toBeInTheDocument();
    expect(screen.getByText(/they run in every project/)).toBeInTheDocument();
    for (const params of callsOf(engine, "hooks.list")) expect(params).toEqual({ project: null });
  });

  it("says what a person can do now, how many hooks each agent has, and where the sample is copied to", async () => {
    renderApp("#/hooks", NO_PROJECT);
    const now = await screen.findByRole("region", { name: "What now" });
    expect(now).toHaveTextContent("3 hooks of your own");
    expect(await within(now).findByText(/j-cli 3/)).toBeInTheDocument();
    expect(now).toHaveTextContent("copied to ~/.local/share/hookwright/samples/starter");
    expect(within(now).getByRole("button", { name: /Open the sample project/ })).toBeInTheDocument();
    expect(within(now).getByRole("button", { name: /Open a folder/ })).toBeInTheDocument();
  });

  it("shows one of them, with what needs a project", async () => {
    const { user } = renderApp("#/hooks", NO_PROJECT);
    await user.click(within(await table()).getByText("audit-log"));
    const drawer = await screen.findByRole("region", { name: "Hook" });
    expect(drawer).toHaveTextContent("Open a project to fire, explain, mute or change this hook.");
    await user.keyboard("{Escape}");
    expect(await screen.findByRole("region", { name: "What now" })).toBeInTheDocument();
  });

  it("lists those that are turned off, and shows what is kept of one, without a way to edit it", async () => {
    const { user } = renderApp("#/hooks", { ...NO_PROJECT, "hooks.list": { ...OWN_LIST, turned_off: [OFF] } });
    const row = (await within(await table()).findByText("old-audit")).closest("tr") as HTMLElement;
    expect(row).toHaveTextContent("Off");
    await user.click(row);
    const drawer = await screen.findByRole("region", { name: "Hook that is turned off" });
    expect(drawer).toHaveTextContent("Open a project to fire, explain, mute or change this hook.");
    expect(within(drawer).queryByRole("button", { name: /^Turn on/ })).not.toBeInTheDocument();
  });

  it("does not say that nothing was found where all of them are turned off", async () => {
    renderApp("#/hooks", { ...NO_PROJECT, "hooks.list": { hooks: [], problems: [], sources: [], turned_off: [OFF] } });
    expect(await within(await table()).findByText("old-audit")).toBeInTheDocument();
    expect(screen.queryByText("No hooks of your own were found.")).not.toBeInTheDocument();
  });

  it("says what to do where there are none", async () => {
    renderApp("#/hooks", { ...NO_PROJECT, "hooks.list": { hooks: [], problems: [], sources: [] } });
    expect(await screen.findByText("No hooks of your own were found.")).toBeInTheDocument();
    // All hooks of the sample are in the files of a project: none of them runs without an approval.
    expect(screen.getByText(/six hooks .*, all need approval,/)).toBeInTheDocument();
    expect(await screen.findByText(/finds the hook files of j-cli/)).toBeInTheDocument();
  });

  it("says when an agent rejects one of the user's files", async () => {
    const path = OWN_LIST.sources[0]?.path ?? "";
    const problems = PROBLEMS.slice(0, 1).map((one) => ({ ...one, path, rejects_file: true }));
    renderApp("#/hooks", { ...NO_PROJECT, "hooks.list": { ...OWN_LIST, problems } });
    expect(await screen.findByText("j-cli rejects hooks.yaml: none of its hooks run there.")).toBeInTheDocument();
  });

  it("leads from the other screens to the hooks", async () => {
    const { user } = renderApp("#/history", NO_PROJECT);
    await user.click(await screen.findByRole("button", { name: /3 hooks of your own/ }));
    expect(await table()).toBeInTheDocument();
  });
});
