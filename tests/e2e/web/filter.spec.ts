/** The condition and the prompt of a hook, built in the window against what was recorded. */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Engine, edit, expect, LANGUAGES, openHooks, row, test } from "./engine.ts";

// For Chinese the page is loaded once more.
test.slow();

const fileOf = (project: string) => join(project, ".jcli/hooks.yaml");

async function fireTools(engine: Engine, tools: readonly string[]): Promise<void> {
  const payload = join(engine.project, "payload.json");
  for (const tool of tools) {
    await writeFile(payload, JSON.stringify({ tool_name: tool, tool_arguments: '{"command": "ls"}' }));
    await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload);
  }
}

const CONDITION = {
  en: {
    edit: "Edit condition",
    title: "Condition of guard_shell.sh",
    matchesTwo: "Matches 2 of the last 5 events",
    oneMore: "+1 would match",
    addBash: "Add bash",
    matchesFour: "Matches 4 of the last 5 events",
    neverSet: "Never set at pre_tool_execution, so the hook would never run.",
    countedWithout: "Counted without model_prefix, because otherwise none would match.",
    removeModel: "Remove model_prefix",
    change: "Change of the file",
    save: /Save condition/,
    saved: "The condition of guard_shell.sh was changed.",
    undo: "Undo",
  },
  "zh-CN": {
    edit: "编辑匹配条件",
    title: "guard_shell.sh 的匹配条件",
    matchesTwo: "最近 5 个事件中匹配 2 个",
    oneMore: "多匹配 1 个",
    addBash: "添加 bash",
    matchesFour: "最近 5 个事件中匹配 4 个",
    neverSet: "pre_tool_execution 从不提供此值，因此该 Hook 永远不会执行。",
    countedWithout: "统计时未计入 model_prefix。计入后没有事件会匹配。",
    removeModel: "移除 model_prefix",
    change: "对文件的修改",
    save: /保存匹配条件/,
    saved: "已修改 guard_shell.sh 的匹配条件。",
    undo: "撤销",
  },
} as const;

for (const language of LANGUAGES) {
  test(`a condition is built with live matches, widened by a near miss, written after its difference, and undone (${language})`, async ({
    page,
    engine,
  }) => {
    const words = CONDITION[language];
    const file = fileOf(engine.project);
    const before = await readFile(file, "utf8");
    await openHooks(page, engine, language);
    await fireTools(engine, ["Bash", "Read", "bash", "Bash", "Grep"]);
    await row(page, "guard_shell.sh").click();
    await page.getByRole("button", { name: words.edit }).click();
    const sheet = page.getByRole("dialog", { name: words.title });
    await expect(sheet).toContainText(words.matchesTwo);
    await expect(sheet.getByRole("option")).toHaveCount(5);
    await sheet.getByRole("textbox", { name: "tool_matcher" }).pressSequentially("Grep");
    await expect(sheet).toContainText(words.oneMore);
    await sheet.getByRole("button", { name: words.addBash }).click();
    await expect(sheet).toContainText(words.matchesFour);
    await sheet.getByRole("button", { name: "model_prefix" }).click();
    await sheet.getByRole("textbox", { name: "model_prefix" }).fill("gpt");
    await expect(sheet).toContainText(words.neverSet);
    await expect(sheet).toContainText(words.countedWithout);
    await sheet.getByRole("button", { name: words.removeModel }).click();
    expect(await readFile(file, "utf8")).toBe(before);
    await expect(sheet.getByRole("region", { name: words.change })).toContainText("Bash|Shell|Grep|bash");
    await sheet.getByRole("button", { name: words.save }).click();
    await expect(page.getByText(words.saved)).toBeVisible();
    expect(await readFile(file, "utf8")).toBe(
      before.replace(/(guard_shell[\s\S]*?)"Bash\|Shell"/, '$1"Bash|Shell|Grep|bash"'),
    );
    await page.getByRole("button", { name: words.undo, exact: true }).click();
    await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
  });
}

const PROMPT = {
  en: {
    edit: "Edit prompt",
    title: /^Prompt of Review/,
    alwaysEmpty: "tool_name is always empty at stop.",
    useRight: "Use user_input",
    template: "Template",
    run: "Run",
    asked: "Asked 5 times about the same event.",
    review: "Review change",
    save: /Save prompt/,
    saved: /The prompt of .* was changed\./,
  },
  "zh-CN": {
    edit: "编辑提示词",
    title: /^Review.* 的提示词$/,
    alwaysEmpty: "tool_name 在 stop 始终为空。",
    useRight: "改用 user_input",
    template: "模板",
    run: "开始",
    asked: "已就同一事件询问 5 次。",
    review: "查看修改",
    save: /保存提示词/,
    saved: /已修改 .* 的提示词。/,
  },
} as const;

for (const language of LANGUAGES) {
  test(`a prompt is mended, tried several times against the model, and written after its difference (${language})`, async ({
    page,
    engine,
  }) => {
    const words = PROMPT[language];
    const asked: string[] = [];
    const model = createServer((request, response) => {
      let body = "";
      request.on("data", (bytes) => (body += bytes));
      request.on("end", () => {
        asked.push(body);
        const content = asked.length % 3 === 0 ? "{}" : '{"action": "stop"}';
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 40, completion_tokens: 5 } }),
        );
      });
    }).listen(0, "127.0.0.1");
    await once(model, "listening");
    try {
      const { port } = model.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/v1`;
      await writeFile(
        join(engine.data, "settings.toml"),
        `[model]\nprovider = "openai"\nbase_url = "${url}"\nmodel = "small"\n`,
      );
      const file = fileOf(engine.project);
      await edit(
        file,
        (text) => `${text}\nstop:\n  - type: llm\n    prompt: "Review {{user_inptu}} in {{cwd}}, {{tool_name}}."\n`,
      );
      await openHooks(page, engine, language);
      await row(page, "Review {{user_inptu}}").click();
      await page.getByRole("button", { name: words.edit }).click();
      const sheet = page.getByRole("dialog", { name: words.title });
      await expect(sheet).toContainText(words.alwaysEmpty);
      await sheet.getByRole("button", { name: words.useRight }).click();
      await expect(sheet.getByRole("textbox", { name: words.template })).toContainText("Review {{user_input}} in");
      await sheet.getByRole("button", { name: words.run }).click();
      await expect(sheet).toContainText(words.asked);
      await expect(sheet).toContainText("4 / 5");
      await expect(sheet).toContainText("5 / 5");
      expect(asked).toHaveLength(5);
      await sheet.getByRole("button", { name: words.review }).click();
      await expect(sheet).toContainText("user_input");
      await sheet.getByRole("button", { name: words.save }).click();
      await expect(page.getByText(words.saved)).toBeVisible();
      expect(await readFile(file, "utf8")).toContain('prompt: "Review {{user_input}} in {{cwd}}, {{tool_name}}."');
    } finally {
      model.close();
    }
  });
}
