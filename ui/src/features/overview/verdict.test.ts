import { describe, expect, it } from "vitest";
import { factsOf } from "@/domain/hooks/facts";
import type { HookRow, HookStats, Outcome, Problem, TrustItem } from "@/ipc";
import { HOOKS, PROBLEMS, PROJECT, STATE, STATS, WAITING } from "@/testing/sampleData";
import { type Need, needsOf, type Seen } from "./needs";
import { countGuards, type GuardCounts, verdictOf } from "./verdict";

const GUARD: HookRow = { ...(HOOKS[3] as HookRow), timeout_ms: 10_000 };
const OBSERVER: HookRow = { ...GUARD, hook: "jcli:project:post:0", event: "post", label: "observer", verdicts: [] };
const READY = { ...STATE, model: { ...STATE.model, configured: true } };

function statsOf(hook: HookRow, outcomes: { [outcome in Outcome]?: number }, part: Partial<HookStats> = {}): HookStats {
  const runs = Object.values(outcomes).reduce((sum, count) => sum + (count ?? 0), 0);
  const own = { hook: hook.hook, event: hook.event, version: hook.version, runs, outcomes, timeouts: 0, p95_ms: 40 };
  return { ...(STATS[0] as HookStats), ...own, bars: [{ at: "2026-11-20T14:00:00Z", outcomes }], ...part };
}

function seen(part: Partial<Seen> & { hooks?: HookRow[]; problems?: Problem[]; stats?: HookStats[] } = {}): Seen {
  const { hooks = [GUARD], problems = [], stats = [], ...rest } = part;
  return {
    document: { hooks, problems, sources: [] },
    facts: factsOf(problems, stats),
    pending: [],
    state: READY,
    settingsProblems: 0,
    ...rest,
  };
}

const kinds = (needs: readonly Need[]) => needs.map((need) => need.kind);

describe("what needs the user", () => {
  const changed: TrustItem = WAITING;
  const isNew: TrustItem = { ...WAITING, old: null };
  const error = PROBLEMS.find((problem) => problem.severity === "error") as Problem;
  const table: [string, Seen, string[]][] = [
    ["nothing where all guards ran", seen({ stats: [statsOf(GUARD, { no_opinion: 9 })] }), []],
    ["a guard that failed open", seen({ stats: [statsOf(GUARD, { failed_open: 2, no_opinion: 3 })] }), ["open"]],
    ["a guard that timed out open", seen({ stats: [statsOf(GUARD, { timed_out_open: 1, denied: 3 })] }), ["open"]],
    [
      "no guard that is muted now",
      seen({ hooks: [{ ...GUARD, muted: true }], stats: [statsOf(GUARD, { failed_open: 2 })] }),
      [],
    ],
    [
      "no failure of an earlier version",
      seen({ stats: [statsOf(GUARD, { failed_open: 2 }, { version: "other" })] }),
      [],
    ],
    ["a guard that failed closed each time", seen({ stats: [statsOf(GUARD, { failed_closed: 2 })] }), ["failing"]],
    [
      "an observer that failed each time, which guards nothing",
      seen({ hooks: [OBSERVER], stats: [statsOf(OBSERVER, { failed_open: 2 })] }),
      ["failing"],
    ],
    ["hooks that wait", seen({ pending: [changed, isNew] }), ["waiting"]],
    [
      "each file with an error once",
      seen({ problems: [error, error, { ...error, path: "/other" }] }),
      ["file", "file"],
    ],
    ["no warning", seen({ problems: [{ ...error, severity: "warning" }] }), []],
    ["a p95 close to the limit", seen({ stats: [statsOf(GUARD, { no_opinion: 5 }, { p95_ms: 9000 })] }), ["limit"]],
    ["no p95 below that", seen({ stats: [statsOf(GUARD, { no_opinion: 5 }, { p95_ms: 8900 })] }), []],
    ["attempts that were cut off", seen({ stats: [statsOf(GUARD, { denied: 5 }, { timeouts: 1 })] }), ["limit"]],
    ["a prompt hook without a model", seen({ hooks: [{ ...GUARD, handler: "prompt" }], state: STATE }), ["config"]],
    ["no model where no hook asks one", seen({ state: STATE }), []],
    ["settings with errors", seen({ settingsProblems: 1 }), ["config"]],
    [
      "the worst first",
      seen({
        hooks: [OBSERVER, GUARD],
        problems: [error],
        pending: [changed],
        stats: [statsOf(GUARD, { failed_open: 1 }), statsOf(OBSERVER, { no_opinion: 4 }, { p95_ms: 9999 })],
        state: { ...READY, store: { ...READY.store, ok: false } },
      }),
      ["open", "waiting", "file", "limit", "config"],
    ],
  ];
  it.each(table)("is %s", (_, given, expected) => expect(kinds(needsOf(given))).toEqual(expected));

  it("names the guard that failed open most often first, with its runs", () => {
    const other = { ...GUARD, hook: "jcli:project:pre_tool_execution:9" };
    const stats = [
      statsOf(GUARD, { failed_open: 1, denied: 5 }),
      statsOf(other, { failed_open: 2, timed_out_open: 1 }),
    ];
    const [first] = needsOf(seen({ hooks: [GUARD, other], stats }));
    expect(first).toMatchObject({ hook: other, failed: 2, timedOut: 1, runs: 3 });
  });
});

describe("the verdict", () => {
  const counts = (part: Partial<GuardCounts>): GuardCounts => ({
    hooks: 4,
    on: 4,
    ran: 2,
    guards: 2,
    guardsRan: 2,
    ...part,
  });
  const open = { kind: "open" } as Need;
  const waiting = { kind: "waiting", count: 3 } as Need;
  const file = { kind: "file" } as Need;
  const limit = { kind: "limit" } as Need;
  const parts = (...list: [string, number][]) => ({ parts: list.map(([kind, count]) => ({ kind, count })) });
  const table: [string, Need[], Partial<GuardCounts>, ReturnType<typeof verdictOf> | object][] = [
    ["every guard ran and nothing waits", [], {}, { well: "proven" }],
    ["a guard did not run yet", [], { guardsRan: 1 }, { well: "quiet" }],
    ["no hook can block", [], { guards: 0, guardsRan: 0 }, { well: "noGuards" }],
    ["there are no hooks", [], { hooks: 0, guards: 0, guardsRan: 0 }, { well: "noHooks" }],
    ["guards failed open", [open, open], {}, parts(["open", 2])],
    ["hooks wait, counted one by one", [waiting], {}, parts(["waiting", 3])],
    [
      "several things, the worst first",
      [limit, file, waiting, open],
      {},
      parts(["open", 1], ["waiting", 3], ["file", 1]),
    ],
    ["something milder waits", [limit], {}, parts(["limit", 1])],
    ["a file has errors and no hook is left", [file], { hooks: 0 }, parts(["file", 1])],
  ];
  it.each(table)("where %s", (_, needs, part, expected) => expect(verdictOf(needs, counts(part))).toEqual(expected));

  it("counts hooks that are on, that ran, and guards among them", () => {
    const off = { ...GUARD, hook: "jcli:project:off:0", enabled: false };
    const facts = factsOf([], [statsOf(GUARD, { no_opinion: 1 }), statsOf(OBSERVER, {})]);
    expect(countGuards([GUARD, OBSERVER, off], facts)).toEqual({ hooks: 3, on: 2, ran: 1, guards: 1, guardsRan: 1 });
    expect(PROJECT).not.toBe("");
  });
});
