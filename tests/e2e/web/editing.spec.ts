/** Hook files changed in the window: as text, from a template, and by the fix that Explain offers. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { edit, expect, go, LANGUAGES, openHooks, row, test } from "./engine.ts";

// For Chinese the page is loaded once more.
test.slow();

const fileOf = (project: string) => join(project, ".jcli/hooks.yaml");

test("a hook file is edited as text, saved after its difference, and undone to the byte", async ({ page, engine }) => {
  const file = fileOf(engine.project);
  await edit(file, (text) => text.replaceAll("\n", "\r\n"));
  const before = await readFile(file, "utf8");
  await openHooks(page, engine);
  await row(page, "guard_shell.sh").click();
  await page.keyboard.press("Shift+E");
  const text = page.getByRole("textbox", { name: "Text of hooks.yaml" });
  await expect(text).toBeFocused();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# from the window\n");
  await expect(page.getByLabel("Unsaved changes").first()).toBeVisible();
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog", { name: "Save hooks.yaml" });
  await expect(dialog).toContainText("# from the window");
  expect(await readFile(file, "utf8")).toBe(before);
  await page.keyboard.press("Control+s");
  await expect(page.getByText("hooks.yaml was saved.")).toBeVisible();
  expect(await readFile(file, "utf8")).toBe(`# from the window\r\n${before}`);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
  await expect(text).not.toContainText("# from the window");
});

test("a file that changed meanwhile is not overwritten unasked, and unsaved changes are not lost unasked", async ({
  page,
  engine,
}) => {
  const file = fileOf(engine.project);
  await openHooks(page, engine);
  await row(page, "guard_shell.sh").click();
  await page.keyboard.press("Shift+E");
  await expect(page.getByRole("textbox", { name: "Text of hooks.yaml" })).toBeFocused();
  await page.keyboard.type("# mine ");
  await edit(file, (text) => `# theirs\n${text}`);
  await expect(page.getByText("The file changed on disk.")).toBeVisible();
  await page.getByRole("button", { name: "Show the difference" }).click();
  await expect(page.getByRole("dialog")).toContainText("# theirs");
  await page.getByRole("dialog").getByRole("button", { name: "Load the file again" }).click();
  await expect(page.getByRole("textbox", { name: "Text of hooks.yaml" })).toContainText("# theirs");
  await expect(page.getByRole("textbox", { name: "Text of hooks.yaml" })).toBeFocused();
  await page.keyboard.type("x");
  const history = page.getByRole("navigation").getByRole("link", { name: "History" });
  await history.click();
  const question = page.getByRole("alertdialog", { name: "Discard the changes in hooks.yaml?" });
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(page.getByRole("textbox", { name: "Text of hooks.yaml" })).toBeVisible();
  await history.click();
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "History" })).toBeVisible();
  expect(await readFile(file, "utf8")).toContain("# theirs");
});

test("a new hook is added from a template, shown before it is written, and waits for its review", async ({
  page,
  engine,
}) => {
  const file = fileOf(engine.project);
  const before = await readFile(file, "utf8");
  await openHooks(page, engine);
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New hook" });
  await dialog.getByRole("radio", { name: "Record events" }).click();
  await expect(dialog.getByRole("region", { name: "What is added" })).toContainText("events.jsonl");
  expect(await readFile(file, "utf8")).toBe(before);
  await dialog.getByRole("button", { name: "Add hook" }).click();
  const drawer = page.getByRole("region", { name: "Hook", exact: true });
  await expect(drawer.getByRole("button", { name: "Review" })).toBeVisible();
  expect(await readFile(file, "utf8")).toContain("cat >> .jcli/events.jsonl");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
});

test("Explain mends a filter that an event only just missed", async ({ page, engine }) => {
  const file = fileOf(engine.project);
  await openHooks(page, engine);
  const payload = join(engine.project, "payload.json");
  await writeFile(payload, JSON.stringify({ tool_name: "bash", tool_arguments: '{"command": "ls"}' }));
  await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload);
  await go(page, "History");
  await row(page, "bash").first().click();
  await page.keyboard.press("e");
  await page.getByRole("option", { name: /guard_shell\.sh/ }).click();
  await page.getByRole("button", { name: "Add bash to the condition" }).click();
  const dialog = page.getByRole("dialog", { name: "Add bash to the condition" });
  await expect(dialog).toContainText("after this change");
  await dialog.getByRole("button", { name: "Apply the fix" }).click();
  await expect(page.getByText("The condition of guard_shell.sh was changed.")).toBeVisible();
  expect(await readFile(file, "utf8")).toContain("Bash|Shell|bash");
});

const FORM = {
  en: {
    text: "Text of hooks.yaml",
    form: "Form of guard_shell.sh",
    limit: "Time limit",
    useMost: "Use 3600",
    failsClosed: "fails closed",
    test: "Test before saving",
    testTitle: "Test guard_shell.sh without saving",
    nothingRuns: "Nothing runs",
    save: "Save hooks.yaml",
    saved: "hooks.yaml was saved.",
  },
  "zh-CN": {
    text: "hooks.yaml 的文本",
    form: "guard_shell.sh 的表单",
    limit: "时限",
    useMost: "使用 3600",
    failsClosed: "失败即拦截",
    test: "保存前测试",
    testTitle: "不保存，测试 guard_shell.sh",
    nothingRuns: "不执行任何内容",
    save: "保存 hooks.yaml",
    saved: "已保存 hooks.yaml。",
  },
} as const;

for (const language of LANGUAGES) {
  test(`the form and the text are one document, changed from both sides (${language})`, async ({ page, engine }) => {
    const words = FORM[language];
    const file = fileOf(engine.project);
    const before = await readFile(file, "utf8");
    await openHooks(page, engine, language);
    await row(page, "guard_shell.sh").click();
    await page.keyboard.press("Shift+E");
    const text = page.getByRole("textbox", { name: words.text });
    const form = page.getByRole("region", { name: words.form });
    const limit = form.getByLabel(words.limit);
    await limit.fill("7");
    await expect(text).toContainText("timeout: 7");
    await limit.fill("9999");
    await form.getByRole("button", { name: words.useMost }).click();
    await expect(text).toContainText("timeout: 3600");
    await expect(limit).toHaveValue("3600");
    await form.getByRole("radio", { name: /abort/ }).click();
    await expect(text).toContainText("on_error: abort");
    await expect(form).toContainText(words.failsClosed);
    await form.getByRole("button", { name: words.test }).click();
    await expect(page.getByRole("dialog", { name: words.testTitle })).toContainText(words.nothingRuns);
    await page.keyboard.press("Escape");
    // The form follows the cursor, so the text is changed last.
    await text.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# mine\n");
    await page.keyboard.press("Control+s");
    const dialog = page.getByRole("dialog", { name: words.save });
    await expect(dialog).toContainText("on_error: abort");
    await page.keyboard.press("Control+s");
    await expect(page.getByText(words.saved)).toBeVisible();
    const after = await readFile(file, "utf8");
    expect(after.startsWith("# mine\n")).toBe(true);
    // Every comment of the file is still there.
    for (const line of before.split("\n").filter((one) => one.trim().startsWith("#"))) expect(after).toContain(line);
  });
}
