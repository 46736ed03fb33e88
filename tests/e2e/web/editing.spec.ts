/** Hook files changed in the window: as text, from a template, and by the fix that Explain offers. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { edit, expect, go, LANGUAGES, openHooks, row, test } from "./engine.ts";

// For Chinese the page is loaded once more.
test.slow();

const fileOf = (project: string) => join(project, ".jcli/hooks.yaml");

const WORDS = {
  en: {
    text: "Text of hooks.yaml",
    unsaved: "Unsaved changes",
    save: "Save hooks.yaml",
    saved: "hooks.yaml was saved.",
    undo: "Undo",
    changed: "The file changed on disk.",
    difference: "Show the difference",
    loadAgain: "Load the file again",
    history: "History",
    hooks: "Hooks of this event",
    leave: "Discard the changes in hooks.yaml?",
    keep: "Keep editing",
    discard: "Discard changes",
    newHook: "New hook",
    record: "Record events",
    added: "What is added",
    add: "Add hook",
    review: "Review",
    fix: "Add bash to the condition",
    after: "after this change",
    apply: "Apply the fix",
    fixed: "The condition of guard_shell.sh was changed.",
  },
  "zh-CN": {
    text: "hooks.yaml 的文本",
    unsaved: "有未保存的修改",
    save: "保存 hooks.yaml",
    saved: "已保存 hooks.yaml。",
    undo: "撤销",
    changed: "文件已在磁盘上更改。",
    difference: "查看差异",
    loadAgain: "重新加载文件",
    history: "历史",
    hooks: "此事件的 Hook",
    leave: "放弃对 hooks.yaml 的修改？",
    keep: "继续编辑",
    discard: "放弃修改",
    newHook: "新建 Hook",
    record: "记录事件",
    added: "将写入的内容",
    add: "添加 Hook",
    review: "审阅",
    fix: "将 bash 加入匹配条件",
    after: "修改后",
    apply: "应用修复",
    fixed: "已修改 guard_shell.sh 的匹配条件。",
  },
} as const;

for (const language of LANGUAGES) {
  test(`a hook file is edited as text, saved after its difference, and undone to the byte (${language})`, async ({ page, engine }) => {
    const words = WORDS[language];
    const file = fileOf(engine.project);
    await edit(file, (text) => text.replaceAll("\n", "\r\n"));
    const before = await readFile(file, "utf8");
    await openHooks(page, engine, language);
    await row(page, "guard_shell.sh").click();
    await page.keyboard.press("Shift+E");
    const text = page.getByRole("textbox", { name: words.text });
    await expect(text).toBeFocused();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# from the window\n");
    await expect(page.getByLabel(words.unsaved).first()).toBeVisible();
    await page.keyboard.press("Control+s");
    const dialog = page.getByRole("dialog", { name: words.save });
    await expect(dialog).toContainText("# from the window");
    expect(await readFile(file, "utf8")).toBe(before);
    await page.keyboard.press("Control+s");
    await expect(page.getByText(words.saved)).toBeVisible();
    expect(await readFile(file, "utf8")).toBe(`# from the window\r\n${before}`);
    await page.getByRole("button", { name: words.undo, exact: true }).click();
    await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
    await expect(text).not.toContainText("# from the window");
  });

  test(`a file that changed meanwhile is not overwritten unasked, and unsaved changes are not lost unasked (${language})`, async ({
    page,
    engine,
  }) => {
    const words = WORDS[language];
    const file = fileOf(engine.project);
    await openHooks(page, engine, language);
    await row(page, "guard_shell.sh").click();
    await page.keyboard.press("Shift+E");
    await expect(page.getByRole("textbox", { name: words.text })).toBeFocused();
    await page.keyboard.type("# mine ");
    await edit(file, (text) => `# theirs\n${text}`);
    await expect(page.getByText(words.changed)).toBeVisible();
    await page.getByRole("button", { name: words.difference }).click();
    await expect(page.getByRole("dialog")).toContainText("# theirs");
    await page.getByRole("dialog").getByRole("button", { name: words.loadAgain }).click();
    await expect(page.getByRole("textbox", { name: words.text })).toContainText("# theirs");
    await expect(page.getByRole("textbox", { name: words.text })).toBeFocused();
    await page.keyboard.type("x");
    const history = page.getByRole("navigation").getByRole("link", { name: words.history });
    await history.click();
    const question = page.getByRole("alertdialog", { name: words.leave });
    await question.getByRole("button", { name: words.keep }).click();
    await expect(page.getByRole("textbox", { name: words.text })).toBeVisible();
    await history.click();
    await question.getByRole("button", { name: words.discard }).click();
    await expect(page.getByRole("heading", { level: 1, name: words.history })).toBeVisible();
    expect(await readFile(file, "utf8")).toContain("# theirs");
  });

  test(`a new hook is added from a template, shown before it is written, and waits for its review (${language})`, async ({
    page,
    engine,
  }) => {
    const words = WORDS[language];
    const file = fileOf(engine.project);
    const before = await readFile(file, "utf8");
    await openHooks(page, engine, language);
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: words.newHook });
    await dialog.getByRole("radio", { name: words.record }).click();
    await expect(dialog.getByRole("region", { name: words.added })).toContainText("events.jsonl");
    expect(await readFile(file, "utf8")).toBe(before);
    await dialog.getByRole("button", { name: words.add }).click();
    const drawer = page.getByRole("region", { name: "Hook", exact: true });
    await expect(drawer.getByRole("button", { name: words.review })).toBeVisible();
    expect(await readFile(file, "utf8")).toContain("cat >> .jcli/events.jsonl");
    await page.getByRole("button", { name: words.undo, exact: true }).click();
    await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
  });

  test(`Explain mends a filter that an event only just missed (${language})`, async ({ page, engine }) => {
    const words = WORDS[language];
    const file = fileOf(engine.project);
    await openHooks(page, engine, language);
    const payload = join(engine.project, "payload.json");
    await writeFile(payload, JSON.stringify({ tool_name: "bash", tool_arguments: '{"command": "ls"}' }));
    await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload);
    await go(page, words.history);
    await row(page, "bash").first().click();
    await page.keyboard.press("e");
    await page.getByRole("listbox", { name: words.hooks }).getByRole("option", { name: /guard_shell\.sh/ }).click();
    await page.getByRole("button", { name: words.fix }).click();
    const dialog = page.getByRole("dialog", { name: words.fix });
    await expect(dialog).toContainText(words.after);
    await dialog.getByRole("button", { name: words.apply }).click();
    await expect(page.getByText(words.fixed)).toBeVisible();
    expect(await readFile(file, "utf8")).toContain("Bash|Shell|bash");
  });
}

const FORM = {
  en: {
    text: "Text of hooks.yaml",
    form: "Form of tidy_call.py",
    limit: "Time limit",
    useMost: "Use 3600",
    notStopped: "does not stop pre_tool_execution in j-cli",
    test: "Test before saving",
    testTitle: "Test tidy_call.py without saving",
    nothingRuns: "Nothing runs",
    save: "Save hooks.yaml",
    saved: "hooks.yaml was saved.",
  },
  "zh-CN": {
    text: "hooks.yaml 的文本",
    form: "tidy_call.py 的表单",
    limit: "时限",
    useMost: "使用 3600",
    notStopped: "在此会终止 pre_tool_execution",
    test: "保存前测试",
    testTitle: "不保存，测试 tidy_call.py",
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
    await row(page, "tidy_call.py").click();
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
    await expect(form).toContainText(words.notStopped);
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
