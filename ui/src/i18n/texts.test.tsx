import { afterEach, describe, expect, it } from "vitest";
import { showLanguage, type TextKey, t } from "./index";

const text = (key: string, values?: Record<string, string | number>) => t(key as TextKey, values);

afterEach(() => showLanguage("en"));

describe("a text", () => {
  it("is found by its path and filled with what it is given, once", () => {
    expect(text("shell.nav.overview")).toBe("Overview");
    expect(text("shell.fault.ui_unexpected", { message: "{{name}} $t(app)" })).toContain("{{name}} $t(app)");
  });

  it("has the plural form of its language", async () => {
    expect(text("overview.pausedNew", { count: 1 })).toBe("Paused · 1 new");
    await showLanguage("zh-CN");
    expect(text("shell.nav.overview")).not.toBe("Overview");
  });

  it("writes how many there are with separators, and other numbers without", () => {
    expect(text("overview.pausedNew", { count: 12345 })).toBe("Paused · 12,345 new");
  });

  it("that is missing is its key", () => {
    expect(text("no.such", { count: 2 })).toBe("no.such");
  });
});
