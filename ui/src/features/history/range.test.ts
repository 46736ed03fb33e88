import { describe, expect, it } from "vitest";
import { bucketsOf, rangeAt, type Scale, within } from "./range";

const BEGIN = Date.parse("2026-11-20T13:00:00Z");
const scale: Scale = { begin: BEGIN, width: 60_000, buckets: 60 };
const at = (minute: number) => new Date(BEGIN + minute * 60_000).toISOString();

describe("a span of time on the histogram", () => {
  it("comes back to the place where it was drawn", () => {
    expect(rangeAt([5, 10], scale)).toEqual({ since: at(5), until: at(10) });
    expect(bucketsOf(rangeAt([5, 10], scale), scale)).toEqual([5, 10]);
  });

  it("goes on with the time where it reaches the right end", () => {
    const open = rangeAt([50, 60], scale);
    expect(open).toEqual({ since: at(50), until: null });
    expect(bucketsOf(open, { ...scale, begin: BEGIN + 10 * 60_000 })).toEqual([40, 60]);
    expect(within(open, at(700))).toBe(true);
  });

  it("leaves the histogram to the left as time goes by", () => {
    const range = rangeAt([5, 10], scale);
    expect(bucketsOf(range, { ...scale, begin: BEGIN + 7 * 60_000 })).toEqual([0, 3]);
    expect(bucketsOf(range, { ...scale, begin: BEGIN + 20 * 60_000 })).toBeNull();
  });

  it("holds its begin and not its end", () => {
    const range = rangeAt([5, 10], scale);
    expect([4.99, 5, 9.99, 10].map((minute) => within(range, at(minute)))).toEqual([false, true, true, false]);
    expect(within(null, at(3))).toBe(true);
  });
});
