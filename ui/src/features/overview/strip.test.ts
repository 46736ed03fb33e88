import { afterEach, describe, expect, it } from "vitest";
import { addMarks, cellsBetween, clearMarks, MARKS_MS, markLanes } from "@/domain/trace/marks";
import type { AgentRow, HistoryRow } from "@/ipc";
import { TWO_AGENTS } from "@/testing/overviewData";
import { historyRows, NOW, PROJECT } from "@/testing/sampleData";
import { MARK_PX, markBeside, nearestMark, placeMarks, SHOWN_LANES, stripLanes } from "./strip";

const WIDTH = 600;
const BASE = historyRows(1)[0] as HistoryRow;
const row = (trace: string, ago: number, part: Partial<HistoryRow> = {}): HistoryRow => ({
  ...BASE,
  trace,
  origin: "cli",
  at: new Date(NOW - ago).toISOString(),
  outcomes: ["no_opinion"],
  verdict: { ...BASE.verdict, kind: "proceed" },
  ...part,
});
const ofAgent = (trace: string, ago: number, session: string, part: Partial<HistoryRow> = {}) =>
  row(trace, ago, { origin: "agent", agent: "j-cli", session, ...part });
const lanes = (agents: readonly AgentRow[] = [], now = NOW) =>
  stripLanes(markLanes(PROJECT), agents, PROJECT, now, WIDTH);

afterEach(() => clearMarks());

describe("the marks of a lane", () => {
  it("lie by their time, the newest at the right, and leave after a minute", () => {
    addMarks([row("A", 59_900), row("B", 30_000), row("C", 0)]);
    expect(lanes()[0]?.marks.map(({ x, row: { trace } }) => [trace, Math.round(x)])).toEqual([
      ["A", 1],
      ["B", 300],
      ["C", 600],
    ]);
    expect(lanes([], NOW + 31_000)[0]?.marks.map(({ row: { trace } }) => trace)).toEqual(["C"]);
  });

  it("share one mark where they would cover each other: the loudest, with how many there are and when", () => {
    addMarks([row("A", 9900), row("B", 9800, { outcomes: ["denied"], verdict: { ...BASE.verdict, kind: "skip" } })]);
    const [mark, ...rest] = lanes()[0]?.marks ?? [];
    expect(rest).toEqual([]);
    expect(mark).toMatchObject({ kind: "denied", count: 2, more: false });
    expect((mark?.to ?? 0) - (mark?.from ?? 0)).toBe(200);
  });

  it("are only of events for which a hook ran; the others are counted", () => {
    const bare = { outcomes: ["not_matched" as const], reasons: [null] };
    addMarks([row("A", 9900), row("B", 20_000, bare), row("C", 30_000, bare)]);
    expect(lanes()[0]).toMatchObject({ bare: 2, marks: [{ row: { trace: "A" } }] });
  });

  it("stay together while the strip moves on", () => {
    addMarks(Array.from({ length: 200 }, (_, index) => row(`T${index}`, index * 150)));
    const grouped = (now: number) =>
      lanes([], now)[0]
        ?.marks.map((mark) => mark.from)
        .slice(5, -5);
    const before = grouped(NOW) ?? [];
    expect(grouped(NOW + 1000)?.slice(0, 50)).toEqual(before.slice(0, 50));
  });

  it("are never more than its width has room for, whatever comes", () => {
    addMarks(Array.from({ length: 60_000 }, (_, index) => row(`T${index}`, index)));
    const [lane] = markLanes(PROJECT);
    const cells = lane === undefined ? [] : cellsBetween(lane, NOW - MARKS_MS, NOW);
    const marks = placeMarks(cells, NOW, WIDTH);
    expect(marks.length).toBeLessThanOrEqual(WIDTH / MARK_PX + 1);
    expect(marks.every((mark) => mark.more)).toBe(true);
  });
});

describe("the lanes", () => {
  it("are this machine where nothing else is there", () => {
    expect(lanes()).toEqual([expect.objectContaining({ agent: null, sessions: 0, marks: [] })]);
  });

  it("have the sessions of agents in their order, with or without events, and those that left", () => {
    addMarks([ofAgent("A", 5, "4f21"), ofAgent("B", 9, "ended", { agent: "other" })]);
    expect(lanes(TWO_AGENTS).map((lane) => [lane.agent?.session, lane.left, lane.marks.length])).toEqual([
      ["4f21", null, 1],
      ["cron", { at: null, x: 0 }, 0],
      ["ended", null, 1],
    ]);
    addMarks([row("C", 3)]);
    expect(lanes(TWO_AGENTS)[0]?.agent).toBeNull();
  });

  it("are one for each agent: what it did in sessions that have ended stays in its lane", () => {
    const [agent, other] = TWO_AGENTS as [AgentRow, AgentRow];
    const name = agent.agent.name;
    addMarks([ofAgent("A", 5000, "4f21", { agent: name }), ofAgent("B", 9000, "first", { agent: name })]);
    expect(lanes([agent]).map((lane) => [lane.agent?.session, lane.marks.length])).toEqual([["4f21", 2]]);
    addMarks([ofAgent("C", 14_000, "older", { agent: name })]);
    const again = { ...agent, session: "again" };
    // Whose lane it is cannot be said while two sessions of the agent are connected.
    expect(lanes([agent, again, other]).map((lane) => [lane.agent?.session, lane.marks.length])).toEqual([
      ["4f21", 1],
      ["again", 0],
      ["cron", 0],
      ["first", 2],
    ]);
    expect(lanes().map((lane) => [lane.agent?.name, lane.marks.length])).toEqual([[name, 3]]);
  });

  it("are cut where the agent left", () => {
    const leftAt = (seconds: number) =>
      lanes(
        TWO_AGENTS.map((row) => ({ ...row, connected: false, left_at: new Date(NOW - seconds * 1000).toISOString() })),
      )[0]?.left?.x;
    expect([0, 15, 60, 3600].map(leftAt)).toEqual([WIDTH, WIDTH * 0.75, 0, 0]);
  });

  it("leave out agents of other projects, unless they fired an event here", () => {
    const elsewhere = TWO_AGENTS.map((agent) => ({ ...agent, cwd: "/elsewhere" }));
    expect(lanes(elsewhere).map((lane) => lane.agent)).toEqual([null]);
    addMarks([ofAgent("A", 5, "cron")]);
    expect(lanes(elsewhere).map((lane) => lane.agent?.session)).toEqual(["cron"]);
  });

  it("are a limited number: the rest shares the last one", () => {
    addMarks(
      Array.from({ length: 9 }, (_, index) => ofAgent(`T${index}`, index * 1000, `s${index}`, { agent: `a${index}` })),
    );
    const shown = lanes();
    expect(shown).toHaveLength(SHOWN_LANES);
    expect(shown.at(-1)).toMatchObject({ agent: null, sessions: 4 });
    expect(shown.reduce((sum, lane) => sum + lane.marks.reduce((part, mark) => part + mark.count, 0), 0)).toBe(9);
  });
});

describe("the keys of the strip", () => {
  it("go along a lane and to the nearest mark of another one that has any", () => {
    addMarks([row("A", 50_000), row("B", 10_000), ofAgent("C", 45_000, "4f21"), ofAgent("D", 12_000, "4f21")]);
    const all = lanes([...TWO_AGENTS].reverse());
    expect(all.map((lane) => lane.marks.length)).toEqual([2, 0, 2]);
    const at = { lane: 0, mark: all[0]?.marks[1] as never };
    const traceOf = (key: string, from = at) => markBeside(all, from, key)?.mark.row.trace;
    expect(["ArrowLeft", "ArrowRight", "Home", "End", "ArrowDown", "ArrowUp", "x"].map((key) => traceOf(key))).toEqual([
      "A",
      undefined,
      "A",
      "B",
      "D",
      undefined,
      undefined,
    ]);
  });

  it("choose under the pointer only what is close", () => {
    addMarks([row("A", 30_000)]);
    const marks = lanes()[0]?.marks ?? [];
    expect([nearestMark(marks, 306, 12)?.row.trace, nearestMark(marks, 330, 12)]).toEqual(["A", null]);
  });
});
