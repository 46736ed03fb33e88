import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Dialect, HistoryRow, Reply, Trace } from "@/ipc/types";
import { callsOf, renderApp } from "@/testing/render";
import { historyRows, PROJECT, STATE, sampleReplies, TRACE } from "@/testing/sampleData";

const rows = historyRows(40);
const [newest, , third] = rows;
const list = () => screen.findByRole("grid", { name: "Events" });
const rowsShown = async () =>
  within(await list())
    .getAllByRole("row")
    .filter((one) => one.hasAttribute("aria-selected"));
const row = async (at: number) => (await rowsShown())[at] as HTMLElement;

/** An engine whose every trace is the same chain at its own time; the third's first hook said something else. */
const traces = {
  "history.show": ({ trace }: { trace: string }): Trace => {
    const found = rows.find((one) => one.trace === trace);
    const steps =
      trace === third?.trace
        ? TRACE.steps.map((step, at) => (at === 0 ? { ...step, outcome: "denied" as const } : step))
        : TRACE.steps;
    return { ...TRACE, trace, at: found?.at ?? TRACE.at, steps };
  },
};

describe("the brush over the histogram", () => {
  it("takes a span by drag, asks for it, and shows it as a filter that can be removed", async () => {
    const { engine, user } = renderApp("#/history");
    await list();
    const from = await screen.findByRole("slider", { name: "From" });
    const brush = from.parentElement as HTMLElement;
    brush.setPointerCapture = () => undefined;
    brush.getBoundingClientRect = () => new DOMRect(0, 0, 600, 32);
    fireEvent.pointerDown(brush, { button: 0, clientX: 100 });
    fireEvent.pointerMove(brush, { clientX: 200 });
    fireEvent.pointerUp(brush);
    await waitFor(() =>
      expect(callsOf(engine, "history.page").at(-1)).toMatchObject({
        since: "2026-11-20T13:43:05.120Z",
        until: "2026-11-20T13:53:05.120Z",
      }),
    );
    await user.click(screen.getByRole("button", { name: "Remove time" }));
    expect(from).toHaveAttribute("aria-valuenow", "0");
    expect(screen.queryByRole("button", { name: "Remove time" })).toBeNull();
  });

  it("is moved with the arrow keys at both ends, and given up with Esc", async () => {
    const { engine, user } = renderApp("#/history");
    await list();
    const from = await screen.findByRole("slider", { name: "From" });
    from.focus();
    await user.keyboard("{ArrowRight}{PageUp}");
    expect(from).toHaveAttribute("aria-valuenow", "9");
    // Reaching to now, it goes on with the time.
    expect(callsOf(engine, "history.page").at(-1)).not.toHaveProperty("until");
    screen.getByRole("slider", { name: "Until" }).focus();
    await user.keyboard("{Home}");
    expect(screen.getByRole("slider", { name: "Until" })).toHaveAttribute("aria-valuenow", "10");
    await user.keyboard("{Escape}");
    expect(from).toHaveAttribute("aria-valuenow", "0");
    expect(screen.queryByRole("button", { name: "Remove time" })).toBeNull();
  });

  it("is given up with Esc on the page, once nothing lies over the list", async () => {
    const { user } = renderApp(`#/history?since=2026-11-20T13:43:05Z&trace=${newest?.trace}`, traces);
    const chip = await screen.findByRole("button", { name: "Remove time" });
    await screen.findByRole("region", { name: "Event" });
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Event" })).toBeNull());
    expect(chip).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove time" })).toBeNull());
  });
});

describe("comparing two chains", () => {
  it("begins with Ctrl and a click on a second row, and says which steps differ", async () => {
    const { user } = renderApp("#/history", traces);
    await user.click(await row(0));
    await user.keyboard("{Control>}");
    await user.click(await row(2));
    await user.keyboard("{/Control}");
    const compare = await screen.findByRole("region", { name: "Compare" });
    expect(await within(compare).findByRole("status")).toHaveTextContent(`1 of ${TRACE.steps.length} steps differs.`);
    const steps = within(within(compare).getByRole("list", { name: "Steps" })).getAllByRole("button", {
      expanded: true,
    });
    expect(steps).toHaveLength(1);
    expect(steps[0]).toHaveTextContent(/outcome.*Denied/);
    expect((await list()).querySelectorAll("tr[aria-selected=true]")).toHaveLength(2);
    // A plain click is about one chain again.
    await user.click(await row(1));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Compare" })).toBeNull());
    expect(await screen.findByRole("region", { name: "Event" })).toBeInTheDocument();
  });

  it("works from the keyboard: C holds the chain, the next row is the other one, Esc goes back", async () => {
    const { user } = renderApp("#/history", traces);
    await user.click(await row(0));
    await screen.findByRole("button", { name: /^Replay/ });
    await user.keyboard("c");
    expect(await screen.findByText(/Choose another event/)).toBeInTheDocument();
    await user.keyboard("{ArrowDown}");
    const compare = await screen.findByRole("region", { name: "Compare" });
    expect(await within(compare).findByRole("status")).toHaveTextContent("All steps agree.");
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(within(compare).getByRole("status")).toHaveTextContent("steps differs."));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Compare" })).toBeNull());
    expect((await list()).querySelectorAll("tr[aria-selected=true]")).toHaveLength(1);
  });
});

const fresh = (trace: string, part: Partial<HistoryRow> = {}) => ({ ...rows[0], trace, ...part }) as HistoryRow;

describe("the live list", () => {
  const first = async () => (await row(0)).textContent;

  it("says how many events its bars count, not how many steps", async () => {
    const bar = { at: new Date().toISOString(), events: 1, blocked: 0, outcomes: { allowed: 3, denied: 1 } };
    renderApp("#/history", { "history.bars": { buckets: [bar] } as never });
    expect(await screen.findByRole("img", { name: "1 event in the last hour" })).toBeInTheDocument();
  });

  it("puts new events on top, holds them while it is paused, and lets them in again", async () => {
    const { engine, user } = renderApp("#/history");
    await row(0);
    act(() => engine.push({ kind: "traces", rows: [fresh("Z1", { about: "first one" })] }));
    await waitFor(async () => expect(await first()).toContain("first one"));
    await user.keyboard(" ");
    act(() => engine.push({ kind: "traces", rows: [fresh("Z2", { about: "second one" })] }));
    expect(await screen.findByText("1 new")).toBeInTheDocument();
    expect(await first()).toContain("first one");
    await user.click(screen.getByText("1 new"));
    await waitFor(async () => expect(await first()).toContain("second one"));
  });

  it("leaves out what its filter does not want, and asks again where only the engine can tell", async () => {
    const { engine } = renderApp("#/history?q=event:stop");
    await row(0);
    act(() => engine.push({ kind: "traces", rows: [fresh("Z1", { event: "session_start", about: "another event" })] }));
    act(() => engine.push({ kind: "traces", rows: [fresh("Z2", { event: "stop", about: "the wanted one" })] }));
    await waitFor(async () => expect(await first()).toContain("the wanted one"));
    expect(screen.queryByText("another event")).not.toBeInTheDocument();
    window.location.hash = "#/history?q=hook:jcli:user:stop:0";
    await waitFor(() => expect(callsOf(engine, "history.page").at(-1)).toMatchObject({ hook: "jcli:user:stop:0" }));
    await row(0);
    const asked = callsOf(engine, "history.page").length;
    act(() => engine.push({ kind: "traces", rows: [fresh("Z3")] }));
    await waitFor(() => expect(callsOf(engine, "history.page").length).toBe(asked + 1));
  });

  it("keeps its pages, its pause and what it held while another screen is on show", async () => {
    const { engine, user } = renderApp("#/history");
    await row(0);
    await user.keyboard(" ");
    const asked = callsOf(engine, "history.page").length;
    window.location.hash = "#/settings";
    await screen.findByRole("heading", { name: "Settings" });
    act(() => engine.push({ kind: "traces", rows: [fresh("Z1")] }));
    window.location.hash = "#/history";
    expect(await screen.findByText("1 new")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Paused" })).toBeInTheDocument();
    expect(callsOf(engine, "history.page")).toHaveLength(asked);
  });

  it("heads the rows of a day with the day, and gives each row its time", async () => {
    const two = [rows[0], { ...rows[1], at: "2026-11-19T09:05:07Z" }];
    renderApp("#/history", { "history.page": { traces: two, next: null } as never });
    const heads = (await list()).querySelectorAll("tr.group-row");
    expect([...heads].map((head) => head.textContent)).toEqual([
      "Friday, November 20, 2026",
      "Thursday, November 19, 2026",
    ]);
    expect((await row(1)).textContent).toMatch(/^\d\d:05:07/);
  });
});

describe("the filter of the list", () => {
  it("leaves the search to the engine, and says among how many events it was done", async () => {
    const slow = fresh("Z2", { about: "a slow one" });
    const { engine } = renderApp("#/history?q=-event:stop dur:>1s", {
      "history.page": ({ since }) =>
        since === undefined
          ? { traces: rows.slice(0, 3), next: null, searched: 40 }
          : { traces: [slow, ...rows.slice(0, 1)], next: null, searched: 2 },
    });
    expect(await screen.findByText("3 of the newest 40 events")).toBeInTheDocument();
    expect(callsOf(engine, "history.page")).toEqual([{ project: PROJECT, query: "-event:stop dur:>1s", limit: 100 }]);
    // What comes over the live feed is not compared here: the engine is asked for what is newer.
    act(() => engine.push({ kind: "traces", rows: [slow, fresh("Z3", { took_ms: 5, about: "a quick one" })] }));
    await waitFor(async () => expect((await row(0)).textContent).toContain("a slow one"), { timeout: 4000 });
    expect(screen.queryByText("a quick one")).not.toBeInTheDocument();
    expect(await rowsShown()).toHaveLength(4);
    expect(screen.getByText("4 of the newest 42 events")).toBeInTheDocument();
  });

  it("goes on where the engine stopped searching, and says so when nothing is found", async () => {
    const { engine } = renderApp("#/history?q=nowhere", {
      "history.page": ({ after }) =>
        after === undefined ? { traces: [], next: "c1", searched: 500 } : { traces: [], next: null, searched: 7 },
    });
    expect(await screen.findByText(/No event matches/)).toBeInTheDocument();
    expect(screen.getByText("0 of the newest 507 events")).toBeInTheDocument();
    expect(callsOf(engine, "history.page")).toMatchObject([{ query: "nowhere" }, { query: "nowhere", after: "c1" }]);
  });

  it("completes the known projects, and then lists the events of the chosen one", async () => {
    const { engine, user } = renderApp("#/history");
    await list();
    await user.type(screen.getByRole("combobox", { name: "Filter" }), "project:");
    const known = await screen.findAllByRole("option", { name: /^project:/ });
    expect(known.map((one) => one.querySelector(".mono")?.textContent)).toEqual(
      STATE.projects.map(({ path }) => `project:${path}`),
    );
    await user.click(known.at(-1) as HTMLElement);
    await waitFor(() =>
      expect(callsOf(engine, "history.page").at(-1)).toMatchObject({ project: STATE.projects.at(-1)?.path }),
    );
  });

  it("shows no rows for a word it cannot use, and says why", async () => {
    renderApp("#/history?q=dur:5");
    expect(await screen.findByText("Write a limit such as dur:>500ms or dur:<2s.")).toBeInTheDocument();
    expect(await rowsShown()).toEqual([]);
  });

  it("offers values by the words on the screen, with what they mean", async () => {
    const { engine, user } = renderApp("#/history");
    await list();
    await user.type(screen.getByRole("combobox", { name: "Filter" }), "denied");
    await user.click(await screen.findByRole("option", { name: /outcome:denied/ }));
    await waitFor(() => expect(callsOf(engine, "history.page").at(-1)).toMatchObject({ outcome: "denied" }));
  });

  it("works after a letter was typed and taken back, where two agents have an event of one name", async () => {
    const known = sampleReplies().dialects as Reply<"dialects">;
    const [first] = known.dialects as [Dialect];
    const { engine, user } = renderApp("#/history", { dialects: { dialects: [first, { ...first, id: "twin" }] } });
    await list();
    const input = screen.getByRole("combobox", { name: "Filter" });
    await user.type(input, "p{Backspace}");
    const listed = screen.getAllByRole("option").map((one) => one.querySelector(".mono")?.textContent);
    expect(listed.filter((text) => text?.match(/^event:./))).toEqual([]);
    await user.type(input, "verdict:denied{Enter}");
    expect(await screen.findByRole("button", { name: "verdict:denied" })).toBeInTheDocument();
    expect(screen.queryAllByRole("option")).toEqual([]);
    await waitFor(() =>
      expect(callsOf(engine, "history.page").at(-1)).toMatchObject({ query: expect.stringMatching(/^verdict:.*deny/) }),
    );
  });

  it("sorts the rows that were read by time taken, and gives the newest first again", async () => {
    const { user } = renderApp("#/history");
    const first = (await row(0)).textContent;
    const took = within(await list()).getByRole("button", { name: "Took" });
    await user.click(took);
    await waitFor(async () => expect((await row(0)).textContent).toContain("30.0"));
    expect(screen.getByText("40 loaded events, sorted")).toBeInTheDocument();
    await user.click(took);
    await user.click(took);
    await waitFor(async () => expect((await row(0)).textContent).toBe(first));
  });
});

describe("replaying a chain", () => {
  it("fires the recorded payload again and compares both", async () => {
    const { engine, user } = renderApp(`#/history?trace=${newest?.trace}`, {
      ...traces,
      fire: { ...TRACE, trace: third?.trace ?? "" },
    });
    await screen.findByRole("button", { name: /^Replay/ });
    await user.keyboard("r");
    const compare = await screen.findByRole("region", { name: "Compare" });
    expect(await within(compare).findByRole("status")).toHaveTextContent("steps differs.");
    expect(callsOf(engine, "fire").at(-1)).toMatchObject({ event: TRACE.event, payload: TRACE.payload_before });
    await user.click(within(compare).getByRole("button", { name: "Only differences" }));
    expect(within(within(compare).getByRole("list", { name: "Steps" })).getAllByRole("listitem")).toHaveLength(1);
  });

  it("does not lead back to History when the user has gone, and compares on return", async () => {
    let end: (trace: Trace) => void = () => undefined;
    const { engine, user } = renderApp(`#/history?trace=${newest?.trace}`, {
      ...traces,
      fire: () => new Promise<Trace>((resolve) => (end = resolve)),
    });
    await screen.findByRole("button", { name: /^Replay/ });
    await user.keyboard("r");
    await user.keyboard("1");
    await screen.findByRole("heading", { name: "Overview" });
    act(() => window.history.back());
    await screen.findByRole("button", { name: /^Replay/ });
    await user.keyboard("r");
    expect(callsOf(engine, "fire")).toHaveLength(1);
    await user.keyboard("1");
    await screen.findByRole("heading", { name: "Overview" });
    await act(async () => end({ ...TRACE, trace: third?.trace ?? "" }));
    expect(screen.getByRole("heading", { name: "Overview" })).toBeInTheDocument();
    act(() => window.history.back());
    expect(await screen.findByRole("region", { name: "Compare" })).toBeInTheDocument();
  });
});
