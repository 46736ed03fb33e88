import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Params, RunningChain, Trace } from "@/ipc/types";
import { ANSWER } from "@/testing/agentData";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, TRACE } from "@/testing/sampleData";

const CHAIN: RunningChain = {
  trace: "01RUNNING",
  dialect: "jcli",
  event: "pre_tool_execution",
  origin: "agent",
  session: "S",
  agent: "j-cli",
  project: PROJECT,
  run: null,
  at: "2026-01-15T10:30:00Z",
  elapsed_ms: 2000,
  steps: [
    {
      hook: "a",
      label: "normalize.sh",
      number: 1,
      phase: "ended",
      outcome: "changed",
      attempts: 1,
      elapsed_ms: 41,
      timeout_ms: 10_000,
      stderr: "",
      truncated: false,
    },
    {
      hook: "b",
      label: "guard.sh",
      number: 2,
      phase: "running",
      outcome: null,
      attempts: 2,
      elapsed_ms: 1900,
      timeout_ms: 10_000,
      stderr: "checking <b>this</b>\n",
      truncated: true,
    },
    {
      hook: "c",
      label: "note.sh",
      number: 3,
      phase: "waiting",
      outcome: null,
      attempts: 0,
      elapsed_ms: null,
      timeout_ms: 10_000,
      stderr: "",
      truncated: false,
    },
  ],
};

describe("a chain that runs", () => {
  it("shows in the place of its result which hook runs, what it writes, and what is done", async () => {
    let finish: (trace: Trace) => void = () => undefined;
    let run = "";
    const { user, engine } = renderApp("#/fire", {
      fire: (params: Params<"fire">) => {
        run = params.run;
        return new Promise<Trace>((resolve) => {
          finish = resolve;
        });
      },
      "fire.stop": { stopped: true },
      "chains.list": () => ({ chains: [{ ...CHAIN, run }], at_agents: [], more: 0 }),
    });
    await user.click(await screen.findByTestId("fire"));
    expect(await screen.findByText("guard.sh, hook 2 of 3")).toBeInTheDocument();
    const steps = within(screen.getByRole("list", { name: "Steps of the running chain" }));
    expect(steps.getByText("Changed")).toBeInTheDocument();
    expect(steps.getByText(/limit 10.*attempt 2/)).toBeInTheDocument();
    expect(steps.getByLabelText("stderr of guard.sh")).toHaveTextContent("checking <b>this</b>");
    expect(steps.getByText("Earlier lines are left out.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /^Stop/ }));
    expect(callsOf(engine, "fire.stop")).toEqual([{ run }]);
    act(() => finish(TRACE));
    await waitFor(() => expect(screen.queryByText("guard.sh, hook 2 of 3")).not.toBeInTheDocument());
  });

  it("of an agent's event is listed above the history, and can be stopped", async () => {
    const { user, engine } = renderApp("#/history", {
      "chains.list": { chains: [CHAIN, { ...CHAIN, trace: "other", project: "/elsewhere" }], at_agents: [], more: 0 },
      "chains.stop": { stopped: true },
    });
    const list = within(await screen.findByRole("list", { name: "Running now" }));
    expect(list.getByText("guard.sh, hook 2 of 3")).toBeInTheDocument();
    expect(list.queryByLabelText("stderr of guard.sh")).not.toBeInTheDocument();
    await user.click(list.getByRole("button", { name: "Show steps" }));
    expect(list.getByLabelText("stderr of guard.sh")).toBeInTheDocument();
    await user.click(list.getByRole("button", { name: "Stop the chain of pre_tool_execution" }));
    expect(callsOf(engine, "chains.stop")).toEqual([{ trace: CHAIN.trace }]);
  });

  it("is asked for again when the engine says that it changed", async () => {
    const { engine } = renderApp("#/history");
    await waitFor(() => expect(callsOf(engine, "history.page").length).toBeGreaterThan(0));
    await waitFor(() => expect(callsOf(engine, "chains.list").length).toBeGreaterThan(0));
    const before = callsOf(engine, "chains.list").length;
    act(() => engine.push({ kind: "stale", what: ["chains"] }));
    await waitFor(() => expect(callsOf(engine, "chains.list").length).toBeGreaterThan(before));
  });
});

describe("a test event that was stopped at the agent", () => {
  it("says so below the verdict of the engine", async () => {
    const { AGENTS } = await import("@/testing/agentData");
    const session = AGENTS[0]?.session ?? "";
    const { user, engine } = renderApp(`#/fire?agent=${session}`, {
      "agents.list": { agents: [...AGENTS], socket: null },
      "agents.fire": { ...ANSWER, reply: null, steps: null, same: false, stopped: true },
    });
    await screen.findByText(/also runs its own hooks/);
    await user.click(await screen.findByTestId("fire"));
    expect(await screen.findByText(/You stopped the test event/)).toBeInTheDocument();
    expect(callsOf(engine, "agents.fire")[0]).toHaveProperty("run");
  });
});
