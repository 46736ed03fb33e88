import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { showLanguage } from "@/i18n";
import type { Reply } from "@/ipc";
import { useView } from "@/lib/view";
import { SAMPLES } from "@/testing/newHookData";
import { callsOf, renderApp } from "@/testing/render";
import { historyRows, PROJECT } from "@/testing/sampleData";
import { READING, SCENARIO_FILE, SCENARIO_TEXT, SIMULATION, simulatorStory } from "@/testing/simulatorData";
import { STORIES } from "@/testing/stories/stories";
import { draftKey } from "./scenarios";

const STORY = simulatorStory();
const FILE = `#/simulator?scenario=${encodeURIComponent(`file/${SCENARIO_FILE}`)}`;
const RUN = "{Control>}{Enter}{/Control}";

afterEach(() => act(() => showLanguage("en")));

/** Opens the saved scenario and runs it. */
async function run(story = STORY) {
  const app = renderApp(FILE, story);
  await screen.findByRole("region", { name: "Scenario" });
  await app.user.keyboard(RUN);
  return app;
}

describe("the simulator", () => {
  it("offers the files of the project and the samples of its dialects", async () => {
    const { user } = renderApp("#/simulator", STORY);
    expect(await screen.findByRole("heading", { name: "Choose a scenario" })).toBeVisible();
    expect(screen.getByRole("button", { name: /house-rules/ })).toBeVisible();
    expect(screen.queryByRole("button", { name: /stop-gate/ })).toBeNull();
    await user.click(screen.getByRole("button", { name: /carts\.scenario\.yaml/ }));
    expect(await screen.findByRole("heading", { name: "Not run yet" })).toBeVisible();
    expect(window.location.hash).toContain("scenario=file");
  });

  it("says that a scenario of the address is gone", async () => {
    renderApp("#/simulator?scenario=file/gone.scenario.yaml", STORY);
    expect(await screen.findByText("The chosen scenario no longer exists.")).toBeVisible();
  });

  it("runs the text and shows what each call sees", async () => {
    const { engine } = await run();
    expect(await screen.findByRole("heading", { name: "No event was blocked." })).toBeVisible();
    expect(callsOf(engine, "simulate")).toMatchObject([{ text: SCENARIO_TEXT }]);
    const step = screen.getByRole("list", { name: "Messages of Step 2" });
    expect(within(step).getAllByText("hint")).toHaveLength(2);
    expect(screen.getByText(/Step 2 sees 2 copies of hint/)).toBeVisible();
    expect(screen.getByRole("list", { name: "How long inserted texts stay" })).toHaveTextContent("2plan");
  });

  it("goes from call to call and into the next request with the arrow keys", async () => {
    const { user } = await run();
    await screen.findByRole("heading", { name: "No event was blocked." });
    const current = () => document.querySelector('[aria-current="step"]')?.textContent;
    expect(current()).toMatch(/^Planning/);
    await user.keyboard("{ArrowRight}{ArrowRight}");
    await waitFor(() => expect(current()).toMatch(/^Step 2/));
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(current()).toMatch(/^Direct reply/));
    expect(screen.getByRole("radio", { name: "Request 2" })).toBeChecked();
    await user.keyboard("{ArrowLeft}");
    await waitFor(() => expect(current()).toMatch(/^Step 2/));
  });

  it("shows the chain of an event, and the exact text of a call", async () => {
    const { user } = await run();
    const events = await screen.findByRole("list", { name: "Events before Step 1" });
    await user.click(within(events).getByRole("button", { name: /before_each_agent/ }));
    const chain = await screen.findByRole("region", { name: "Chain of the event" });
    expect(within(chain).getByRole("button", { name: /each/ })).toHaveAttribute("aria-expanded", "true");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Chain of the event" })).toBeNull());
    await user.click(screen.getByRole("button", { name: "Exact text" }));
    expect(await screen.findByRole("region", { name: "Exact text of the call" })).toHaveTextContent("Text of each");
  });

  it("stops a run, and shows what happened until then", async () => {
    let end: (document: typeof SIMULATION) => void = () => undefined;
    const simulate = () => new Promise<typeof SIMULATION>((resolve) => (end = resolve));
    const { user, engine } = await run({ ...STORY, simulate });
    expect(await screen.findByText("Simulating the conversation")).toBeVisible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(callsOf(engine, "fire.stop")).toHaveLength(1));
    act(() => end({ ...SIMULATION, turns: [0], llm_calls: [], final_messages: [] }));
    expect(await screen.findByText(/You stopped the simulation/)).toBeVisible();
  });

  it("goes on while another screen is on show, can be stopped on return, and is not started twice", async () => {
    let end: (document: typeof SIMULATION) => void = () => undefined;
    const simulate = () => new Promise<typeof SIMULATION>((resolve) => (end = resolve));
    const { user, engine } = await run({ ...STORY, simulate });
    expect(await screen.findByText("Simulating the conversation")).toBeVisible();
    await user.keyboard("1");
    await screen.findByRole("heading", { name: "Overview" });
    await user.keyboard("8");
    expect(await screen.findByText("Simulating the conversation")).toBeVisible();
    await user.keyboard(RUN);
    expect(callsOf(engine, "simulate")).toHaveLength(1);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(callsOf(engine, "fire.stop")).toHaveLength(1));
    await user.keyboard("1");
    await screen.findByRole("heading", { name: "Overview" });
    act(() => end(SIMULATION));
    await user.keyboard("8");
    expect(await screen.findByRole("heading", { name: "No event was blocked." })).toBeVisible();
    expect(screen.getByText(/You stopped the simulation/)).toBeVisible();
  });

  it("says that a result is of other hooks, once these changed", async () => {
    const list = STORY["hooks.list"] as (params: { project: string }) => Reply<"hooks.list">;
    const before = list({ project: PROJECT });
    let hooks = before.hooks;
    const { engine } = await run({ ...STORY, "hooks.list": () => ({ ...before, hooks }) });
    await screen.findByRole("heading", { name: "No event was blocked." });
    const changed = /^The hooks changed after this result/;
    expect(screen.queryByText(changed)).not.toBeInTheDocument();
    hooks = hooks.filter((row) => row.label !== "hint");
    act(() => engine.push({ kind: "stale", what: ["hooks"] }));
    expect(await screen.findByText(changed)).toBeVisible();
  });

  it("names the line and field of a text that cannot be run", async () => {
    await run(STORIES.simulatorfault);
    expect((await screen.findAllByRole("alert"))[0]).toHaveTextContent("Line 4: turns[0]: missing field user");
  });

  it("says which hooks wait for an approval", async () => {
    const { user } = await run(STORIES.simulatorwaits);
    expect(await screen.findByRole("heading", { name: /5 hooks did not run, because they need review/ })).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Review" }));
    await waitFor(() => expect(window.location.hash).toContain("#/trust?hook="));
  });

  it("lists the hooks that insert texts by lifetime, and mutes one", async () => {
    const { user, engine } = renderApp(FILE, { ...STORY, mute: {} });
    await user.click(await screen.findByRole("radio", { name: "Hooks" }));
    const rows = within(screen.getByRole("list", { name: "Skill hooks" })).getAllByRole("listitem");
    expect(rows.map((row) => row.textContent)).toEqual([
      "1housewhole request",
      "1tonewhole request, persistent",
      "2planplanning call",
      "3eachthis step",
      "5hintnext call",
    ]);
    await user.click(screen.getByRole("switch", { name: "tone inserts its text" }));
    await waitFor(() => expect(callsOf(engine, "mute")).toMatchObject([{ hook: "skill:skill:own:tone" }]));
  });

  it("names the enabled skills that the project has no hook of", async () => {
    const scenario = READING.scenario === null ? null : { ...READING.scenario, enabled_skills: ["tone", "cite"] };
    renderApp(FILE, { ...STORY, "scenarios.read": { ...READING, scenario } });
    expect(await screen.findByText("The project has no hook of the enabled skill cite.")).toBeVisible();
  });

  it("offers the hooks of the sample where the scenario is one of the samples", async () => {
    const scenario = READING.scenario === null ? null : { ...READING.scenario, enabled_skills: ["house-rules"] };
    const samples = SAMPLES.map((one) => ({ ...one, sample: "skill/house-rules", name: "house-rules" }));
    const { user } = renderApp("#/simulator?scenario=sample/skill/house-rules", {
      ...STORY,
      "scenarios.read": { ...READING, scenario },
      "samples.list": { samples: [...SAMPLES, ...samples.slice(1)] },
    });
    await user.click(await screen.findByRole("button", { name: "Add the sample's hooks" }));
    const dialog = await screen.findByRole("dialog", { name: "New hook" });
    expect(await within(dialog).findByRole("radio", { name: /house-rules/ })).toBeChecked();
  });

  it("runs with what was typed a moment ago", async () => {
    const { user, engine } = renderApp(FILE, STORY);
    const turn = await screen.findByRole("region", { name: "Request 1" });
    await user.type(within(turn).getByRole("textbox", { name: "User" }), "!");
    await user.keyboard(RUN);
    await waitFor(() => expect(callsOf(engine, "simulate")).toMatchObject([{ text: `${SCENARIO_TEXT}# changed\n` }]));
  });

  it("changes the text from the form, through the engine", async () => {
    const { user, engine } = renderApp(FILE, STORY);
    const turn = await screen.findByRole("region", { name: "Request 1" });
    const message = within(turn).getByRole("textbox", { name: "User" });
    await user.clear(message);
    await user.type(message, "Compare them.");
    await user.tab();
    await user.click(within(turn).getByRole("button", { name: "Move down: step 1 of request 1" }));
    const changes = () =>
      callsOf(engine, "scenarios.read").flatMap((params) => (params as { changes?: unknown[] }).changes ?? []);
    await waitFor(() =>
      expect(changes()).toEqual([
        { do: "set", at: ["turns", 0, "user"], value: "Compare them." },
        { do: "move", list: ["turns", 0, "steps"], from: 0, to: 1 },
      ]),
    );
    expect(await screen.findByRole("img", { name: "Edited, not saved" })).toBeVisible();
  });

  it("saves into the file that it came from, and a sample under a name", async () => {
    const { user, engine } = renderApp(FILE, STORY);
    await screen.findByRole("region", { name: "Request 1" });
    await user.keyboard("{Control>}s{/Control}");
    await waitFor(() => expect(callsOf(engine, "scenarios.save")).toMatchObject([{ path: SCENARIO_FILE, base: "aa" }]));
    window.location.hash = "#/simulator?scenario=sample/skill/house-rules";
    await screen.findByText("house-rules");
    await user.keyboard("{Control>}s{/Control}");
    const sheet = await screen.findByRole("dialog", { name: "Save the scenario" });
    await user.click(within(sheet).getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(callsOf(engine, "scenarios.save")[1]).toMatchObject({
        path: "tests/hooks/house-rules.scenario.yaml",
        base: null,
      }),
    );
  });

  it("runs what was saved before the list has read it again", async () => {
    const list = (STORY.scenarios as { scenarios: { text: string }[] }).scenarios;
    const written = `${SCENARIO_TEXT}# again\n`;
    let isSaved = false;
    let answer: () => void = () => undefined;
    const { user, engine } = renderApp(FILE, {
      ...STORY,
      scenarios: () =>
        isSaved
          ? new Promise((resolve) => {
              answer = () => resolve({ scenarios: list.map((row) => ({ ...row, text: written })) } as never);
            })
          : (STORY.scenarios as never),
      "scenarios.save": (params) => {
        isSaved = true;
        return (STORY["scenarios.save"] as (of: typeof params) => never)(params);
      },
    });
    await screen.findByRole("region", { name: "Request 1" });
    act(() => useView.getState().setDraft(draftKey(PROJECT, `file/${SCENARIO_FILE}`), written));
    const mark = await screen.findByRole("img", { name: "Edited, not saved" });
    await user.keyboard("{Control>}s{/Control}");
    expect(await screen.findByText(`${SCENARIO_FILE} was saved.`)).toBeVisible();
    await user.keyboard(RUN);
    await waitFor(() => expect(callsOf(engine, "simulate")).toMatchObject([{ text: written }]));
    await act(async () => answer());
    await waitFor(() => expect(mark).not.toBeInTheDocument());
  });

  it("says when the payloads of a recorded session are no longer kept", async () => {
    const rows = historyRows(1).map((row) => ({ ...row, session: "4f21" }));
    const { user } = renderApp("#/simulator", {
      ...STORY,
      "history.page": { traces: rows, next: null },
      "scenarios.from_session": { text: null, bodies_removed: true },
    });
    await user.click(await screen.findByRole("button", { name: /From a recorded session/ }));
    await user.click(await screen.findByRole("button", { name: /4f21/ }));
    expect(await screen.findByText(/were removed after their retention time/)).toBeInTheDocument();
  });

  it("makes a scenario of a recorded session", async () => {
    const rows = historyRows(3).map((row, index) => ({ ...row, session: "4f21", trace: `t${index}` }));
    const { user, engine } = renderApp("#/simulator", {
      ...STORY,
      "history.page": { traces: rows, next: null },
      "scenarios.from_session": { text: "dialect: jcli\nturns: []\n", bodies_removed: false },
    });
    await user.click(await screen.findByRole("button", { name: /From a recorded session/ }));
    await user.click(await screen.findByRole("button", { name: /4f21/ }));
    await waitFor(() => expect(window.location.hash).toContain("scenario=session"));
    expect(callsOf(engine, "scenarios.from_session")).toEqual([{ dialect: "jcli", traces: ["t2", "t1", "t0"] }]);
  });
});
