import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { rowSteps } from "./runOrder";

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
