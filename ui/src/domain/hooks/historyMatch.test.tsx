import { describe, expect, it } from "vitest";
import { matchText } from "./HistoryMatch";

describe("how many of the last events match", () => {
  it("is said of a single event without a count", () => {
    expect(matchText({ matches: 1, looked_at: 1 })).toBe("The last event would match");
    expect(matchText({ matches: 0, looked_at: 1 })).toBe("The last event would not match");
    expect(matchText({ matches: 0, looked_at: 2 })).toBe("0 of the last 2 events would match");
  });
});
