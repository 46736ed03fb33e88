/**
 * The style of the dictionaries: words and forms that must not appear in them. The rules are those of the engine's
 * texts, read from the same file (`tests/suite/wording.rs` is the other reader).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en } from "./en";
import { zh } from "./zh-CN";

interface Rule {
  id: string;
  pattern: string;
  /** What to write instead. */
  write: string;
}

interface Rules {
  english: Rule[];
  chinese: Rule[];
}

const RULES: Rules = JSON.parse(readFileSync(join(process.cwd(), "../tests/fixtures/wording.json"), "utf8"));

/** Texts that a rule must leave alone, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  "history.placeholder": "names of filter fields, typed as they are",
};

/** Code, placeholders and quoted text: a rule applies to what is between them. */
const CODE = /`[^`]*`|\{\{[^}]*\}\}|\{[^}]*\}|"[^"]*"/g;

function leaves(tree: object, path = ""): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const at = path ? `${path}.${key}` : key;
    return typeof value === "string" ? [[at, value] as [string, string]] : leaves(value as object, at);
  });
}

/** What is wrong with a text. */
function findings(name: string, text: string, rules: readonly Rule[], flags: string): string[] {
  const neutral = text.replace(CODE, "§");
  return rules
    .filter((rule) => new RegExp(rule.pattern, flags).test(neutral))
    .map((rule) => `${name}: ${rule.id}, write ${rule.write}: ${text}`);
}

function findingsOf(tree: object, rules: readonly Rule[], flags: string): string[] {
  return leaves(tree)
    .filter(([name]) => !(name in EXEMPT))
    .flatMap(([name, text]) => findings(name, text, rules, flags));
}

describe("the window's texts", () => {
  it("are plain English", () => {
    expect(findingsOf(en, RULES.english, "i")).toEqual([]);
  });

  it("are plain Chinese", () => {
    expect(findingsOf(zh, RULES.chinese, "")).toEqual([]);
  });

  it("say nothing with an exclamation mark, and in Chinese use neither 您 nor a dot for an ellipsis", () => {
    expect(leaves(en).filter(([, text]) => /!|\.\.\./.test(text.replaceAll("#!", "")))).toEqual([]);
    expect(leaves(zh).filter(([, text]) => /[!！您]|\.\.\./.test(text.replaceAll("#!", "")))).toEqual([]);
  });

  it("name a hook system by its agent or as one, never by the words of the code", () => {
    const named = (tree: object, words: RegExp) =>
      leaves(tree).filter(([, text]) => words.test(text.replace(CODE, "§")));
    expect(named(en, /\bdialect/i)).toEqual([]);
    expect(named(zh, /方言|试发/)).toEqual([]);
  });

  it("end alike in both languages: a sentence with a full stop, a label without", () => {
    const chinese = new Map(leaves(zh));
    const unlike = leaves(en).filter(([name, text]) => {
      const other = chinese.get(name);
      return other !== undefined && /\.$/.test(text) !== /。$/.test(other);
    });
    expect(unlike.map(([name, text]) => [name, text, chinese.get(name)])).toEqual([]);
  });

  it("are exempt only where they exist", () => {
    const names = new Set(leaves(en).map(([name]) => name));
    expect(Object.keys(EXEMPT).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe("a forbidden word", () => {
  const english = (text: string) => findings("name", text, RULES.english, "i").length;
  const chinese = (text: string) => findings("name", text, RULES.chinese, "").length;

  it("is reported, but not in code, a placeholder or a quotation", () => {
    expect(english("Nobody approved it")).toBe(1);
    expect(english('`nobody` {{nobody}} "nobody" approved it')).toBe(0);
    expect(chinese("守卫没有执行")).toBe(1);
    expect(chinese("钩子运行了")).toBe(2);
    expect(chinese("`hook` 已执行")).toBe(0);
  });
});
