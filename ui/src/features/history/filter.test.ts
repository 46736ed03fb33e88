import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc/types";
import { historyRows } from "@/testing/sampleData";
import { type FilterNames, matchesFilter, parseFilter, queryOf } from "./filter";

const NOW = Date.parse("2026-11-20T14:32:30Z");
const names: FilterNames = {
  outcomes: new Map([["failed_open", ["failed_open"]]]),
  verdicts: new Map([["denied", ["skip", "deny"]]]),
  hooks: new Map([
    ["guard", ["jcli:user:stop:0"]],
    ["echo", ["a", "b"]],
  ]),
  dialects: new Map([["j-cli", "jcli"]]),
};
const parse = (query: string | undefined) => parseFilter(query, names, NOW);
const [base] = historyRows(1) as [HistoryRow];
const problemOf = (query: string) => [...parse(query).problems.values()][0]?.kind;

describe("the filter of History", () => {
  it("asks for plain values of a field as parameters, which live rows can be compared with", () => {
    const filter = parse("event:stop outcome:failed-open hook:jcli:user:stop:0 project:/work/shop");
    expect([...filter.problems]).toEqual([]);
    expect(filter.params).toEqual({
      event: "stop",
      outcome: "failed_open",
      hook: "jcli:user:stop:0",
      project: "/work/shop",
    });
    expect(parse("since:2h").params).toEqual({ since: "2026-11-20T12:32:00.000Z" });
    const stop = { ...base, event: "stop" };
    expect(matchesFilter(stop, { limit: 1, event: "stop" })).toBe(true);
    expect(matchesFilter(base, { limit: 1, event: "session_end" })).toBe(false);
    expect(matchesFilter(stop, { limit: 1, event: "stop", query: "carts" })).toBe(false);
  });

  it("takes the words on the screen as values", () => {
    expect(parse('outcome:"Failed · open"').params).toEqual({ outcome: "failed_open" });
    expect(parse("hook:Guard dialect:j-cli").params).toEqual({ hook: "jcli:user:stop:0", dialect: "jcli" });
    expect(parse("verdict:Denied").params).toEqual({ query: "verdict:skip,deny" });
    expect(parse("-outcome:Failed·open -dialect:j-cli").params).toEqual({
      query: "-outcome:failed_open -dialect:jcli",
    });
  });

  it.each([
    "-event:stop",
    "event:stop,session_start",
    "event:pre_*",
    "-hook:guard",
    "hook:guard*",
    "hook:echo",
    "project:*shop",
    "tool:bash",
    "carts",
    'text:"drop table"',
    '"http://x"',
    "dur:>1s",
    "-since:1h",
    "origin:agent -agent:ide session:s*",
  ])("leaves %s to the engine's query", (query) => {
    expect(parse(query).params).toEqual({ query });
    expect(parse(query).problems.size).toBe(0);
  });

  it("leaves to the query what a parameter already says otherwise", () => {
    expect(parse("outcome:denied outcome:changed text").params).toEqual({
      outcome: "denied",
      query: "outcome:changed text",
    });
  });

  it("knows when projects other than the one on screen are asked for", () => {
    expect(parse("carts").namesProjects).toBe(false);
    expect(parse("-project:/work/shop").namesProjects).toBe(true);
  });

  it("says at the word what it cannot be used for", () => {
    expect(problemOf("colour:red")).toBe("field");
    expect(problemOf("outcome:bad")).toBe("value");
    expect(problemOf("dur:5")).toBe("duration");
    expect(problemOf("since:yesterday")).toBe("span");
    expect([...parse("event:stop dur:5").problems.keys()]).toEqual([1]);
  });

  it("writes tokens back as they were", () => {
    const query = 'event:stop -hook:"a b"';
    expect(queryOf(parse(query).tokens)).toBe(query);
    expect(queryOf(parse('"http://x"').tokens)).toBe('"http://x"');
    expect(queryOf([])).toBeUndefined();
  });
});
