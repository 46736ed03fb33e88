import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { AgentLogLine, HistoryRow } from "@/ipc";
import { AGENT_STORY, AGENTS, LINES, SOCKET } from "@/testing/agentData";
import { callsOf, renderApp } from "@/testing/render";
import { historyRows } from "@/testing/sampleData";
import { contentOf, isError, layOut } from "./messages";
import { chosenOf, countAgents } from "./sessions";

const [JCLI, RELAY] = AGENTS as [(typeof AGENTS)[number], (typeof AGENTS)[number]];

describe("the sessions of agents", () => {
  it("are counted by what is connected, kept and waiting", () => {
    expect(countAgents(AGENTS)).toEqual({
      connected: 1,
      kept: 1,
      waiting: 1,
      firstWaiting: { row: JCLI, hook: "jcli:session:stop:0" },
    });
  });

  it("are found by id and dialect, and the first one where the address names none", () => {
    const other = { ...JCLI, dialect: "qoder" };
    expect(chosenOf([JCLI, other], { session: "4f21", dialect: "qoder" })).toBe(other);
    expect(chosenOf([JCLI, other], { session: "4f21" })).toBe(JCLI);
    const elsewhere = { ...JCLI, cwd: "/elsewhere" };
    const ofProject = { session: "4f21", dialect: "jcli", project: "/elsewhere" };
    expect(chosenOf([JCLI, elsewhere], ofProject)).toBe(elsewhere);
    expect(chosenOf([JCLI, RELAY], { session: "gone" })).toBe(JCLI);
  });
});

describe("a message", () => {
  const line = (part: Partial<AgentLogLine>): AgentLogLine => ({ ...(LINES[0] as AgentLogLine), ...part });

  it("says its event, its verdict or its error on one line", () => {
    expect(LINES.map(contentOf)).toEqual([
      "pre_tool_execution",
      "skip",
      (LINES[2] as AgentLogLine).text,
      "-32002 unknown event pre_send_mesage",
    ]);
    expect(contentOf(line({ text: '{"params":{"event":{"a":1}}}' }))).toBe('{"a":1}');
    expect(contentOf(line({ text: "a\u202eb" }))).toBe("a\\u202eb");
  });

  it("is an error where the other side refused it or it is no message", () => {
    expect(LINES.map(isError)).toEqual([false, false, false, true]);
    expect(isError(line({ kind: "other" }))).toBe(true);
  });

  it("is laid out where it is complete", () => {
    expect(layOut(line({ text: '{"a":1}' }), "decoded")).toBe('{\n  "a": 1\n}');
    expect(layOut(line({ text: '{"a":1}' }), "bytes")).toBe('{"a":1}');
    expect(layOut(line({ text: '{"a":' }), "decoded")).toBe('{"a":');
  });
});

describe("the agents screen", () => {
  it("says first how many are connected and what waits, and opens the review", async () => {
    const { user } = renderApp("#/agents", AGENT_STORY);
    expect(await screen.findByRole("heading", { name: "1 agent is connected" })).toBeVisible();
    expect(screen.getByText(/1 session hook waits for your approval/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Review" }));
    await waitFor(() => expect(window.location.hash).toContain("#/trust?hook=jcli%3Asession%3Astop%3A0"));
  });

  it("names what an agent may do, and why it cannot be fired at", async () => {
    const { user } = renderApp("#/agents", AGENT_STORY);
    const detail = await screen.findByRole("region", { name: "Agent" });
    expect(within(detail).getByText("runs its own hooks on test events")).toBeVisible();
    expect(within(detail).getByText("offers no functions")).toBeVisible();
    await user.keyboard("j");
    await waitFor(() => expect(window.location.hash).toContain("session=cron"));
    const fire = screen.getByRole("button", { name: /Fire at this agent/ });
    expect(fire).toHaveAttribute("aria-disabled", "true");
  });

  it("shows errors alone, and reads only what is new", async () => {
    const { user, engine } = renderApp("#/agents", AGENT_STORY);
    const table = await screen.findByRole("grid", { name: "Messages" });
    await user.click(screen.getByRole("radio", { name: "Errors 1" }));
    await waitFor(() => expect(within(table).getAllByRole("row")).toHaveLength(2));
    await waitFor(
      () =>
        expect(callsOf(engine, "agents.log").at(-1)).toEqual({
          session: "4f21",
          dialect: "jcli",
          project: JCLI.cwd,
          after: 4,
        }),
      { timeout: 3000 },
    );
  });

  it("asks before it disconnects, with the safe choice in focus", async () => {
    const { user, engine } = renderApp("#/agents", AGENT_STORY);
    await user.click(await screen.findByRole("button", { name: "Disconnect" }));
    const sure = await screen.findByRole("alertdialog");
    expect(within(sure).getByRole("button", { name: /Stay connected/ })).toHaveFocus();
    await user.click(within(sure).getByRole("button", { name: "Disconnect" }));
    await waitFor(() =>
      expect(callsOf(engine, "agents.disconnect")).toEqual([{ session: "4f21", dialect: "jcli", project: JCLI.cwd }]),
    );
  });

  it("promises no agent where the engine does not listen", async () => {
    renderApp("#/agents", { ...AGENT_STORY, "agents.list": { agents: [], socket: null } });
    expect(await screen.findByRole("heading", { name: "No agent is connected" })).toBeVisible();
    expect(screen.getByText("This engine does not listen for agents.")).toBeVisible();
    expect(screen.queryByText(/appears here as soon as it connects/)).toBeNull();
  });

  it("has nothing to disconnect after the last agent was disconnected", async () => {
    let agents = AGENTS.slice(0, 1);
    const { user } = renderApp("#/agents", {
      ...AGENT_STORY,
      "agents.list": () => ({ agents, socket: SOCKET }),
      "agents.disconnect": () => {
        agents = [];
        return { agents, socket: SOCKET };
      },
    });
    await user.click(await screen.findByRole("button", { name: "Disconnect" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Disconnect" }));
    expect(await screen.findByRole("heading", { name: "No agent is connected" })).toBeVisible();
    expect(screen.queryByRole("button", { name: "Disconnect" })).toBeNull();
    expect(screen.getByText("The agent appears here as soon as it connects.")).toBeVisible();
    expect(screen.getByText(/If nothing is connected, it says so and changes nothing/)).toBeVisible();
  });

  it("shows what was counted up to now, not what another screen asked for before", async () => {
    let events = 0;
    const list = () => {
      events += 1;
      return { agents: [{ ...JCLI, events }], socket: SOCKET };
    };
    const { engine, user } = renderApp("#/fire", { ...AGENT_STORY, "agents.list": list });
    await screen.findByTestId("fire");
    await waitFor(() => expect(callsOf(engine, "agents.list").length).toBeGreaterThan(0));
    const before = callsOf(engine, "agents.list").length;
    await user.keyboard("6");
    await screen.findByRole("region", { name: "Agent" });
    // It does not wait for the next time that it counts, two seconds later.
    expect(callsOf(engine, "agents.list").length).toBeGreaterThan(before);
  });

  it("says how an agent connects where none is connected, and shows one that comes", async () => {
    let agents: typeof AGENTS = [];
    const { engine } = renderApp("#/agents", { ...AGENT_STORY, "agents.list": () => ({ agents, socket: SOCKET }) });
    expect(await screen.findByText("hookwright connect jcli")).toBeVisible();
    agents = AGENTS;
    act(() => engine.push({ kind: "stale", what: ["agents"] }));
    expect(await screen.findByRole("heading", { name: "1 agent is connected" })).toBeVisible();
  });
});

describe("connecting an agent by its files", () => {
  it("shows the change first, writes it when it is confirmed, and waits for a first event", async () => {
    const doc = {
      hook: null,
      moved: {},
      path: "/home/me/.jdata/agent/hooks.yaml",
      diff: "--- a/home/me/.jdata/agent/hooks.yaml\n+++ b/home/me/.jdata/agent/hooks.yaml\n@@ -1,1 +1,2 @@\n a: 1\n+b: 2\n",
      written: true,
      undo: "01E9",
      edit: "01E9",
      trashed: null,
      problems: [],
      notices: [],
      files: [],
    };
    const { engine, user } = renderApp("#/agents", { "agents.connect": doc });
    await user.click(await screen.findByRole("button", { name: "Connect j-cli" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Connect j-cli" }));
    await waitFor(() => expect(callsOf(engine, "agents.connect")).toMatchObject([{ dialect: "jcli", dry_run: true }]));
    await user.click(await dialog.findByRole("button", { name: /^Connect j-cli/ }));
    expect(await dialog.findByText("A first event arrives from j-cli")).toBeInTheDocument();
    expect(callsOf(engine, "agents.connect").at(-1)).not.toHaveProperty("dry_run");
    const row = { ...historyRows(1)[0], at: new Date(Date.now() + 1000).toISOString(), origin: "agent" } as HistoryRow;
    act(() => engine.push({ kind: "traces", rows: [{ ...row, trace: "W1", origin: "window" }] }));
    expect(dialog.getByText("A first event arrives from j-cli")).toBeInTheDocument();
    act(() => engine.push({ kind: "traces", rows: [row] }));
    expect(await dialog.findByText("A first event arrived from j-cli.")).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toMatchObject([{ undo: "01E9" }]));
  });
});
