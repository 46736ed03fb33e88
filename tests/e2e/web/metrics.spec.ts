/** The Metrics screen over a real history: the same figures as the command line, live. */
import { join } from "node:path";
import type { Locator } from "@playwright/test";
import { type Engine, expect, go, openApproved, speak, test } from "./engine.ts";

interface Row {
  label: string;
  event: string;
  version: string;
  runs: number;
  attempts: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  max_ms: number;
  failure_rate: number;
  block_rate: number;
  budget: number | null;
  outcomes: Record<string, number>;
}

interface Stats {
  hooks: Row[];
  series: { width_ms: number; buckets: { runs: number; outcomes: Record<string, number>; p95_ms: number | null }[] };
}

/** Fires a call of a shell before a tool runs. One that is blocked gives exit status 2. */
async function fireCall(engine: Engine, command: string, times: number): Promise<void> {
  const payload = { tool_name: "Bash", tool_arguments: JSON.stringify({ command }) };
  await engine.writeHome("call.json", JSON.stringify(payload));
  for (let n = 0; n < times; n++) {
    const args = ["--dialect", "jcli", "--event", "pre_tool_execution", "--payload", join(engine.home, "call.json")];
    const { code, stderr } = await engine.hookwright("fire", ...args);
    expect([0, 2], stderr).toContain(code);
  }
}

async function stats(engine: Engine, ...args: string[]): Promise<Stats> {
  const { code, stdout, stderr } = await engine.hookwright("stats", "--json", "--series", "--only-project", ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** As the window writes a time. */
function duration(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

function share(of: number): string {
  if (of > 0 && of < 0.01) return "<1%";
  const percent = of * 100;
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}

/** What the row of a hook says: runs, times, failed, blocked, and the share of the time limit. */
function expectedCells(row: Row): string[] {
  const times = [row.p50_ms, row.p95_ms, row.p99_ms, row.max_ms];
  const ran = Object.keys(row.outcomes).some((outcome) => outcome !== "not_matched" && outcome !== "skipped");
  return [
    row.runs < 20 ? `n = ${row.runs}` : String(row.runs),
    ...times.map((ms) => (row.attempts === 0 ? "–" : duration(ms))),
    ...(ran ? [share(row.failure_rate), share(row.block_rate)] : ["–", "–"]),
    row.budget === null ? "–" : `${share(row.budget)}5 s`,
  ];
}

/** The same cells on screen. */
async function cellsOf(grid: Locator, { label, event }: Row): Promise<string[]> {
  const cells = grid.getByRole("row").filter({ hasText: label }).filter({ hasText: event }).getByRole("gridcell");
  return (await cells.allTextContents()).map(spaces).slice(2, 10);
}

const spaces = (text: string | null) => (text ?? "").replaceAll("\u00a0", " ").trim();

test("the screen has the figures of the command line, over every range", async ({ page, engine }) => {
  await page.setViewportSize({ width: 1600, height: 900 });
  await openApproved(page, engine);
  await page.keyboard.press("5");
  await expect(page.getByRole("heading", { name: "No figures in this range" })).toBeVisible();
  await fireCall(engine, "ls", 3);
  await fireCall(engine, "rm -rf ~", 1);
  // It is live: nobody asked again.
  const grid = page.getByRole("grid", { name: "By hook" });
  await expect(grid).toBeVisible();

  for (const [range, since] of [
    ["15 min", "15m"],
    ["24 h", "24h"],
    ["90 d", "90d"],
  ] as const) {
    await page.getByRole("radio", { name: range }).click();
    await expect(page).toHaveURL(since === "24h" ? /#\/metrics$/ : new RegExp(`range=${since}`));
    const { hooks, series } = await stats(engine, "--since", since);
    await expect(grid.getByRole("row")).toHaveCount(hooks.length + 1);
    // What was fired last is counted within two seconds.
    await expect(async () => {
      for (const row of hooks) expect(await cellsOf(grid, row)).toEqual(expectedCells(row));
    }).toPass();
    // The charts' table twins have the figures over time.
    await page.keyboard.press("Shift+T");
    const times = page.getByRole("table", { name: "Time per step as a table" });
    const measured = series.buckets.filter((bucket) => bucket.p95_ms !== null).reverse();
    await expect(times.getByRole("row")).toHaveCount(measured.length + 1);
    for (const [index, bucket] of measured.entries()) {
      const cells = await times.getByRole("row").nth(index + 1).getByRole("cell").allTextContents();
      expect([spaces(cells[2] ?? ""), cells[4]]).toEqual([duration(bucket.p95_ms ?? 0), String(bucket.runs)]);
    }
    await page.screenshot({ path: test.info().outputPath(`metrics-${since}-tables.png`) });
    await page.keyboard.press("Shift+T");
    await page.screenshot({ path: test.info().outputPath(`metrics-${since}.png`) });
  }

  await test.step("in Chinese, too", async () => {
    const rows = await grid.getByRole("row").count();
    await speak(page, "zh-CN");
    await expect(page.getByRole("heading", { level: 1, name: "指标" })).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: "所有 Hook 的用时都在时限之内。" })).toBeVisible();
    await expect(page.getByRole("grid", { name: "按 Hook" }).getByRole("row")).toHaveCount(rows);
    await page.screenshot({ path: test.info().outputPath("metrics-zh-CN.png") });
  });
});

test("a hook has its own figures, charts, and way to its runs", async ({ page, engine }) => {
  await openApproved(page, engine);
  await fireCall(engine, "ls", 2);
  await go(page, "Metrics");
  const grid = page.getByRole("grid", { name: "By hook" });
  await grid.getByText("guard_shell.sh").click();
  const facts = page.getByRole("region", { name: "Hook figures" });
  await expect(facts).toContainText("Counters of j-cli");
  await expect(facts).toContainText("executions");
  await expect(page.getByText("guard_shell.sh, log scale")).toBeVisible();
  await page.screenshot({ path: test.info().outputPath("metrics-hook.png") });
  await facts.getByRole("button", { name: "Show in History" }).click();
  await expect(page).toHaveURL(/#\/history\?q=hook%3A/);
  await expect(page.getByRole("grid").getByRole("row").filter({ hasText: "pre_tool_execution" })).toHaveCount(2);
});
