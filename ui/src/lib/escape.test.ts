import { describe, expect, it } from "vitest";
import { capitalizeFirst, escapeInvisible, oneLine, summaryText } from "./escape";

describe("text of others", () => {
  it("shows escape sequences and bidirectional marks instead of obeying them", () => {
    expect(escapeInvisible("\u001b[31mred\u001b[0m \u202eevil")).toBe("\\x1b[31mred\\x1b[0m \\u202eevil");
  });

  it("keeps line feeds and tabs", () => {
    expect(escapeInvisible("a\n\tb\r\n")).toBe("a\n\tb\\r\n");
  });

  it("shows private-use characters, tags and selectors that nobody sees", () => {
    expect(escapeInvisible("a\uf5a0b\u{e0041}c\ufe01")).toBe("a\\uf5a0b\\u{e0041}c\\ufe01");
    expect(escapeInvisible("⚠\ufe0f")).toBe("⚠\ufe0f");
  });

  it("is cut between characters, not inside them", () => {
    expect(oneLine("😀😀😀😀", 3)).toBe("😀😀…");
  });
});

describe("the summary of an event", () => {
  it("shows where its lines ended with a sign that fonts have", () => {
    expect(summaryText("Why?\u240a\u240a[time: now]")).toBe("Why? ↵ [time: now]");
    expect(summaryText("a\u202eb")).toBe("a\\u202eb");
  });
});

describe("a sentence that stands for itself", () => {
  it("begins with a large letter, unless a name or a piece of code does", () => {
    expect(capitalizeFirst("the file is gone")).toBe("The file is gone");
    expect(capitalizeFirst("guard.py is gone")).toBe("guard.py is gone");
    expect(capitalizeFirst("`abort` is null")).toBe("`abort` is null");
    expect(capitalizeFirst("cat also gives `x`", ["cat"])).toBe("cat also gives `x`");
  });
});
