import { describe, expect, it } from "vitest";
import { historySearch, hooksSearch } from "./search";

describe("an address", () => {
  it("gives what it says", () => {
    expect(hooksSearch({ hook: "jcli:user:stop:0", tab: "explain", view: "problems", problem: "2" })).toMatchObject({
      hook: "jcli:user:stop:0",
      tab: "explain",
      view: "problems",
      problem: "2",
    });
  });

  it("is read field by field, with what is not understood as undefined and not as itself", () => {
    const search = hooksSearch({ tab: "nonsense", problem: true, by: 7 });
    expect("tab" in search && "problem" in search && "by" in search).toBe(true);
    expect([search.tab, search.problem, search.by]).toEqual([undefined, undefined, undefined]);
  });

  it("takes a number for text, since a query may look like one", () => {
    expect(historySearch({ q: 42 }).q).toBe("42");
  });

  it("takes a span of time only with a begin, and only times", () => {
    const since = "2026-11-20T13:43:05Z";
    expect(historySearch({ since, until: "later" })).toMatchObject({ since, until: undefined });
    expect(historySearch({ until: since }).until).toBeUndefined();
  });
});
