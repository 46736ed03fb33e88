import { describe, expect, it } from "vitest";
import { joinSentences, sentenceGap } from "./sentences";

describe("sentences after each other", () => {
  it("have a space between them, except after a full-width mark", () => {
    expect(joinSentences("It runs.", "It never ran.")).toBe("It runs. It never ran.");
    expect(joinSentences("已批准。", "尚未执行过。")).toBe("已批准。尚未执行过。");
    expect(joinSentences("hooks.yaml:4", "语法错误")).toBe("hooks.yaml:4 语法错误");
    expect([sentenceGap("断开 j-cli？"), sentenceGap("Why?")]).toEqual(["", " "]);
  });

  it("may be absent", () => {
    expect(joinSentences(null, "one.", undefined, "", false, "two.")).toBe("one. two.");
    expect(joinSentences(null)).toBe("");
  });
});
