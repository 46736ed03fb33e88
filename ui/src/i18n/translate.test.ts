import { describe, expect, it } from "vitest";
import type { Language } from "./index";
import { addTexts, type TextKey, type Texts, translator } from "./translate";

const TEXTS = {
  plain: "Close",
  inner: { filled: "{{hook}} runs in {{agent}}" },
  steps_one: "{{count}} step of {{total}}",
  steps_other: "{{count}} steps of {{total}}",
  masked_zero: "Nothing masked",
  masked_other: "{{count}} masked",
};
const CHINESE = { steps_other: "{{total}} 个步骤中的 {{count}} 个" };

function textsOf(language: Language, tree: Record<string, unknown>) {
  const texts: Texts = new Map();
  addTexts(texts, tree as typeof TEXTS);
  return translator(language, texts);
}

const english = textsOf("en", TEXTS);
const chinese = textsOf("zh-CN", CHINESE);
const key = (text: string) => text as TextKey;

describe("a text", () => {
  it("is found by its path and filled with what it is given", () => {
    expect(english(key("plain"))).toBe("Close");
    expect(english(key("inner.filled"), { hook: "guard", agent: "j-cli" })).toBe("guard runs in j-cli");
  });

  it("keeps a placeholder that nothing is given for, and fills none twice", () => {
    expect(english(key("inner.filled"), { hook: "{{agent}}" })).toBe("{{agent}} runs in {{agent}}");
  });

  it("has the plural form of its language", () => {
    expect(english(key("steps"), { count: 1, total: 3 })).toBe("1 step of 3");
    expect(english(key("steps"), { count: 0, total: 3 })).toBe("0 steps of 3");
    expect(chinese(key("steps"), { count: 1, total: 3 })).toBe("3 个步骤中的 1 个");
  });

  it("has a form of its own for zero where there is one", () => {
    expect(english(key("masked"), { count: 0 })).toBe("Nothing masked");
    expect(english(key("masked"), { count: 1 })).toBe("1 masked");
  });

  it("that is missing is its key", () => {
    expect(english(key("no.such"), { count: 2 })).toBe("no.such");
  });
});
