import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { rowSteps, tellApart } from "./runOrder";

const ROW = {
  outcomes: ["changed", "allowed", "skipped"],
  reasons: [null, null, "muted"],
} as unknown as HistoryRow;

const outcomes = (row: HistoryRow) => rowSteps(row).map(({ outcome }) => outcome);

describe("the chain of a row", () => {
  it("is in run order, each step with its reason", () => {
    const row = { ...ROW, order: [1, 3, 2] };
    expect(outcomes(row)).toEqual(["changed", "skipped", "allowed"]);
    expect(rowSteps(row)[1]?.reason).toBe("muted");
  });

  it("stays as it is listed where the engine says no other order", () => {
    expect(outcomes(ROW)).toEqual(ROW.outcomes);
  });
});

describe("steps of one name", () => {
  const step = (hook: string, label: string, path: string, line: number) => ({
    hook,
    label,
    source: { layer: "project" as const, path, line },
  });

  it("are told apart by where they are defined, and others keep their names", () => {
    const steps = [
      step("a", "echo", "/work/shop/.jcli/hooks.yaml", 3),
      step("b", "echo", "/home/me/hooks.yaml", 7),
      step("c", "guard.py", "/home/me/hooks.yaml", 9),
    ];
    expect(tellApart(steps).map(({ label }) => label)).toEqual([
      "echo · hooks.yaml:3",
      "echo · hooks.yaml:7",
      "guard.py",
    ]);
    const [first, , third] = steps;
    const apart = [first, third].filter((one) => one !== undefined);
    expect(tellApart(apart)).toBe(apart);
  });
});
