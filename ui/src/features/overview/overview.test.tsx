import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { showLanguage } from "@/i18n";
import { Fault } from "@/ipc/fault";
import type { HistoryRow, Params, Reply } from "@/ipc/types";
import { BROKEN_FILE, CANNOT_START, SINCE, statusOf } from "@/testing/healthData";
import { overviewStory, recentRows, TWO_AGENTS, wellStory } from "@/testing/overviewData";
import { callsOf, renderApp } from "@/testing/render";
import { historyRows, PROJECT, STATE, TRACE } from "@/testing/sampleData";

const verdict = async () => within(await screen.findByRole("region", { name: "What needs you first" }));
const hash = () => decodeURIComponent(window.location.hash);
const fresh = (trace: string, part: Partial<HistoryRow> = {}) =>
  ({ ...historyRows(1)[0], trace, at: new Date().toISOString(), ...part }) as HistoryRow;

describe("the overview", () => {
  it("is the first screen of a project", async () => {
    renderApp("");
    expect(await screen.findByRole("heading", { name: "Overview" })).toBeInTheDocument();
    expect(window.location.hash).toBe("#/overview");
  });

  it("says in one sentence what is worst, and each part leads there", async () => {
    const { user } = renderApp("#/overview");
    const sentence = await (await verdict()).findByRole("status");
    expect(sentence).toHaveTextContent("1 hook is failing, and 1 hook waits for your review.");
    const links = within(sentence).getAllByRole("link");
    expect(links.map((link) => decodeURIComponent(link.getAttribute("href") ?? ""))).toEqual([
      expect.stringMatching(/^\/#\/hooks\?hook=.*&tab=runs$/),
      expect.stringContaining("#/trust?hook="),
    ]);
    await screen.findByRole("button", { name: /^Explain failure/ });
    await screen.findByRole("link", { name: /^Explain: / });
    await user.keyboard("e");
    await waitFor(() => expect(hash()).toContain("#/history/explain?trace="));
  });

  it("explains the guard as soon as its event is found, when it was asked for before", async () => {
    let reply = (_: Reply<"history.page">): void => undefined;
    const page = new Promise<Reply<"history.page">>((resolve) => {
      reply = resolve;
    });
    const { user } = renderApp("#/overview", { "history.page": () => page });
    const button = await screen.findByRole("button", { name: /^Explain failure/ });
    await user.keyboard("e");
    await waitFor(() => expect(button).toHaveAttribute("aria-busy", "true"));
    expect(hash()).toBe("#/overview");
    await act(async () => reply({ traces: [{ ...historyRows(1)[0], trace: TRACE.trace } as HistoryRow], next: null }));
    await waitFor(() => expect(hash()).toContain(`#/history/explain?trace=${TRACE.trace}`));
  });

  it("explains the latest event in which a guard failed open, and says why it failed", async () => {
    const rows = historyRows(1);
    const { user } = renderApp("#/overview", {
      "history.page": ({ outcome, limit }) => ({
        traces:
          outcome === "failed_open"
            ? [{ ...rows[0], trace: TRACE.trace } as HistoryRow]
            : historyRows(Math.min(limit, 5)),
        next: null,
      }),
    });
    const side = await screen.findByRole("region", { name: "Needs you, and agents" });
    expect(await within(side).findByText(/Exit 127, jq: command not found\./i)).toBeInTheDocument();
    await user.click(within(side).getByRole("link", { name: /^Explain/ }));
    await waitFor(() => expect(hash()).toContain(`#/history/explain?trace=${TRACE.trace}`));
  });

  it("reads the latest failure again when another one comes, and not before", async () => {
    const [row] = historyRows(1) as [HistoryRow];
    const { engine } = renderApp("#/overview");
    await screen.findByText(/Exit 127, jq: command not found\./i);
    const asked = () =>
      callsOf(engine, "history.page").filter((asked) => (asked as Params<"history.page">).outcome === "failed_open")
        .length;
    const before = asked();
    const of = { dialect: "jcli", event: "pre_tool_execution", project: PROJECT };
    act(() => engine.push({ kind: "traces", rows: [{ ...row, ...of, trace: "Y1", outcomes: ["no_opinion"] }] }));
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(asked()).toBe(before);
    act(() =>
      engine.push({ kind: "traces", rows: [{ ...row, ...of, trace: "Y2", outcomes: ["denied", "failed_open"] }] }),
    );
    await waitFor(() => expect(asked()).toBeGreaterThan(before), { timeout: 3000 });
  });

  it("tells a traceback by its last line, and has all of it at hand", async () => {
    const stderr = 'Traceback (most recent call last):\n  File "guard.py", line 3, in <module>\nValueError: no rule';
    const steps = TRACE.steps.map((step) =>
      step.outcome === "failed_open"
        ? { ...step, reason: `exited with 1: ${stderr}`, args: { code: 1, stderr } }
        : step,
    );
    const { user } = renderApp("#/overview", { "history.show": { ...TRACE, steps } });
    const side = await screen.findByRole("region", { name: "Needs you, and agents" });
    const text = await within(side).findByText(/Exited with 1: ValueError: no rule\./);
    expect(text).not.toHaveTextContent("Traceback");
    await user.hover(text);
    expect((await screen.findByRole("tooltip")).textContent).toBe(`exited with 1: ${stderr}`);
  });

  it("says that all is well where the engine lists no need", async () => {
    renderApp("#/overview", { ...wellStory(), state: { ...STATE, model: { ...STATE.model, configured: true } } });
    expect(await (await verdict()).findByText("Every hook can do its work.")).toBeInTheDocument();
    expect(screen.getByText("Nothing needs you")).toBeInTheDocument();
  });

  it("restores a guard that another program removed, or accepts it, and says what passed unguarded", async () => {
    const need = (kind: "gone" | "unguarded", args: Record<string, unknown>) => ({
      kind,
      code: kind,
      args: { label: "guard-shell", event: "pre_tool_execution", guard: true, ...args },
      hook: kind === "gone" ? null : "jcli:project:pre_tool_execution:1",
      path: `${PROJECT}/.jcli/hooks.yaml`,
      line: null,
      since: "2026-11-20T14:31:00Z",
    });
    const { engine, user } = renderApp("#/overview", {
      overview: {
        verdict: { code: "guards_fail", args: { count: 1 } },
        needs: [need("gone", { uid: "hk_1", restorable: true }), need("unguarded", { count: 3, hours: 24 })],
        counts: { ready: 4 },
      },
      "gone.restore": {
        edit: "01E9",
        undo: "01E9",
        diff: "",
        written: true,
        notices: [],
      } as unknown as Reply<"gone.restore">,
      "gone.accept": {},
    });
    expect(await (await verdict()).findByRole("link", { name: "1 guard was removed" })).toBeInTheDocument();
    const side = await screen.findByRole("region", { name: "Needs you, and agents" });
    expect(side).toHaveTextContent("3 events passed without it in the last 24 h.");
    await user.click(within(side).getByRole("button", { name: /^Restore/ }));
    expect(await screen.findByText("Restored guard-shell.")).toBeInTheDocument();
    expect(callsOf(engine, "gone.restore")).toEqual([{ project: PROJECT, uid: "hk_1" }]);
    await user.click(within(side).getByRole("button", { name: /^Accept/ }));
    expect(callsOf(engine, "gone.accept")).toEqual([{ project: PROJECT, uid: "hk_1" }]);
  });

  it("shows the figures of the range in the address, and asks for another one", async () => {
    const { engine, user } = renderApp("#/overview?range=24h", overviewStory(Date.now));
    const tiles = await screen.findByRole("list", { name: "Figures in the last 24 h" });
    expect(await within(tiles).findByText("795")).toBeInTheDocument();
    expect(within(tiles).getByRole("link", { name: /^Denied/ })).toHaveTextContent("36 blocked, as before");
    expect(within(tiles).getByRole("link", { name: /^Slowest hook 29\.4\ss/ })).toHaveTextContent(
      "keep-going · limit 30 s",
    );
    expect(within(tiles).getByRole("link", { name: /^Agents/ })).toHaveTextContent("1 left, session kept");
    await user.click(screen.getByRole("radio", { name: "7 d" }));
    expect(hash()).toBe("#/overview?range=7d");
    await waitFor(() => expect(callsOf(engine, "stats").at(-1)).toEqual({ project: PROJECT, since_ms: 604_800_000 }));
    expect(callsOf(engine, "history.bars").at(-1)).toEqual({ project: PROJECT, since_ms: 1_209_600_000, buckets: 56 });
  });

  it("says which agent left, and when", async () => {
    const story = overviewStory(Date.now);
    const left_at = new Date(Date.now() - 130_000).toISOString();
    const agents = TWO_AGENTS.map((row) => (row.connected ? row : { ...row, left_at }));
    renderApp("#/overview", { ...story, "agents.list": { agents, socket: null } });
    const tiles = await screen.findByRole("list", { name: "Figures in the last hour" });
    expect(await within(tiles).findByText(/^relay disconnected 2\s?m(in)? ago$/)).toBeInTheDocument();
    const side = await screen.findByRole("region", { name: "Needs you, and agents" });
    expect(await within(side).findByRole("link", { name: /disconnected 2\s?m(in)? ago/ })).toBeInTheDocument();
  });

  it("shows a dash and not a zero while a figure is not known", async () => {
    renderApp("#/overview", { "history.bars": () => new Promise<never>(() => undefined) });
    const tiles = await screen.findByRole("list", { name: "Figures in the last hour" });
    expect(await within(tiles).findByRole("link", { name: /^Events –/ })).toBeInTheDocument();
  });

  it("lists the latest events, opens one, and goes through them with the keys", async () => {
    const { user } = renderApp("#/overview", overviewStory(Date.now));
    const table = await screen.findByRole("grid", { name: "Recent" });
    await user.keyboard("jj");
    await waitFor(() => expect(within(table).getByRole("row", { selected: true })).toHaveTextContent("ls -la"));
    expect(window.location.hash).toBe("#/overview");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(hash()).toMatch(/#\/history\?trace=01KB/));
  });

  it("holds the strip and the list while it is paused, and counts what came", async () => {
    const { engine, user } = renderApp("#/overview");
    const table = await screen.findByRole("grid", { name: "Recent" });
    act(() => engine.push({ kind: "traces", rows: [fresh("Z1", { about: "first one" })] }));
    expect(await within(table).findByText(/one$/)).toBeInTheDocument();
    await user.keyboard(" ");
    const button = screen.getByRole("button", { name: /^Paused/ });
    act(() => engine.push({ kind: "traces", rows: [fresh("Z2", { about: "second one" }), fresh("Z2")] }));
    act(() => engine.push({ kind: "traces", rows: [fresh("Z3", { project: "/elsewhere" })] }));
    await waitFor(() => expect(button).toHaveTextContent("Paused · 1 new"));
    expect(screen.getByText(/^paused at/)).toBeInTheDocument();
    expect(within(table).queryByText("second")).toBeNull();
    await user.keyboard(" ");
    expect(await within(table).findByText("second")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: /^Pause/ })).toHaveAttribute("aria-pressed", "false");
  });

  it("says that it is not live when the engine stopped", async () => {
    const { engine } = renderApp("#/overview");
    await screen.findByRole("grid");
    act(() => engine.push({ kind: "engine", state: "stopped" }));
    expect(await screen.findByText("not live, the engine does not respond")).toBeInTheDocument();
    act(() => engine.push({ kind: "engine", state: "running" }));
    expect(await screen.findByText("one mark per event with a hook")).toBeInTheDocument();
  });

  it("says what to do before anything is recorded, and where there is no project", async () => {
    const { user } = renderApp("#/overview", { "history.page": { traces: [], next: null } });
    expect(await screen.findByText("No events yet")).toBeInTheDocument();
    expect(screen.queryByRole("list", { name: /^Figures/ })).not.toBeInTheDocument();
    expect(screen.queryByRole("region", { name: "Events of the last 60 s" })).not.toBeInTheDocument();
    expect(await screen.findByRole("heading", { name: "Review the hooks first" })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Go to Fire" }));
    await waitFor(() => expect(hash()).toContain("#/fire"));
  });

  it("offers to try again where the engine refuses", async () => {
    let isBroken = true;
    const { user } = renderApp("#/overview", {
      stats: () => {
        if (isBroken) throw new Fault({ code: "store_unreadable", message: "the data folder cannot be read" });
        return { since: "", hooks: [], tools: [] };
      },
    });
    expect(await screen.findByText("The data folder cannot be read")).toBeInTheDocument();
    isBroken = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("grid", { name: "Recent" })).toBeInTheDocument();
  });
});

describe("a guard that cannot hold", () => {
  it("is named first on Overview, with its cause, and counted at Hooks in the navigation", async () => {
    renderApp("#/overview", { "hooks.list": CANNOT_START, overview: statusOf(CANNOT_START) });
    expect(await (await verdict()).findByRole("status")).toHaveTextContent(/^2 guards cannot start, /);
    expect((await verdict()).getByRole("button", { name: /^Fix 2 guards/ })).toBeInTheDocument();
    const side = await screen.findByRole("region", { name: "Needs you, and agents" });
    const [first] = within(side).getAllByRole("listitem");
    expect(first).toHaveTextContent("guard-prod-db cannot start");
    expect(first).toHaveTextContent("python4 is not installed on this machine: here the agent continues.");
    expect(screen.getByRole("link", { name: /^Hooks/ })).toHaveAccessibleDescription("2 guards do not work");
  });

  it("of a file that its agent does not run is named by the file, in a bar of its own", async () => {
    renderApp("#/overview", { "hooks.list": BROKEN_FILE, overview: statusOf(BROKEN_FILE) });
    expect(await (await verdict()).findByRole("status")).toHaveTextContent(/^1 hook file is invalid, /);
    const bar = await screen.findByRole("list", { name: "Files that cannot be read" });
    expect(bar).toHaveTextContent(/j-cli runs none of its hooks/);
    expect(bar).not.toHaveTextContent(SINCE);
  });
});

describe("the live strip", () => {
  it("has one link that moves with the arrow keys and tells its chain", async () => {
    const rows = recentRows(Date.now(), 20);
    const { user } = renderApp("#/overview", {
      ...overviewStory(Date.now),
      "history.page": { traces: rows, next: null },
    });
    const strip = await screen.findByRole("region", { name: "Events of the last 60 s" });
    const link = await within(strip).findByRole("link");
    expect(link).toHaveAccessibleName(/pre_tool_execution/);
    expect(within(strip).getByText("this machine")).toBeInTheDocument();
    expect(within(strip).getByText("· 4f21")).toBeInTheDocument();
    const first = link.getAttribute("aria-label");
    act(() => link.focus());
    await user.keyboard("{ArrowLeft}");
    const next = within(strip).getByRole("link");
    expect(next).toHaveFocus();
    expect(next.getAttribute("aria-label")).not.toBe(first);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(hash()).toMatch(/#\/history\?.*trace=01KB/));
  });

  it("speaks Chinese", async () => {
    renderApp("#/overview", overviewStory(Date.now));
    await screen.findByRole("grid");
    await act(() => showLanguage("zh-CN"));
    expect(await screen.findByText("每个有 Hook 的事件一个标记")).toBeInTheDocument();
    expect(screen.getByText(/个 Hook 持续失败/)).toBeInTheDocument();
    await act(() => showLanguage("en"));
  });
});
