import { describe, expect, it } from "vitest";
import type { Need } from "@/ipc/types";
import { BROKEN_FILE, CANNOT_START, statusOf } from "@/testing/healthData";
import { listed } from "@/testing/listed";
import { PROJECT_LIST } from "@/testing/sampleData";
import { partsOf, targetOf } from "./needs";

const parts = (needs: readonly Need[]) => partsOf(needs).map(({ kind, needs: own }) => [kind, own.length]);

describe("the sentence of the overview", () => {
  it("counts guards apart from other hooks, in the engine's order", () => {
    expect(parts(statusOf(CANNOT_START).needs)).toEqual([
      ["guard.cannot_start", 2],
      ["hook.failing", 1],
      ["review", 1],
    ]);
  });

  it("names a file that is lost once, and not each of its hooks", () => {
    expect(parts(statusOf(BROKEN_FILE).needs)).toEqual([
      ["file", 1],
      ["hook.failing", 1],
    ]);
  });

  it("is empty where the engine lists no need", () => {
    expect(partsOf([])).toEqual([]);
  });
});

describe("a need", () => {
  it("leads to where it is put right", () => {
    const [file] = statusOf(BROKEN_FILE).needs as [Need];
    const [guard] = statusOf(CANNOT_START).needs as [Need];
    const review = statusOf(PROJECT_LIST).needs.find(({ kind }) => kind === "review") as Need;
    expect(targetOf(file, listed(BROKEN_FILE))).toMatchObject({ to: "/hooks", search: { view: "problems" } });
    expect(targetOf(guard, listed(CANNOT_START))).toEqual({ to: "/hooks", search: { hook: guard.hook } });
    expect(targetOf(review, listed(PROJECT_LIST))).toEqual({ to: "/trust", search: { hook: review.hook } });
  });
});
