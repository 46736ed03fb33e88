/** What keeps a hook from working is named with a fix: a script that cannot start, an output that cannot be read, conflicts. */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, edit, expect, go, LANGUAGES, openHooks, row, test } from "./engine.ts";

const fileOf = (project: string) => join(project, ".jcli/hooks.yaml");

// For Chinese the page is loaded once more.
test.slow();

const SCRIPT = {
  en: {
    problems: /^Problems/,
    problem: /late\.sh`? is not executable: the hook fails/,
    fix: "Make late.sh executable",
    mode: "Mode 0644 becomes 0755",
    apply: "Apply the fix",
    done: "late.sh was changed.",
    undo: "Undo",
  },
  "zh-CN": {
    problems: /^问题/,
    problem: /late\.sh`? 没有执行权限：Hook 会失败/,
    fix: "将 late.sh 设为可执行",
    mode: "权限由 0644 改为 0755",
    apply: "应用修复",
    done: "已修改 late.sh。",
    undo: "撤销",
  },
} as const;

for (const language of LANGUAGES) {
  test(`a script without the executable bit is made executable after its change is shown, and undone (${language})`, async ({
    page,
    engine,
  }) => {
    const words = SCRIPT[language];
    const script = join(engine.project, "late.sh");
    await writeFile(script, "#!/bin/sh\nexit 0\n", { mode: 0o644 });
    await chmod(script, 0o644);
    await edit(fileOf(engine.project), (text) => `${text}\nstop:\n  - command: ./late.sh\n`);
    await openHooks(page, engine, language);
    await page.getByRole("tab", { name: words.problems }).click();
    await page.getByRole("gridcell", { name: words.problem }).click();
    await page.getByRole("button", { name: words.fix }).click();
    const dialog = page.getByRole("dialog", { name: words.fix });
    await expect(dialog).toContainText(words.mode);
    await dialog.getByRole("button", { name: words.apply }).click();
    await expect(page.getByText(words.done)).toBeVisible();
    expect((await stat(script)).mode & 0o777).toBe(0o755);
    await page.getByRole("button", { name: words.undo, exact: true }).click();
    await expect(async () => expect((await stat(script)).mode & 0o777).toBe(0o644)).toPass();
  });
}

const ORDER = {
  en: { order: "Effective order", conflicts: "Conflicts", same: "runs the same command at stop", remove: /^Remove / },
  "zh-CN": { order: "生效顺序", conflicts: "冲突", same: "在 stop 执行相同的命令", remove: /^移除 / },
} as const;

for (const language of LANGUAGES) {
  test(`the effective order lists a hook that two files define, and removes one of them (${language})`, async ({
    page,
    engine,
  }) => {
    const words = ORDER[language];
    const file = fileOf(engine.project);
    await edit(file, (text) => `${text}\nstop:\n  - command: "true"\n`);
    await engine.writeHome(".jdata/agent/hooks.yaml", 'stop:\n  - command: "true"\n');
    await openHooks(page, engine, language);
    await page.getByRole("tab", { name: words.order }).click();
    const conflicts = page.getByRole("list", { name: words.conflicts });
    await expect(conflicts).toContainText(words.same);
    await conflicts.getByRole("button", { name: words.remove }).click();
    await expect(conflicts.getByText(words.same)).toHaveCount(0);
    expect(await readFile(file, "utf8")).not.toContain("stop:");
  });
}

const OUTPUT = {
  en: {
    history: "History",
    steps: "Steps",
    banner: "stdout contains 18 bytes of text before the JSON object",
    bannerFix: "Write that text to stderr: >&2",
    mark: "stdout begins with a byte-order mark, which is not JSON",
    markFix: "Write UTF-8 without a byte-order mark",
    firstByte: "Byte 1 of stdout",
    marked: "Marked:",
    denied: "Denied",
  },
  "zh-CN": {
    history: "历史",
    steps: "步骤",
    banner: "stdout 在 JSON 对象之前有 18 字节的文本",
    bannerFix: "把这些文本写到 stderr：>&2",
    mark: "stdout 以字节顺序标记（BOM）开头，它不属于 JSON",
    markFix: "以不带 BOM 的 UTF-8 输出",
    firstByte: "stdout 的第 1 字节",
    marked: "标记：",
    denied: "拒绝",
  },
} as const;

/** Approves what the file says now, and fires the event that its new hooks wait for. */
async function fireStop(engine: Engine): Promise<void> {
  await engine.hookwright("trust", "--all");
  await engine.hookwright("fire", "--dialect", "jcli", "--event", "stop");
}

for (const language of LANGUAGES) {
  test(`output that is not JSON is shown with the bytes that spoil it and with a fix, which works (${language})`, async ({
    page,
    engine,
  }) => {
    const words = OUTPUT[language];
    const file = fileOf(engine.project);
    const object = `{"action": "stop", "retry_feedback": "not yet"}`;
    await edit(
      file,
      (text) =>
        `${text}\nstop:\n  - command: |\n      echo 'Welcome to staging'\n      echo '${object}'\n` +
        `  - command: |\n      printf '\\357\\273\\277${object}'\n`,
    );
    await openHooks(page, engine, language);
    await fireStop(engine);
    await go(page, words.history);
    await row(page, "stop").click();
    const steps = page.getByRole("list", { name: words.steps, exact: true });
    // What the steps that are open show.
    const step = steps;
    const bytes = step.getByRole("figure", { name: words.firstByte });
    await steps.getByRole("button", { name: /echo/ }).click();
    await expect(step).toContainText(words.banner);
    await expect(step).toContainText(words.bannerFix);
    await expect(bytes.locator("mark")).toHaveText(`${words.marked} Welcome to staging`);
    await steps.getByRole("button", { name: /echo/ }).click();
    await steps.getByRole("button", { name: /printf/ }).click();
    await expect(step).toContainText(words.mark);
    await expect(step).toContainText(words.markFix);
    await expect(bytes.locator("mark")).toHaveText(`${words.marked} \\ufeff`);
    // What the first hook was told to do.
    await edit(file, (text) => text.replace("echo 'Welcome to staging'", "echo 'Welcome to staging' >&2"));
    await fireStop(engine);
    const newest = row(page, "stop").first();
    await expect(newest).toContainText(words.denied);
    await newest.click();
    await steps.getByRole("button", { name: /echo/ }).filter({ hasText: words.denied }).click();
    await step.getByRole("tab", { name: "stdout", selected: true }).waitFor();
    await expect(step).toContainText("not yet");
    await expect(bytes).toHaveCount(0);
  });
}
