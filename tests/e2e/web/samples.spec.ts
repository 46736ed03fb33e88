/** Every sample as a person meets it: opened, approved, and fired with one key. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { parse } from "yaml";
import { type Engine, expect, go, SAMPLES, test } from "./engine.ts";

interface Case {
  name: string;
  event?: string;
  payload?: unknown;
  /** Answers of a model. */
  model?: string[];
  /** What is prepared in the folder first. */
  setup?: string;
  /** A program of the sample that must run. */
  server?: string;
  expect: { verdict?: string; outcome?: Record<string, string> };
}

interface Listed {
  hook: string;
  event: string;
  label: string;
}

/** How an outcome is called in the step list. */
const WORDS: Record<string, string> = {
  not_matched: "Not matched",
  skipped: "Skipped",
  no_opinion: "No opinion",
  allowed: "Allowed",
  changed: "Changed",
  asked: "Asks",
  denied: "Denied",
  failed_open: "Failed · open",
  failed_closed: "Failed · closed",
  timed_out_open: "Timed out · open",
  timed_out_closed: "Timed out · closed",
};

/** How a detached hook may have ended. */
const ENDED = /Detached|No opinion|Failed · open|Timed out · open/;

const folders = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

/** The first case that a payload alone shows, without a model or anything prepared. */
function plainCase(dialect: string, sample: string): Case {
  const text = readFileSync(join(SAMPLES, dialect, sample, "sample.yaml"), "utf8");
  // Long outputs are written as anchors of anchors.
  const cases: Case[] = parse(text, { maxAliasCount: -1 });
  const found = cases.find((one) => one.event !== undefined && !one.model && !one.setup && !one.server && one.expect.outcome);
  if (found === undefined) throw new Error(`${dialect}/${sample} has no case that a payload alone shows`);
  return found;
}

async function open(page: Page, project: string): Promise<void> {
  await page.getByRole("button", { name: /^Project: / }).click();
  await page.getByRole("button", { name: "Open folder…" }).click();
  await page.getByLabel("Path of the folder").fill(project);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
}

async function approve(engine: Engine, project: string): Promise<void> {
  const approved = await engine.hookwrightIn(project, "trust", "--all");
  expect(approved, approved.stderr).toMatchObject({ code: 0 });
}

interface Row {
  trace: string;
  event: string;
  origin: string;
  verdict: { kind: string };
}

/** The last recorded event; there is one. */
async function newest(engine: Engine, project: string): Promise<Row> {
  const { stdout } = await engine.hookwrightIn(project, "history", "--json", "--limit", "1");
  return JSON.parse(stdout).traces[0];
}

/** Goes to an event with another payload than the example. */
async function lay(page: Page, dialect: string, one: Case): Promise<void> {
  await page.evaluate((hash) => (window.location.hash = hash), `#/fire?dialect=${dialect}&event=${one.event}`);
  await expect(page.locator(".fire-crumbs")).toContainText(one.event ?? "");
  await page.getByRole("radio", { name: "Text" }).click();
  const payload = page.getByRole("textbox", { name: "Payload" });
  await payload.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(one.payload));
}

/** The folders whose folders are samples: the agents beside them are programs, and have no hook of their own. */
const dialects = folders(SAMPLES).filter((dialect) =>
  folders(join(SAMPLES, dialect)).every((sample) => existsSync(join(SAMPLES, dialect, sample, "sample.yaml"))),
);

for (const dialect of dialects) {
  test(`every sample of ${dialect} is fired from the window with one key`, async ({ page, engine }) => {
    const samples = folders(join(SAMPLES, dialect));
    test.setTimeout(20_000 + samples.length * 20_000);
    await page.goto(engine.link);
    await page.getByRole("button", { name: /Open the sample project/ }).waitFor();
    for (const sample of samples) {
      await test.step(sample, async () => {
        const project = await engine.copyOf(dialect, sample);
        await approve(engine, project);
        await open(page, project);
        const result = page.getByRole("region", { name: "Result" });
        const steps = result.getByRole("list", { name: "Steps", exact: true });

        await test.step("the example that Fire opens with is fired at it", async () => {
          await go(page, "Fire");
          await expect(result).toContainText("Not fired yet.");
          await expect(result.locator(".planned li").first()).toBeVisible();
          await page.keyboard.press("Control+Enter");
          // While it runs, a status says so.
          await expect(result.locator("[data-trace]")).toBeVisible();
          // What a module registers is known when it runs, and not from looking at it.
          if (dialect !== "qoder") await expect(steps.getByRole("listitem").first()).toBeVisible();
        });

        const one = plainCase(dialect, sample);
        await test.step(one.name, async () => {
          await lay(page, dialect, one);
          const before = await newest(engine, project);
          await page.keyboard.press("Control+Enter");
          await expect.poll(async () => (await newest(engine, project)).trace).not.toBe(before.trace);
          const after = await newest(engine, project);
          await expect(result.locator("[data-trace]")).toHaveAttribute("data-trace", after.trace);
          const wanted = one.expect;
          const listed = await engine.hookwrightIn(project, "list", "--json");
          const hooks: Listed[] = JSON.parse(listed.stdout).hooks;
          for (const [hook, outcome] of Object.entries(wanted.outcome ?? {})) {
            const label = hooks.find((row) => row.hook === hook)?.label ?? hook;
            // Hooks of one file may have the same label. The steps are in the order of the list.
            const alike = hooks.filter((row) => row.label === label && row.event === one.event);
            const place = Math.max(0, alike.findIndex((row) => row.hook === hook));
            const step = steps.locator("li > button").filter({ hasText: label }).nth(place);
            // Fire follows a hook that nobody waits for to its end.
            const shown = outcome === "detached" ? ENDED : (WORDS[outcome] ?? outcome);
            await expect(step, `${sample}: ${hook}`).toContainText(shown);
          }
          expect(after).toMatchObject({ event: one.event, origin: "window" });
          if (wanted.verdict) expect(after.verdict.kind).toBe(wanted.verdict);
        });
        await go(page, "Hooks");
      });
    }
  });
}
