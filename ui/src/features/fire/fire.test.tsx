import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import type { Fixture, HistoryRow, HookRow, Params, Step, Trace } from "@/ipc/types";
import { useView } from "@/lib/view";
import { AGENT_STORY, AGENTS, ANSWER } from "@/testing/agentData";
import type { Script } from "@/testing/fakeEngine";
import { BROKEN_FILE, NOT_INSTALLED } from "@/testing/healthData";
import { callsOf, renderApp } from "@/testing/render";
import { EXPLAIN, FIXTURES, HOOKS, historyRows, PROJECT, TRACE } from "@/testing/sampleData";

/** An engine that keeps what is saved. */
function keeping(): Script {
  let fixtures: Fixture[] = [...FIXTURES];
  const drop = (name: string) => {
    fixtures = fixtures.filter((one) => one.name !== name);
  };
  return {
    fixtures: () => ({ fixtures, problems: [] }),
    "fixtures.save": (what: Params<"fixtures.save">) => {
      drop(what.name);
      const { dialect, event, name, payload } = what;
      const fixture: Fixture = {
        dialect,
        event,
        name,
        payload: typeof payload === "string" ? JSON.parse(payload) : payload,
        about: { en: "", zh: "" },
        saved: true,
        redacted: !what.keep_secrets,
      };
      fixtures = [...fixtures, fixture];
      return fixture;
    },
    "fixtures.remove": (what: Params<"fixtures.remove">) => {
      drop(what.name);
      return { removed: true };
    },
  };
}

const tree = () => screen.findByRole("tree", { name: "Events" });
const inTree = async (name: string | RegExp) => within(await tree()).findByRole("treeitem", { name });

describe("the Fire screen", () => {
  it("begins with the event that its dialect names, and lists what was saved below it", async () => {
    renderApp("#/fire");
    expect(await inTree("example")).toHaveAttribute("aria-selected", "true");
    expect(await inTree("harmless ls")).toBeInTheDocument();
    expect(await inTree(/^pre_send_message/)).not.toHaveAttribute("aria-expanded");
  });

  it("says which value has another type than agents send", async () => {
    const [first] = FIXTURES;
    if (first === undefined) throw new Error("no fixture");
    const payload = { ...first.payload, tool_name: 5 };
    renderApp("#/fire", { fixtures: { fixtures: [{ ...first, payload }], problems: [] } });
    const note = await screen.findByText(/is a number, but agents send a text/);
    expect(note).toHaveTextContent("tool_name");
    expect(screen.getByTestId("fire")).not.toHaveAttribute("aria-disabled");
  });

  it("says which key of the text does not count", async () => {
    renderApp("#/fire");
    await inTree("example");
    const draft = `fire ${PROJECT} jcli pre_tool_execution example`;
    act(() => useView.getState().setDraft(draft, '{"tool_name": "Bash", "tool_name": "Write"}'));
    expect(await screen.findByText(/is a duplicate key\. Only the last value has an effect\./)).toHaveTextContent(
      "tool_name",
    );
    expect(screen.getByTestId("fire")).not.toHaveAttribute("aria-disabled");
  });

  it("warns that hooks will read masked values, where the payload has some", async () => {
    const payload = { ...TRACE.payload_before, tool_arguments: '{"command":"TOKEN=‹redacted› deploy"}' };
    renderApp(`#/fire?trace=${TRACE.trace}`, { "history.show": () => ({ ...TRACE, payload_before: payload }) });
    expect(await screen.findByText(/^Hooks will read ‹redacted›/)).toBeInTheDocument();
  });

  it("begins with an event that a hook listens to, where nothing listens to the first", async () => {
    const hooks = HOOKS.filter((one) => one.event === "stop");
    renderApp("#/fire", { "hooks.list": { hooks, problems: [], sources: [] } });
    expect(await inTree(/^stop/)).toHaveAttribute("aria-selected", "true");
  });

  it("stays with that event when other hooks are found meanwhile", async () => {
    let hooks = HOOKS.filter((one) => one.event === "stop");
    const { engine } = renderApp("#/fire", { "hooks.list": () => ({ hooks, problems: [], sources: [] }) });
    expect(await inTree(/^stop/)).toHaveAttribute("aria-selected", "true");
    hooks = HOOKS;
    act(() => engine.push({ kind: "stale", what: ["hooks"] }));
    await waitFor(() => expect(callsOf(engine, "hooks.list")).toHaveLength(2));
    expect(await inTree(/^stop/)).toHaveAttribute("aria-selected", "true");
  });

  it("lists events with hooks first and folds the rest, which opens without a choice", async () => {
    const { user } = renderApp("#/fire", {
      "hooks.list": { hooks: HOOKS.filter((one) => one.event === "stop"), problems: [], sources: [] },
    });
    const others = await inTree(/^Other events/);
    expect(others).toHaveAttribute("aria-expanded", "false");
    await user.click(others);
    expect(await inTree("pre_send_message")).toBeInTheDocument();
    expect(await inTree(/^stop/)).toHaveAttribute("aria-selected", "true");
  });

  it("keeps a recorded event at its place in the tree", async () => {
    renderApp(`#/fire?trace=${TRACE.trace}`);
    expect(await inTree(/^from event/)).toHaveAttribute("aria-selected", "true");
  });

  it("says that it is running, and not that nothing was fired", async () => {
    const { user } = renderApp("#/fire", { fire: () => new Promise<never>(() => undefined) });
    await tree();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(await screen.findByText(/^Running/)).toBeInTheDocument();
    expect(screen.queryByText("Not fired yet.")).not.toBeInTheDocument();
    expect(screen.getByText("2 hooks take part. Their results appear when the chain ends.")).toBeInTheDocument();
  });

  it("lists the steps in run order, also those that did not run", async () => {
    const { user } = renderApp("#/fire");
    await tree();
    await user.keyboard("{Control>}{Enter}{/Control}");
    const steps = within(await screen.findByRole("list", { name: "Steps" }))
      .getAllByRole("button")
      .filter((row) => row.hasAttribute("aria-expanded"));
    expect(steps.map((step) => step.querySelector(".step-name")?.firstChild?.textContent)).toEqual([
      "normalize-paths",
      "audit-log",
      "guard-prod-db",
      "guard-shell",
      "tool-safety-review",
    ]);
  });

  it("copies what a hook was given and what it wrote", async () => {
    const { user } = renderApp("#/fire");
    await tree();
    await user.keyboard("{Control>}{Enter}{/Control}");
    const steps = within(await screen.findByRole("list", { name: "Steps" }));
    await user.click(await steps.findByText("normalize-paths"));
    await user.click(await screen.findByRole("tab", { name: "stdin" }));
    await user.click(await screen.findByRole("button", { name: "Copy stdin" }));
    expect(await screen.findByText("Copied")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toBe(TRACE.steps[0]?.attempts[0]?.stdin);
  });

  it("follows a hook that goes on after the reply until it has ended", async () => {
    const [first] = TRACE.steps;
    const open = { ...TRACE, steps: [{ ...first, outcome: "detached", mode: "detach", attempts: [] }] } as Trace;
    let shown = open;
    const { engine, user } = renderApp("#/fire", { fire: open, "history.show": () => shown });
    await tree();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(await screen.findByRole("button", { name: /normalize-paths.*Detached/ })).toBeInTheDocument();
    shown = { ...TRACE, steps: [{ ...first, outcome: "failed_open", mode: "detach" }] } as Trace;
    const row = { ...historyRows(1)[0], trace: TRACE.trace, outcomes: ["failed_open"] } as HistoryRow;
    act(() => engine.push({ kind: "traces", rows: [row] }));
    expect(await screen.findByRole("button", { name: /normalize-paths.*Failed · open/ })).toBeInTheDocument();
  });

  it("takes the time for a chain from the event's table", async () => {
    const { user } = renderApp("#/fire");
    await tree();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(await screen.findByText("of 30 s chain limit")).toBeInTheDocument();
  });

  it("saves the payload under a name, masked unless asked otherwise, and takes it back on Undo", async () => {
    const { engine, user } = renderApp("#/fire", keeping());
    await inTree("example");
    await user.keyboard("p");
    const dialog = await screen.findByRole("dialog", { name: "Save payload" });
    expect(within(dialog).getByText(/look like secrets are masked/)).toBeInTheDocument();
    await user.type(within(dialog).getByRole("textbox", { name: "Name" }), "mine{Enter}");
    expect(await inTree("mine")).toBeInTheDocument();
    expect(callsOf(engine, "fixtures.save")[0]).toMatchObject({ name: "mine", keep_secrets: false });
    expect(await screen.findByText("Saved as mine, with secrets masked.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "fixtures.remove")).toHaveLength(1));
  });

  it("removes a saved payload from the menu, and Undo puts it back as it was", async () => {
    const { engine, user } = renderApp("#/fire?dialect=jcli&event=pre_tool_execution&fixture=harmless ls", keeping());
    await inTree("harmless ls");
    await user.click(screen.getByRole("button", { name: "More actions for the payload" }));
    await user.click(await screen.findByRole("menuitem", { name: "Remove saved payload" }));
    await waitFor(() => expect(screen.queryByRole("treeitem", { name: "harmless ls" })).not.toBeInTheDocument());
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await inTree("harmless ls")).toBeInTheDocument();
    expect(callsOf(engine, "fixtures.save")[0]).toMatchObject({
      payload: { tool_name: "Bash" },
      keep_secrets: true,
    });
  });

  it("says why a name is refused, and warns of one that is taken", async () => {
    const { user } = renderApp("#/fire", {
      "fixtures.save": () => {
        throw new Fault({
          code: "bad_fixture_name",
          message: "a/b is not a valid name for a saved payload",
          hint: "no slashes",
        });
      },
    });
    await inTree("example");
    await user.click(screen.getByRole("button", { name: "Save payload" }));
    const name = await screen.findByRole("textbox", { name: "Name" });
    await user.type(name, "harmless ls");
    expect(screen.getByText(/It will be replaced/)).toBeInTheDocument();
    await user.clear(name);
    await user.type(name, "a/b{Enter}");
    expect(await screen.findByText("a/b is not a valid name for a saved payload · no slashes")).toBeInTheDocument();
  });

  it("tells when a saved payload cannot be saved again", async () => {
    const { user } = renderApp("#/fire?dialect=jcli&event=pre_tool_execution&fixture=harmless ls", {
      "fixtures.save": () => {
        throw new Fault({ code: "x", message: "the file cannot be written", hint: "free some disk space" });
      },
    });
    await inTree("harmless ls");
    await user.click(screen.getByRole("button", { name: "Save payload" }));
    expect(await screen.findByText("the file cannot be written · free some disk space")).toBeInTheDocument();
  });

  it("tells of saved files that are no payload", async () => {
    renderApp("#/fire", {
      fixtures: {
        fixtures: FIXTURES,
        problems: [
          {
            code: "syntax",
            severity: "error",
            path: "/home/me/fixtures/x.json",
            line: null,
            column: null,
            message: "the file is not a JSON object",
            hint: null,
            hook: null,
            args: {},
          },
        ],
      },
    });
    expect(await screen.findByText("1 saved payload is not a JSON object")).toBeInTheDocument();
  });
});

describe("a chain of which nothing ran because hooks wait", () => {
  const WAITING: Trace = {
    ...TRACE,
    verdict: { ...TRACE.verdict, kind: "proceed", reason: null, by: null },
    notices: [],
    steps: TRACE.steps.map((step, index) => ({
      ...step,
      outcome: index === 4 ? ("not_matched" as const) : ("skipped" as const),
      reason: index === 4 ? null : "untrusted",
    })),
  };

  it("says so instead of the agent's verdict, and leads to their review", async () => {
    const { user } = renderApp("#/fire", { fire: WAITING });
    await user.click(await screen.findByRole("button", { name: /^Fire/ }));
    const banner = await screen.findByText(/^Nothing ran here:/);
    expect(banner).toHaveTextContent("Nothing ran here: 4 hooks wait for your approval. j-cli itself does run them.");
    await user.click(screen.getByRole("button", { name: "Review" }));
    expect(await screen.findByRole("heading", { name: "Trust" })).toBeInTheDocument();
  });

  it("keeps the verdict where another hook ran", async () => {
    const steps = WAITING.steps.map((step, index) => (index === 0 ? (TRACE.steps[0] ?? step) : step));
    const { user } = renderApp("#/fire", { fire: { ...WAITING, steps } });
    await user.click(await screen.findByRole("button", { name: /^Fire/ }));
    expect(await screen.findByText(/3 hooks did not run because/)).toBeInTheDocument();
    expect(screen.queryByText(/^Nothing ran here:/)).not.toBeInTheDocument();
  });
});

describe("a chain that the user stopped", () => {
  const [base] = TRACE.steps as [Step];
  const attempt = { ...(base.attempts[0] as Step["attempts"][number]), end: "cancelled" as const, took_ms: 21_100 };
  const gates = [{ gate: "chain" as const, pass: false, why: "stopped before it finished", code: "cancelled_run" }];
  const stopped: Step = { ...base, outcome: "skipped", reason: "cancelled", edits: [], attempts: [attempt] };
  const later: Step = { ...base, hook: "later", label: "later", outcome: "skipped", reason: "cancelled", attempts: [] };
  const STOPPED: Trace = {
    ...TRACE,
    verdict: { ...TRACE.verdict, kind: "proceed", reason: null, by: null },
    notices: [],
    steps: [{ ...stopped, gates: gates as unknown as Step["gates"] }, later],
  };

  it("says so, with the hook that was running and for how long, and not that no hook ran", async () => {
    const { user } = renderApp("#/fire", { fire: STOPPED });
    await user.click(await screen.findByTestId("fire"));
    const pane = within(await screen.findByRole("region", { name: "Result" }));
    expect((await pane.findByText("Stopped by you")).parentElement).toHaveTextContent(
      `Stopped by you, while ${base.label} was running`,
    );
    const [first, second] = within(pane.getByRole("list", { name: "Steps" })).getAllByRole("button");
    expect(first).toHaveTextContent("stopped after 21.1 s");
    expect(first).toHaveTextContent("Stopped");
    expect(second).toHaveTextContent("the chain was stopped before this hook");
    expect(pane.queryByText(/no hook ran|did not run/)).not.toBeInTheDocument();
  });

  it("is told in the drawer of History and in Explain in the same words", async () => {
    const { user } = renderApp(`#/history?trace=${TRACE.trace}`, { "history.show": STOPPED });
    const drawer = within(await screen.findByRole("region", { name: "Event" }));
    expect(await drawer.findByRole("status")).toHaveTextContent(`Stopped by you, while ${base.label} was running`);
    await user.keyboard("e");
    expect(await screen.findByText(`${base.label} was stopped after 21.1 s`)).toBeInTheDocument();
  });
});

describe("an event that is fired at an agent", () => {
  it("has its verdict first, and below it what the agent replied", async () => {
    const { user } = renderApp(`#/fire?agent=${AGENTS[0]?.session}`, AGENT_STORY);
    await screen.findByText(/also runs its own hooks/);
    await user.click(await screen.findByTestId("fire"));
    const pane = within(await screen.findByRole("region", { name: "Result" }));
    const reply = await pane.findByRole("region", { name: new RegExp(`${ANSWER.agent}`) });
    const verdict = (await screen.findByRole("region", { name: "Result" })).querySelector(":scope > .verdict");
    // What follows scrolls below the banner, so it cannot lie over it.
    expect(verdict?.nextElementSibling).toContainElement(reply);
  });
});

describe("a chain that runs while another screen is on show", () => {
  const MESSAGE = "#/fire?dialect=jcli&event=pre_send_message";
  const FIRE = "{Control>}{Enter}{/Control}";

  /** Fires at an event that Fire does not begin with; `end` ends its chain. */
  async function firing(changes: Script = {}) {
    let end: (trace: Trace) => void = () => undefined;
    const fire = () => new Promise<Trace>((resolve) => (end = resolve));
    const app = renderApp(MESSAGE, { fire, "fire.stop": { stopped: true }, ...changes });
    expect(await inTree(/^pre_send_message/)).toHaveAttribute("aria-selected", "true");
    await app.user.keyboard(FIRE);
    await screen.findByRole("button", { name: /^Stop/ });
    return { ...app, end: (trace: Trace) => act(() => end(trace)) };
  }

  async function goAndComeBack({ user }: Pick<ReturnType<typeof renderApp>, "user">) {
    await user.keyboard("1");
    await screen.findByRole("heading", { name: "Overview" });
    await user.keyboard("3");
    await tree();
  }

  it("is shown at the same event, is not started a second time, and is stopped with Esc", async () => {
    const { engine, ...app } = await firing();
    await goAndComeBack(app);
    expect(await inTree(/^pre_send_message/)).toHaveAttribute("aria-selected", "true");
    expect(screen.getByRole("button", { name: /^Stop/ })).toBeInTheDocument();
    await app.user.keyboard(FIRE);
    expect(callsOf(engine, "fire")).toHaveLength(1);
    await app.user.keyboard("{Escape}");
    const { run } = callsOf(engine, "fire")[0] as Params<"fire">;
    expect(callsOf(engine, "fire.stop")).toEqual([{ run }]);
  });

  it("has its result where it was fired, whatever is chosen when it comes", async () => {
    const { end, user } = await firing();
    await user.click(await inTree("harmless ls"));
    expect(await screen.findByTestId("fire")).toHaveTextContent("Fire");
    end({ ...TRACE, event: "pre_send_message", steps: [] });
    expect(screen.queryByText("Show in History")).not.toBeInTheDocument();
    await user.click(await inTree(/^pre_send_message/));
    expect(await screen.findByText("Show in History")).toBeInTheDocument();
  });

  it("has its result on return, also where the entry of the navigation leads back", async () => {
    const { end, user } = await firing();
    await user.keyboard("1");
    await screen.findByRole("heading", { name: "Overview" });
    end({ ...TRACE, event: "pre_send_message", steps: [] });
    await user.click(screen.getByRole("link", { name: /Fire/ }));
    expect(await screen.findByText("Show in History")).toBeInTheDocument();
  });

  it("goes on, and says why, when the engine does not stop it", async () => {
    const refuse = () => {
      throw new Fault({ code: "x", message: "the run is not known", hint: "restart the engine" });
    };
    const { user } = await firing({ "fire.stop": refuse });
    await user.keyboard("{Escape}");
    expect(await screen.findByText("the run is not known · restart the engine")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: /^Stop/ })).toBeInTheDocument();
  });
});

describe("a result whose hooks changed since", () => {
  /** Fires, then the engine lists `hooks`. */
  async function firedBefore(change: (rows: HookRow[]) => HookRow[]) {
    let hooks = HOOKS;
    const versionOf = (hook: string) => HOOKS.find((row) => row.hook === hook)?.version;
    const fire = { ...TRACE, steps: TRACE.steps.map((step) => ({ ...step, version: versionOf(step.hook) })) };
    const { engine, user } = renderApp("#/fire", {
      fire,
      "hooks.list": () => ({ hooks, problems: [], sources: [] }),
    });
    await tree();
    await user.click(await screen.findByTestId("fire"));
    await screen.findByText("Show in History");
    expect(screen.queryByText(CHANGED)).not.toBeInTheDocument();
    hooks = change(HOOKS);
    act(() => engine.push({ kind: "stale", what: ["hooks"] }));
    return { engine, user };
  }
  const CHANGED = "The hooks of this event changed after this result.";

  it("says so, and offers to fire again", async () => {
    const { engine, user } = await firedBefore((rows) =>
      rows.map((row) => (row.hook === TRACE.steps[0]?.hook ? { ...row, version: "another" } : row)),
    );
    expect(await screen.findByText(CHANGED)).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Fire again" }));
    expect(callsOf(engine, "fire")).toHaveLength(2);
  });

  it("says so too when a hook is no longer approved", async () => {
    await firedBefore((rows) =>
      rows.map((row) => (row.hook === TRACE.steps[0]?.hook ? { ...row, trusted: false } : row)),
    );
    expect(await screen.findByText(CHANGED)).toBeInTheDocument();
  });
});

describe("hooks that the agent does not run", () => {
  it("decide here only, and the verdict says so first", async () => {
    const { user } = renderApp("#/fire", { "hooks.list": BROKEN_FILE });
    await user.click(await screen.findByRole("button", { name: /^Fire/ }));
    expect(await screen.findByText(/ here, not in j-cli$/)).toBeInTheDocument();
  });

  it("are counted before the first run, each with its health", async () => {
    const steps = EXPLAIN.steps.map((step, index) =>
      index === 0 ? { ...step, would_run: true, health: NOT_INSTALLED } : step,
    );
    renderApp("#/fire", { explain: { ...EXPLAIN, steps } });
    expect(await screen.findByText(/1 of them cannot do its work\./)).toBeInTheDocument();
    const plan = await screen.findByRole("list", { name: "What would run" });
    expect(plan).toHaveTextContent("Cannot start");
  });
});
