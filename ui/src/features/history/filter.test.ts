import { describe, expect, it } from "vitest";
import { parseFilter, queryOf } from "./filter";

describe("the filter of History", () => {
  it("reads what the engine can page by", () => {
    const filter = parseFilter("event:stop outcome:failed-open hook:jcli:user:stop:0");
    expect(filter.problem).toBeNull();
    expect(filter.params).toEqual({ event: "stop", outcome: "failed_open", hook: "jcli:user:stop:0" });
  });

  it("points at the first token it cannot use", () => {
    expect(parseFilter("event:stop dur:>5s").problem).toBe(1);
    expect(parseFilter("-event:stop").problem).toBe(0);
    expect(parseFilter("outcome:bad").problem).toBe(0);
    expect(parseFilter("word").problem).toBe(0);
    expect(parseFilter("event:a event:b").problem).toBe(1);
  });

  it("writes tokens back as they were", () => {
    const query = 'event:stop hook:"a b"';
    expect(queryOf(parseFilter(query).tokens)).toBe(query);
    expect(queryOf([])).toBeUndefined();
  });
});
