/** The ways to a new hook, in both languages: an event, a sample, a recorded event, another dialect. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { type Engine, expect, openHooks, row, test } from "./engine.ts";

/** What the page says, by language. */
const WORDS = {
  en: {
    title: "New hook",
    added: "What is added",
    record: "Record events",
    sample: "A sample",
    recorded: "A recorded event",
    dialect: "Another hook system",
    search: "Search",
    addHook: /Add hook/,
    addSample: /Add sample/,
    guard: /Guard against this/,
    test: "Test",
    matches: /The last event would match/,
    denied: /blocked|skipped/i,
    convert: /Convert…/,
    write: /Write files/,
    undo: "Undo",
  },
  "zh-CN": {
    title: "新建 Hook",
    added: "将写入的内容",
    record: "记录事件",
    sample: "示例项目",
    recorded: "已记录的事件",
    dialect: "另一种 Hook 体系",
    search: "搜索",
    addHook: /添加 Hook/,
    addSample: /添加示例项目/,
    guard: /拦截此类事件/,
    test: "测试",
    matches: /个事件/,
    denied: /拦截|跳过/,
    convert: /转换…/,
    write: /写入文件/,
    undo: "撤销",
  },
} as const;

type Language = keyof typeof WORDS;
const LANGUAGES = Object.keys(WORDS) as Language[];

const hooksFile = (engine: Engine) => join(engine.project, ".jcli/hooks.yaml");
const exists = (path: string) =>
  stat(path).then(
    (found) => found,
    () => null,
  );

/** The sheet, at one of its ways. */
async function sheetAt(page: Page, engine: Engine, language: Language, way?: "sample" | "recorded" | "dialect") {
  await openHooks(page, engine, language);
  return sheetOf(page, language, way);
}

/** The same, where the list of hooks is on show. */
async function sheetOf(page: Page, language: Language, way?: "sample" | "recorded" | "dialect") {
  await page.keyboard.press("n");
  const sheet = page.getByRole("dialog", { name: WORDS[language].title });
  await expect(sheet).toBeVisible();
  if (way !== undefined) await sheet.getByRole("radio", { name: WORDS[language][way], exact: true }).click();
  return sheet;
}

async function undone(page: Page, words: (typeof WORDS)[Language], file: string, before: string) {
  await page.getByRole("button", { name: words.undo, exact: true }).click();
  await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
}

/** The difference that would be written. */
const preview = (sheet: Locator, words: (typeof WORDS)[Language]) => sheet.getByRole("region", { name: words.added });

// Approving, firing and two languages take longer than one screen.
test.setTimeout(120_000);

for (const language of LANGUAGES) {
  const words = WORDS[language];

  test(`a new hook begins with an event (${language})`, async ({ page, engine }) => {
    const file = hooksFile(engine);
    const before = await readFile(file, "utf8");
    const sheet = await sheetAt(page, engine, language);
    await sheet.getByRole("radio", { name: words.record }).click();
    await expect(preview(sheet, words)).toContainText("events.jsonl");
    await sheet.getByRole("button", { name: words.addHook }).click();
    await expect(async () => expect(await readFile(file, "utf8")).toContain("events.jsonl")).toPass();
    await undone(page, words, file, before);
  });

  test(`a new hook begins with a sample, whose scripts come along (${language})`, async ({ page, engine }) => {
    const file = hooksFile(engine);
    const before = await readFile(file, "utf8");
    const sheet = await sheetAt(page, engine, language, "sample");
    await sheet.getByRole("textbox", { name: words.search }).fill("git-context");
    await expect(preview(sheet, words)).toContainText("git_context.py");
    await page.screenshot({ path: test.info().outputPath(`sample-${language}.png`) });
    const script = join(engine.project, ".jcli/hooks/git_context.py");
    expect(await exists(script)).toBeNull();
    await sheet.getByRole("button", { name: words.addSample }).click();
    await expect(async () => expect(await readFile(file, "utf8")).toContain("git_context.py")).toPass();
    expect(((await exists(script))?.mode ?? 0) & 0o777).toBe(0o700);
    await undone(page, words, file, before);
    expect(await exists(script)).toBeNull();
  });

  test(`a new hook begins with a recorded event, and is tried first (${language})`, async ({ page, engine }) => {
    const file = hooksFile(engine);
    const before = await readFile(file, "utf8");
    const payload = join(engine.home, "payload.json");
    const command = `echo "it's" \\ $(date)`;
    await writeFile(
      payload,
      JSON.stringify({ tool_name: "Bash", tool_arguments: JSON.stringify({ command }) }),
    );
    // The project is opened first: one with events is open when the page is shown.
    await openHooks(page, engine, language);
    await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload);
    const sheet = await sheetOf(page, language, "recorded");
    await sheet.getByRole("radio", { name: /pre_tool_execution/ }).first().click();
    await sheet.getByRole("button", { name: words.guard }).click();
    await expect(preview(sheet, words)).toContainText("guard_bash_");
    await expect(sheet.getByText(words.matches)).toBeVisible();
    await sheet.getByRole("button", { name: words.test, exact: true }).click();
    await expect(sheet.getByRole("status")).toContainText(words.denied);
    await page.screenshot({ path: test.info().outputPath(`guard-${language}.png`) });
    expect(await readFile(file, "utf8")).toBe(before);
    await sheet.getByRole("button", { name: words.addHook }).click();
    await expect(async () => expect(await readFile(file, "utf8")).toContain("guard_bash_")).toPass();
    const name = /guard_bash_\w+\.py/.exec(await readFile(file, "utf8"))?.[0] ?? "";
    const script = join(engine.project, ".jcli/hooks", name);
    expect(((await exists(script))?.mode ?? 0) & 0o777).toBe(0o700);
    await engine.hookwright("trust", "--all");
    const args = ["fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload];
    expect((await engine.hookwright(...args)).code).toBe(2);
    await undone(page, words, file, before);
    expect(await exists(script)).toBeNull();
  });

  test(`a new hook begins with one of another dialect (${language})`, async ({ page, engine }) => {
    const sheet = await sheetAt(page, engine, language, "dialect");
    await sheet.getByRole("radio", { name: /protect_files/ }).click();
    await sheet.getByRole("button", { name: words.convert }).click();
    const write = sheet.getByRole("button", { name: words.write });
    await expect(write).not.toHaveAttribute("aria-disabled", "true");
    await write.click();
    await expect(async () => {
      expect(await exists(join(engine.project, ".qoder/settings.json"))).not.toBeNull();
    }).toPass();
  });
}

test("the drawer of a recorded event offers a guard, or a hook where none can block", async ({ page, engine }) => {
  await openHooks(page, engine);
  await engine.hookwright("fire", "--dialect", "jcli", "--event", "session_end");
  await page.goto(`${engine.origin}/#/history`);
  await row(page, "session_end").first().click();
  await page.getByRole("region", { name: "Event", exact: true }).getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: /New hook for this event/ }).click();
  const sheet = page.getByRole("dialog", { name: "New hook" });
  await expect(sheet.getByRole("combobox", { name: "Event" })).toContainText("session_end");
});
