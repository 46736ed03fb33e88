import { beforeAll, describe, expect, it } from "vitest";
import { bytes, duration, time } from "./format";
import { pickLanguage } from "./index";
import { bare, fillTemplate, say, whatItCosts, whereInScript } from "./messages";
import { loadMessages } from "./messageTable";

describe("a duration", () => {
  it.each([
    [0.2, "<1 ms"],
    [48, "48 ms"],
    [1840, "1.84 s"],
    [29_400, "29.4 s"],
    [300_000, "300 s"],
  ])("of %d ms reads %s", (ms, text) => {
    expect(duration(ms).replace("\u00a0", " ")).toBe(text);
  });
});

describe("a size", () => {
  it("grows its unit", () => {
    expect([412, 4096, 412 * 1024 ** 2, 2.5 * 1024 ** 3].map((n) => bytes(n).replace("\u00a0", " "))).toEqual([
      "412 B",
      "4 KB",
      "412 MB",
      "2.5 GB",
    ]);
  });
});

describe("a sentence of the engine", () => {
  beforeAll(() => loadMessages("zh-CN"));

  it("is filled from its arguments", () => {
    expect(fillTemplate("未知事件 `{event}`", { event: "stop" })).toBe("未知事件 `stop`");
    expect(fillTemplate("{a}、{b}", { a: ["x", "y"], b: 3 })).toBe("x、y、3");
  });

  it("says words of ours in Chinese, and leaves what people wrote", () => {
    const args = { field: "object", wanted: "a number of seconds", found: "object" };
    expect(fillTemplate("`{field}` 的类型应为 {wanted}，此处是 {found}", args)).toBe(
      "`object` 的类型应为秒数，此处是对象",
    );
    expect(fillTemplate("{why}", { why: "Invalid escape: \\z" })).toBe("无效的转义：\\z");
    expect(fillTemplate("{why}", args)).toBeNull();
  });

  it("tells a sentence inside a sentence in the same language", () => {
    const inner = { code: "wrong_type", args: { case: "pico_file", found: "array" } };
    expect(fillTemplate("{why}", { why: "the file must hold …", why_message: inner })).toBe(
      "文件应为 JSON 对象，此处是数组",
    );
  });

  it("names the line of the script that it is about", () => {
    const problem = { code: "unset_variable", in: { path: "/p/.qoder/a.sh", line: 3 } };
    expect([whereInScript(problem, "zh-CN"), whereInScript(problem, "en")]).toEqual(["a.sh:3：", "in a.sh:3: "]);
    const often = { ...problem, in: { ...problem.in, also: [5, 6, 7, 8, 9] } };
    expect(whereInScript(often, "en")).toBe("in a.sh:3, 5, 6, 7, 8 +1: ");
    expect(whereInScript({ code: "unset_variable" }, "zh-CN")).toBe("");
  });

  it("begins with what an error costs beside its own part", () => {
    const problem = { code: "missing_field", args: { costs: "file", hooks: 2, settings: ["env"] } };
    expect(whatItCosts(problem, "zh-CN")).toBe("Claude Code 会丢弃整个文件（Hook：2、env）：");
    expect(whatItCosts(problem, "en")).toBe("Claude Code drops this whole file (hooks: 2, env): ");
    expect(whatItCosts({ code: "missing_field", args: {} }, "en")).toBe("");
  });

  it("is left to the English when an argument is missing", () => {
    expect(fillTemplate("{event}", {})).toBeNull();
  });
  it("has its moments in local time, and what is quoted as it is written", async () => {
    await loadMessages("en");
    const at = "2026-11-27T12:59:41Z";
    for (const language of ["en", "zh-CN"] as const) {
      expect(fillTemplate("{place}: {since}", { place: "hooks.yaml:3", since: at }, language)).toBe(
        `hooks.yaml:3: ${time(at)}`,
      );
      expect(fillTemplate("`{value}`", { value: at }, language)).toBe(`\`${at}\``);
    }
    const args = { case: "runs_none", place: "hooks.yaml:3", since: at, agent_name: "j-cli" };
    expect(say({ code: "last_good", args }, `hooks.yaml:3 is invalid since ${at}`)).not.toContain(at);
  });
  it("that is no longer known is its code and its arguments", () => {
    expect(bare({ code: "of_before", args: { field: "stop", max: 3 } })).toBe("of_before (field: stop, max: 3)");
    expect(bare({ code: null, args: {} })).toBe("");
  });
});

describe("the language", () => {
  it("is the one set, else the first of the system's that is known", () => {
    expect(pickLanguage("zh-CN", ["en-US"])).toBe("zh-CN");
    expect(pickLanguage(null, ["fr-FR", "zh-TW", "en"])).toBe("zh-CN");
    expect(pickLanguage("system", ["de"])).toBe("en");
  });
});
