import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc/types";
import { historyRows } from "@/testing/sampleData";
import { type FilterNames, parseFilter, queryOf } from "./filter";

const NOW = Date.parse("2026-11-20T14:32:30Z");
const names: FilterNames = {
  outcomes: new Map([["failed_open", ["failed_open"]]]),
  verdicts: new Map([["denied", ["skip", "deny"]]]),
  hooks: new Map([
    ["guard", ["jcli:user:stop:0"]],
    ["echo", ["a", "b"]],
  ]),
  dialects: new Map([["j-cli", "jcli"]]),
  toolOf: (row) => row.about.split(" ")[0] ?? null,
};
const parse = (query: string | undefined) => parseFilter(query, names, NOW);
const [base] = historyRows(1) as [HistoryRow];
const found = (query: string, part: Partial<HistoryRow> = {}) => parse(query).refine?.({ ...base, ...part });
const problemOf = (query: string) => [...parse(query).problems.values()][0]?.kind;

describe("the filter of History", () => {
  it("leaves to the engine what the engine can page by", () => {
    const filter = parse("event:stop outcome:failed-open hook:jcli:user:stop:0");
    expect([...filter.problems]).toEqual([]);
    expect(filter.refine).toBeNull();
    expect(filter.params).toEqual({ event: "stop", outcome: "failed_open", hook: "jcli:user:stop:0" });
  });

  it("takes the words on the screen as values", () => {
    expect(parse('outcome:"Failed · open"').params).toEqual({ outcome: "failed_open" });
    expect(parse("hook:Guard dialect:j-cli").params).toEqual({ hook: "jcli:user:stop:0", dialect: "jcli" });
    expect(found("verdict:Denied", { verdict: { ...base.verdict, kind: "deny" } })).toBe(true);
    expect(found("verdict:Denied", { verdict: { ...base.verdict, kind: "proceed" } })).toBe(false);
  });

  it("looks up in the rows what is negated, repeated, either or open at an end", () => {
    expect(found("-event:stop", { event: "stop" })).toBe(false);
    expect(found("-event:stop", { event: "session_start" })).toBe(true);
    expect(found("event:stop,session_start", { event: "session_start" })).toBe(true);
    expect(found("event:pre_*", { event: "pre_send_message" })).toBe(true);
    expect(found("event:*_message", { event: "stop" })).toBe(false);
    expect(found("-verdict:deny,skip", { verdict: { ...base.verdict, kind: "deny" } })).toBe(false);
    const both = parse("outcome:denied outcome:changed");
    expect(both.params).toEqual({ outcome: "denied" });
    expect(both.refine?.({ ...base, outcomes: ["denied"] })).toBe(false);
    expect(both.refine?.({ ...base, outcomes: ["changed", "denied"] })).toBe(true);
  });

  it("finds tools, words, times and spans", () => {
    expect(found("tool:bash", { about: "Bash ls" })).toBe(true);
    expect(found("tool:Read", { about: "Bash Read" })).toBe(false);
    expect(found("carts", { about: "Bash drop table carts" })).toBe(true);
    expect(found('text:"drop table"', { about: "Bash ls" })).toBe(false);
    expect(found("dur:>1s", { took_ms: 1200 })).toBe(true);
    expect(found("dur:<500ms", { took_ms: 1200 })).toBe(false);
    expect(parse("since:2h").params).toEqual({ since: "2026-11-20T12:32:00.000Z" });
  });

  it("says at the word what it cannot be used for", () => {
    expect(problemOf("colour:red")).toBe("field");
    expect(problemOf("outcome:bad")).toBe("value");
    expect(problemOf("-hook:guard")).toBe("hook");
    expect(problemOf("hook:guard hook:echo")).toBe("hook");
    expect(problemOf("hook:echo")).toBe("hookNames");
    expect(problemOf("dur:5")).toBe("duration");
    expect(problemOf("since:yesterday")).toBe("span");
    expect([...parse("event:stop dur:5").problems.keys()]).toEqual([1]);
  });

  it("writes tokens back as they were", () => {
    const query = 'event:stop -hook:"a b"';
    expect(queryOf(parse(query).tokens)).toBe(query);
    expect(queryOf([])).toBeUndefined();
  });
});
