/** What is drawn before the application runs: `index.html` and `appearance.js`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { inTextSize } from "@/lib/media";

const read = (path: string) => readFileSync(join(process.cwd(), path), "utf8");
const page = document.documentElement;

/** The theme and language that the page begins in, in that order. */
function begin(light: boolean): (string | undefined)[] {
  vi.stubGlobal("matchMedia", () => ({ matches: light }));
  new Function(read("public/appearance.js"))();
  return [page.dataset.theme, page.dataset.languageChoice];
}

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  for (const name of ["theme", "themeChoice", "languageChoice"]) delete page.dataset[name];
});

describe("the first paint", () => {
  it("is on the canvas of the tokens", () => {
    const canvases = [...read("src/theme/tokens.css").matchAll(/--bg-1: (#[0-9a-f]{6})/g)].map((found) => found[1]);
    const painted = [...read("index.html").matchAll(/background: (#[0-9a-f]{6})/g)].map((found) => found[1]);
    expect(painted).toEqual(canvases);
  });

  it("follows the system until something is chosen", () => {
    expect(begin(true)).toEqual(["light", "system"]);
    delete page.dataset.themeChoice;
    expect(begin(false)).toEqual(["dark", "system"]);
  });

  it("takes what the page kept from its last time", () => {
    localStorage.setItem("hookwright.view", JSON.stringify({ state: { theme: "light", language: "zh-CN" } }));
    expect(begin(false)).toEqual(["light", "zh-CN"]);
  });

  it("takes what its host says before what it kept", () => {
    localStorage.setItem("hookwright.view", JSON.stringify({ state: { theme: "light", language: "zh-CN" } }));
    page.dataset.themeChoice = "dark";
    page.dataset.languageChoice = "en";
    expect(begin(true)).toEqual(["dark", "en"]);
    vi.stubGlobal("hookwrightLook", { theme: "light", language: "system" });
    expect(begin(false)).toEqual(["light", "system"]);
  });
});

describe("the size of text", () => {
  it("widens what media queries ask for", () => {
    expect(inTextSize("(max-width: 1119px) and (height < 720px)", 125)).toBe(
      "(max-width: 1398.75px) and (height < 900px)",
    );
    expect(inTextSize("(prefers-reduced-motion: reduce)", 125)).toBe("(prefers-reduced-motion: reduce)");
  });
});
