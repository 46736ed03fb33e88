import { afterEach, describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { historyRows, NOW, PROJECT } from "@/testing/sampleData";
import { addMarks, CELL_TRACES, cellsBetween, clearMarks, laneName, MARKS_MS, MOST_LANES, markLanes } from "./marks";

const BASE = historyRows(1)[0] as HistoryRow;
const row = (trace: string, ago: number, part: Partial<HistoryRow> = {}): HistoryRow => ({
  ...BASE,
  trace,
  at: new Date(NOW - ago).toISOString(),
  outcomes: ["no_opinion"],
  verdict: { ...BASE.verdict, kind: "proceed" },
  ...part,
});
const cells = (key = 0) => {
  const lane = markLanes(PROJECT)[key];
  return lane === undefined ? [] : cellsBetween(lane, NOW - MARKS_MS, NOW + 1);
};

afterEach(() => clearMarks());

describe("the marks of the last minute", () => {
  it("are one for each chain, oldest first, whatever order they come in", () => {
    addMarks([row("C", 1000), row("A", 30_000), row("B", 20_000)]);
    expect(cells().map((cell) => cell.row.trace)).toEqual(["A", "B", "C"]);
  });

  it("share a cell when they begin within a tenth of a second, and show the loudest", () => {
    addMarks([row("A", 20), row("B", 15, { outcomes: ["failed_open"] }), row("C", 10)]);
    expect(cells()).toEqual([expect.objectContaining({ traces: ["A", "B", "C"], more: false })]);
    expect(cells()[0]?.row.trace).toBe("B");
  });

  it("count a chain that is recorded again once, and show its later version", () => {
    addMarks([row("A", 20)]);
    addMarks([row("A", 20, { outcomes: ["detached"] })]);
    expect(cells()).toEqual([expect.objectContaining({ traces: ["A"] })]);
    expect(cells()[0]?.row.outcomes).toEqual(["detached"]);
  });

  it("have a lane for each session of an agent, and one for what this machine fired", () => {
    const names = (["cli", "window", "simulated", "replay", "test"] as const).map((origin) =>
      laneName(row("A", 0, { origin })),
    );
    expect(new Set(names)).toEqual(new Set([""]));
    addMarks([
      row("A", 10),
      row("B", 20, { origin: "agent", session: "4f21", agent: "j-cli" }),
      row("C", 30, { origin: "agent", session: "77c0", agent: "j-cli" }),
      row("D", 40, { project: "/elsewhere" }),
    ]);
    expect(markLanes(PROJECT).map((lane) => lane.agent?.session ?? "this machine")).toEqual([
      "this machine",
      "4f21",
      "77c0",
    ]);
  });
});

describe("the memory of the marks", () => {
  it("keeps a minute and a little more, and nothing older comes back", () => {
    addMarks([row("A", MARKS_MS + 9000), row("B", 0)]);
    addMarks([row("C", MARKS_MS + 30_000), row("OLD", 70_000 + 0)]);
    expect(cells().map((cell) => cell.row.trace)).toEqual(["B"]);
  });

  it("tells a limited number of traces of a cell apart", () => {
    addMarks(Array.from({ length: CELL_TRACES + 5 }, (_, index) => row(`T${index}`, 20)));
    expect(cells()[0]?.traces).toHaveLength(CELL_TRACES);
    expect(cells()[0]?.more).toBe(true);
  });

  it("has a limited number of lanes, and forgets the quietest", () => {
    const session = (index: number) =>
      row(`T${index}`, 60_000 - index * 200, { origin: "agent", session: `s${index}` });
    addMarks(Array.from({ length: MOST_LANES + 3 }, (_, index) => session(index)));
    const kept = markLanes(PROJECT).map((lane) => lane.agent?.session);
    expect(kept).toHaveLength(MOST_LANES);
    expect(kept).not.toContain("s0");
    expect(kept).toContain(`s${MOST_LANES + 2}`);
  });
});
