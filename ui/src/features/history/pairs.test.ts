import { describe, expect, it } from "vitest";
import type { Step } from "@/ipc";
import { TRACE } from "@/testing/sampleData";
import { inOrder, isDifferent, pairsOf, significantDelta } from "./pairs";

const [first, second, third] = TRACE.steps as [Step, Step, Step];

function named(step: Step, label: string, hook = label): Step {
  return { ...step, label, hook };
}

describe("two chains side by side", () => {
  it("stand in the order of time, whichever was chosen first", () => {
    const later = { ...TRACE, trace: "B", at: "2026-11-20T15:00:00.5Z" };
    const earlier = { ...TRACE, trace: "A", at: "2026-11-20T15:00:00.25Z" };
    expect(inOrder(later, earlier).map((one) => one.trace)).toEqual(["A", "B"]);
    expect(inOrder(earlier, later).map((one) => one.trace)).toEqual(["A", "B"]);
  });

  it("differ in nothing when they are the same", () => {
    expect(pairsOf(TRACE.steps, structuredClone(TRACE.steps)).some(isDifferent)).toBe(false);
  });

  it("put each hook beside itself, also where the file numbers its hooks anew", () => {
    const before = [named(first, "a", "h:0"), named(second, "b", "h:1"), named(third, "c", "h:2")];
    const after = [named(second, "b", "h:0"), named(third, "c", "h:1")];
    const pairs = pairsOf(before, after);
    expect(pairs.map((one) => [one.earlier?.label, one.later?.label])).toEqual([
      ["a", undefined],
      ["b", "b"],
      ["c", "c"],
    ]);
    expect(pairs.map(isDifferent)).toEqual([true, false, false]);
  });

  it("show a step of the later chain before the one it ran before", () => {
    const pairs = pairsOf(
      [named(first, "a"), named(second, "b")],
      [named(third, "new"), named(first, "a"), named(third, "newer"), named(second, "b"), named(third, "newest")],
    );
    expect(pairs.map((one) => one.later?.label)).toEqual(["new", "a", "newer", "b", "newest"]);
    expect(pairs.map((one) => one.earlier?.label)).toEqual([undefined, "a", undefined, "b", undefined]);
  });

  it("name outcome and output apart", () => {
    const other: Step = { ...first, attempts: first.attempts.map((one) => ({ ...one, stdout: "something else" })) };
    expect(pairsOf([first], [other])[0]?.differs).toEqual({ outcome: false, output: true, time: null });
    expect(pairsOf([first], [{ ...first, outcome: "denied" }])[0]?.differs.outcome).toBe(true);
  });

  it("mark a time only where it is more than noise", () => {
    expect(significantDelta(40, 52)).toBeNull();
    expect(significantDelta(1, 9)).toBeNull();
    expect(significantDelta(40, 140)).toBe(100);
    expect(significantDelta(140, 40)).toBe(-100);
    expect(significantDelta(null, 40)).toBeNull();
  });
});
