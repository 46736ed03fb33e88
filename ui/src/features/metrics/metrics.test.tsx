import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { endsOf, logScale, lonePoints } from "@/components/chart";
import { showLanguage, t } from "@/i18n";
import type { HookStats, Params } from "@/ipc";
import { METRICS_STORY, NO_METRICS_STORY, statsFor } from "@/testing/metricsData";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, STATS } from "@/testing/sampleData";
import { TREND_WIDTH } from "./columns";
import { keptDays, lengthOf, RANGES, unitOf } from "./range";
import { factorOf, factorText, hasOtherVersions, metricsKey, shareText, sortRows, verdictOf } from "./rows";
import { extentOf, linesOf, outcomeTable, seenOutcomes, spanOf, timeTable } from "./series";

const [FIRST] = STATS as [HookStats];
const row = (part: Partial<HookStats>): HookStats => ({
  ...FIRST,
  outcomes: {},
  failed: 0,
  blocked: 0,
  budget: 0.1,
  ...part,
});

describe("the rows", () => {
  it("begin with the one that is closest to its time limit, and end with those without one", () => {
    const rows = [row({ hook: "a", budget: null }), row({ hook: "b", budget: 0.2 }), row({ hook: "c", budget: 0.95 })];
    expect(sortRows(rows, "budget").map((one) => one.hook)).toEqual(["c", "b", "a"]);
    expect(sortRows([row({ hook: "a", runs: 3 }), row({ hook: "b", runs: 9 })], "runs").map((one) => one.hook)).toEqual(
      ["b", "a"],
    );
  });

  it("tell the definitions of an edited hook apart", () => {
    const [old, now] = [row({ version: "aa" }), row({ version: "bb" })];
    expect([hasOtherVersions(old, [old, now]), hasOtherVersions(old, [old])]).toEqual([true, false]);
    expect(metricsKey(old)).not.toBe(metricsKey(now));
  });

  it("say shares with one digit below 10 %", () => {
    expect([0, 0.004, 0.013, 0.05, 0.0902, 0.273, 1].map(shareText)).toEqual([
      "0%",
      "<1%",
      "1.3%",
      "5%",
      "9%",
      "27%",
      "100%",
    ]);
  });
});

describe("the head of the trend", () => {
  afterEach(() => showLanguage("en"));
  it.each(["zh-CN", "en"] as const)("has room for every range (%s)", async (language) => {
    await showLanguage(language);
    /** At 11 px, where a Chinese character is as wide as it is high. */
    const widthOf = (text: string) => [...text].reduce((sum, one) => sum + (one > "\u2e80" ? 11 : 6.5), 0);
    /** Of the last cell of a row, in px. */
    const padding = 8 + 16;
    for (const range of Object.keys(RANGES) as (keyof typeof RANGES)[]) {
      const { unit, count } = unitOf(range);
      const head = t("metrics.column.trend", { range: t(`metrics.range.${unit}`, { count }) });
      expect([head, widthOf(head) + padding <= TREND_WIDTH]).toEqual([head, true]);
    }
  });
});

describe("the verdict", () => {
  it("is about guards that failed open first, then about what became worse, close to its limit, or blocked", () => {
    const close = row({ hook: "a", budget: 0.93 });
    const open = row({ hook: "b", outcomes: { failed_open: 2, timed_out_open: 1 }, failed: 3 });
    const closed = row({ hook: "c", outcomes: { failed_closed: 4 }, failed: 4 });
    const before = { runs: 40, failed: 0, p50_ms: 1, p95_ms: 10 };
    const slower = row({ hook: "d", runs: 40, p95_ms: 90, before, change: "slower" });
    const hookOf = () => ({ guard: true, on_failure_effect: "continues" as const });
    expect(verdictOf([closed, slower, close, open], hookOf)).toEqual({ kind: "open", count: 3, worst: open });
    // A hook that is no guard may fail open.
    expect(verdictOf([open, close], () => undefined)).toEqual({ kind: "close", count: 1, open: 0, worst: close });
    expect(verdictOf([close, slower], hookOf)).toEqual({
      kind: "worse",
      worst: slower,
      factor: 9,
      others: 0,
      better: 0,
    });
    expect(verdictOf([closed, close], hookOf)).toEqual({ kind: "close", count: 1, open: 1, worst: close });
    expect(verdictOf([closed], hookOf)).toEqual({ kind: "closed", count: 4, worst: closed });
    expect(verdictOf([row({ runs: 5 })], hookOf)).toEqual({ kind: "fine", runs: 5 });
    expect(verdictOf([], hookOf)).toEqual({ kind: "none" });
  });

  it("says no change of few runs", () => {
    const before = { runs: 19, failed: 0, p50_ms: 1, p95_ms: 10 };
    expect(factorOf(row({ runs: 400, p95_ms: 90, before }))).toBeNull();
    expect([9, 1.05, 1, 0.79].map(factorText)).toEqual(["9.0×", "+5%", "0%", "−21%"]);
  });
});

describe("a range", () => {
  it("is said in its own unit, and a bucket in its largest whole one", () => {
    expect([unitOf("15m"), unitOf("24h")]).toEqual([
      { unit: "minutes", count: 15 },
      { unit: "hours", count: 24 },
    ]);
    expect([1_800_000, 14_400_000, 172_800_000].map(lengthOf)).toEqual([
      { unit: "minutes", count: 30 },
      { unit: "hours", count: 4 },
      { unit: "days", count: 2 },
    ]);
  });

  it("may reach back further than the history is kept", () => {
    expect([keptDays("90d", 30), keptDays("30d", 30)]).toEqual([30, null]);
  });
});

describe("a series", () => {
  const series = statsFor({ since_ms: 900_000, series: true }).series;
  if (series === undefined) throw new Error("no series");
  const words = { time: (at: string) => at.slice(11, 16), duration: (ms: number) => `${ms}`, count: String };

  it("spans its buckets, and its lines stand in their middle", () => {
    const { from, to } = spanOf(series);
    expect(to - from).toBe(series.buckets.length * 60_000);
    const [p50] = linesOf(series);
    expect(p50?.points[0]?.at).toBe(from + 30_000);
  });

  it("is listed newest first, without buckets in which nothing ran", () => {
    const [bucket] = series.buckets;
    if (bucket === undefined) throw new Error("no bucket");
    const quiet = { ...bucket, runs: 0, outcomes: {}, p50_ms: null, p95_ms: null, p99_ms: null };
    const two = { ...series, buckets: [quiet, { ...bucket, outcomes: { denied: 2, not_matched: 9 } }] };
    const times = timeTable(two, ["Time", "Runs"], words);
    expect([times.head, times.rows.length, times.rows[0]?.[4]]).toEqual([
      ["Time", "p50", "p95", "p99", "Runs"],
      1,
      String(bucket.runs),
    ]);
    expect(seenOutcomes(two)).toEqual(["denied"]);
    expect(outcomeTable(two, "Time", { ...words, outcome: (kind) => kind }).rows).toEqual([
      [words.time(bucket.at), "2"],
    ]);
    expect(extentOf({ ...series, buckets: [quiet] })).toBeNull();
  });

  it("has a dot where a line would have gaps on both sides", () => {
    const points = [1, null, 2, null, 3, 4].map((value, at) => ({ at, value }));
    expect(lonePoints(points).map(({ value }) => value)).toEqual([1, 2]);
  });

  it("is drawn over whole decades, its names apart", () => {
    const scale = logScale(8, 2400);
    expect(scale.ticks(5).map(({ value }) => value)).toEqual([1, 10, 100, 1000, 10_000]);
    expect([scale.at(1), scale.at(10_000), scale.at(0)]).toEqual([0, 1, 0]);
    const line = (name: string, value: number) => ({ name, look: "thin" as const, points: [{ at: 0, value }] });
    const ends = endsOf([line("a", 100), line("b", 101), line("c", 10_000)], scale).map(({ at }) => at);
    expect(ends.every((at, index) => at - (ends[index - 1] ?? -1) > 0.11 && at <= 1)).toBe(true);
  });
});

describe("the metrics screen", () => {
  it("says first which hook became slower, after which edit, and lists hooks by their change", async () => {
    const { engine, user } = renderApp("#/hooks", METRICS_STORY);
    await user.keyboard("5");
    expect(
      await screen.findByRole("heading", { name: /keep-going is 60% slower since .*, after an edit\./ }),
    ).toBeVisible();
    const rows = within(screen.getByRole("grid", { name: "By hook" })).getAllByRole("row");
    expect(rows[1]).toHaveTextContent(/keep-going.*18\.4\ss.*29\.4\ss.*1\.6×.*98%30\ss/);
    const day = 86_400_000;
    const asked = callsOf(engine, "stats");
    expect(asked).toContainEqual({ since_ms: day, series: true, compare: true, project: PROJECT });
    expect(asked).toContainEqual({ since_ms: 2 * day, until_ms: day, series: true, project: PROJECT });
    await user.click(screen.getByRole("button", { name: "Show the edit" }));
    await waitFor(() => expect(window.location.hash).toBe("#/hooks?view=edits&edit=01JD0000000000000000000001"));
  });

  it("keeps range and agent in its address and asks for them", async () => {
    const { engine } = renderApp("#/metrics?range=7d&projects=all&session=4f21", METRICS_STORY);
    await screen.findByRole("grid", { name: "By hook" });
    const asked = callsOf(engine, "stats") as Params<"stats">[];
    expect(asked).toContainEqual({ since_ms: 7 * 86_400_000, series: true, compare: true, session: "4f21" });
    expect(screen.getByRole("combobox", { name: "Agent or session" })).toHaveTextContent("Session 4f21");
  });

  it("shows its charts as tables by a key", async () => {
    const { user } = renderApp("#/metrics", METRICS_STORY);
    expect(await screen.findByRole("img", { name: /^Run times over time/ })).toBeInTheDocument();
    await user.keyboard("{Shift>}t{/Shift}");
    const table = await screen.findByRole("region", { name: "Outcomes as a table" });
    expect(
      within(table)
        .getAllByRole("columnheader")
        .map((head) => head.textContent),
    ).toContain("Failed · open");
    expect(window.location.hash).toBe("#/metrics?as=tables");
    await user.click(screen.getByRole("button", { name: "Outcomes as a chart" }));
    expect(await screen.findByRole("img", { name: /^Outcomes over time/ })).toBeInTheDocument();
  });

  it("shows the figures of the chosen hook, its charts, and leads to its runs", async () => {
    const { engine, user } = renderApp("#/metrics", METRICS_STORY);
    const grid = await screen.findByRole("grid", { name: "By hook" });
    await user.click(within(grid).getByText("tool-safety-review"));
    const facts = await screen.findByRole("region", { name: "Hook figures" });
    expect(facts).toHaveTextContent("Tokens of prompts48,210");
    expect(await screen.findByText("tool-safety-review, log scale")).toBeVisible();
    expect(callsOf(engine, "stats")).toContainEqual({
      since_ms: 86_400_000,
      series: true,
      compare: true,
      project: PROJECT,
      hook: "jcli:project:pre_tool_execution:2",
    });
    await user.click(within(facts).getByRole("button", { name: "Show in History" }));
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/history\?q=hook%3A/));
  });

  it("says what it leaves out, and offers a way on where there is nothing", async () => {
    renderApp("#/metrics?range=90d&agent=j-cli", {
      stats: (params) => ({ ...statsFor(params), counted_from: "2026-11-19T08:00:00Z", waiting: 3 }),
    });
    expect(await screen.findByText(/These begin at .*The history keeps 30 days\./)).toBeVisible();
    expect(screen.getByText("3 events are not counted yet.")).toBeVisible();
  });

  it("has an empty state and an error state", async () => {
    const { user } = renderApp("#/metrics", NO_METRICS_STORY);
    expect(await screen.findByRole("heading", { name: "No figures in this range" })).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Show 90 days" }));
    await waitFor(() => expect(window.location.hash).toBe("#/metrics?range=90d"));
  });
});
