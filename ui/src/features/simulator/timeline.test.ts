import { describe, expect, it } from "vitest";
import { SIMULATION } from "@/testing/simulatorData";
import { type TurnView, turnsOf } from "./timeline";
import { toolWords } from "./words";

const turns = turnsOf(SIMULATION);
const [first, second] = turns as [TurnView, TurnView];
const namesOf = (turn: TurnView, column: number) =>
  turn.columns[column]?.lines.flatMap(({ hook, lifetime }) => (hook === null ? [] : [`${hook} ${lifetime}`]));

describe("the turns of a simulation", () => {
  it("have a column for each call, with the events that were fired before it", () => {
    expect(first.columns.map(({ call, events }) => [call?.label, events])).toEqual([
      ["planning", [0, 1]],
      ["step 1", [2]],
      ["step 2", [3, 4, 5]],
    ]);
    expect(second.columns.map(({ call }) => call?.label)).toEqual(["direct", undefined]);
  });

  it("show each inserted text with its lifetime", () => {
    expect(namesOf(first, 0)).toEqual(["house request", "tone request", "plan planning_call"]);
    expect(namesOf(first, 2)).toEqual([
      "house request",
      "tone request",
      "hint next_call",
      "hint next_call",
      "each step",
    ]);
  });

  it("say what the call before still saw, and which call removed it", () => {
    const gone = first.columns.map((column) => column.gone.map(({ hook, by }) => [hook, by]));
    expect(gone).toEqual([[], [["plan", "remove(before_planning)"]], [["each", "remove(before_each_agent)"]]]);
  });

  it("draw a bar for each text over the calls that see it, and equal ones as one", () => {
    const bars = first.bars.flatMap((row, index) =>
      row.map(({ hook, from, to, copies }) => [index, hook, from, to, copies]),
    );
    expect(bars).toEqual([
      [0, "house", 0, 2, 1],
      [1, "tone", 0, 2, 1],
      [2, "plan", 0, 0, 1],
      [3, "each", 1, 1, 1],
      [3, "each", 2, 2, 1],
      [4, "hint", 2, 2, 2],
    ]);
  });

  it("name the request that a persistent text comes back from", () => {
    const tones = second.columns[0]?.lines.filter(({ hook }) => hook === "tone");
    expect(tones?.map(({ persistent, fromTurn }) => [persistent, fromTurn])).toEqual([
      [true, 1],
      [true, null],
    ]);
  });

  it("point out copies", () => {
    expect(first.remarks).toEqual([{ kind: "copies", hook: "hint", column: 2, count: 2 }]);
    expect(second.remarks[0]).toMatchObject({ kind: "copies", hook: "tone", column: 0, count: 2 });
  });

  it("point out what is left in the list at the end", () => {
    const [events, lists] = [SIMULATION.traces.slice(0, 6), SIMULATION.llm_calls.slice(0, 3)];
    const last = (lists[2]?.messages ?? []).filter(({ hook }) => hook !== "skill:skill:own:hint");
    const [only] = turnsOf({ ...SIMULATION, turns: [0], traces: events, llm_calls: lists, final_messages: last });
    expect(only?.remarks.filter(({ kind }) => kind === "left").map(({ hook }) => hook)).toEqual(["each"]);
  });

  it("name the tools that the model called", () => {
    expect(first.columns.map(({ tools }) => toolWords(tools))).toEqual(["", "read_file ×2", ""]);
  });

  it("show the events of a turn that was blocked before its first call", () => {
    const blocked = turnsOf({ ...SIMULATION, turns: [0], llm_calls: [], final_messages: [] });
    expect(blocked[0]?.columns).toMatchObject([{ call: null, listed: false, events: [0, 1, 2, 3, 4, 5, 6] }]);
  });
});
