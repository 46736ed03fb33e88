import { describe, expect, it } from "vitest";
import { linesInView, startsOf, widened } from "./rowWindow";

/** A head of a group and 99 rows. */
const starts = startsOf([28, ...Array<number>(99).fill(30)]);

describe("the lines in view", () => {
  it("begin with the one that is cut by the upper edge and end with the one at the lower edge", () => {
    expect(linesInView(starts, { top: 0, height: 88 })).toEqual({ first: 0, end: 4 });
    expect(linesInView(starts, { top: 57, height: 30 })).toEqual({ first: 1, end: 3 });
  });

  it("are the last ones beyond the end, and the first ones before the beginning", () => {
    expect(linesInView(starts, { top: 99_999, height: 300 })).toEqual({ first: 99, end: 100 });
    expect(linesInView(starts, { top: -40, height: 50 })).toEqual({ first: 0, end: 1 });
  });

  it("are none in an empty list", () => {
    expect(linesInView(startsOf([]), { top: 0, height: 300 })).toEqual({ first: 0, end: 0 });
  });

  it("get more on both sides, as far as there are some", () => {
    expect(widened(starts, { first: 40, end: 50 }, 12)).toEqual({ first: 28, end: 62 });
    expect(widened(starts, { first: 3, end: 95 }, 12)).toEqual({ first: 0, end: 100 });
  });
});
