import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sentences } from "@/ipc/gen/sentences";
import { en } from "./en";
import { zh } from "./zh-CN";

function leaves(tree: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    const at = path ? `${path}.${key}` : key;
    if (typeof value === "string") found.set(at, value);
    else for (const [inner, text] of leaves(value as object, at)) found.set(inner, text);
  }
  return found;
}

const holes = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).sort();
const english = leaves(en);
const chinese = leaves(zh);

describe("the two languages", () => {
  it("have the same keys, plural forms aside", () => {
    const wanted = [...english.keys()].filter((key) => !key.endsWith("_one")).sort();
    expect([...chinese.keys()].sort()).toEqual(wanted);
  });

  it("fill the same holes", () => {
    for (const [key, text] of chinese) expect([key, holes(text)]).toEqual([key, holes(english.get(key) ?? "")]);
  });

  it("leave no text empty", () => {
    for (const [key, text] of [...english, ...chinese]) expect([key, text.trim().length > 0]).toEqual([key, true]);
  });

  it("write Chinese with full-width punctuation and a space beside Latin words", () => {
    for (const [key, text] of chinese) {
      expect([key, /[\u4e00-\u9fff][,;?!]/.test(text)]).toEqual([key, false]);
      expect([key, /[\u4e00-\u9fff][A-Za-z]|[A-Za-z][\u4e00-\u9fff]/.test(text)]).toEqual([key, false]);
    }
  });
});

describe("a text", () => {
  /** The program without its texts and tests. */
  function source(folder: string): string {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return /^(gen|en|zh-CN|testing)$/.test(entry.name) ? "" : source(path);
        return /\.tsx?$/.test(entry.name) && !/\.test\./.test(entry.name) ? readFileSync(path, "utf8") : "";
      })
      .join("\n");
  }

  it("is used somewhere, by its key or by a key that is made", () => {
    const program = source(join(process.cwd(), "src"));
    const made = [...program.matchAll(/`([a-zA-Z.]+\.)\$\{/g)].map(([, begin = ""]) => begin);
    const keys = new Set([...english.keys()].map((key) => key.replace(/_(zero|one|other)$/, "")));
    const unused = [...keys].filter(
      (key) => !program.includes(`"${key}"`) && !made.some((begin) => key.startsWith(begin)),
    );
    expect(unused).toEqual([]);
  });
});

describe("the engine's sentences", () => {
  it("have both languages for every code", () => {
    for (const [code, entry] of Object.entries(sentences)) {
      expect([code, entry.en.length > 0, entry.zh.length > 0]).toEqual([code, true, true]);
      expect([code, entry.hint_en === undefined]).toEqual([code, entry.hint_zh === undefined]);
    }
  });
});
