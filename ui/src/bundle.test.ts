/** What the page loads before the first screen is drawn. */
import { build, type Rolldown } from "vite";
import { beforeAll, describe, expect, it, vi } from "vitest";

/** kB of minified JavaScript: entry, first screen and the texts of one language. React is half of it. */
const FIRST_SCREEN_KB = 450;

const chunks = new Map<string, Rolldown.OutputChunk>();

beforeAll(async () => {
  // What is built for a test of React is several times as large.
  vi.stubEnv("NODE_ENV", "production");
  const built = (await build({ logLevel: "silent", build: { write: false } })) as Rolldown.RolldownOutput;
  vi.unstubAllEnvs();
  for (const file of built.output) if (file.type === "chunk") chunks.set(file.fileName, file);
}, 120_000);

/** A chunk and all that it imports at once. */
function withImports(name: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks.get(name);
  if (chunk === undefined || seen.has(name)) return seen;
  seen.add(name);
  for (const next of chunk.imports) withImports(next, seen);
  return seen;
}

function fileOf(module: string): string {
  const found = [...chunks.values()].find((chunk) => chunk.facadeModuleId?.endsWith(module));
  if (found === undefined) throw new Error(`no chunk of ${module}`);
  return found.fileName;
}

function firstScreen(language: string): Set<string> {
  const seen = withImports([...chunks.values()].find((chunk) => chunk.isEntry)?.fileName ?? "");
  withImports(fileOf("src/features/overview/index.tsx"), seen);
  return withImports(fileOf(`src/i18n/${language}/index.ts`), seen);
}

const size = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + (chunks.get(name)?.code.length ?? 0), 0) / 1000;

describe("the first screen", () => {
  it("stays within its budget", () => {
    expect(size(firstScreen("en"))).toBeLessThanOrEqual(FIRST_SCREEN_KB);
  });

  it("has the texts of one language", () => {
    expect(firstScreen("en")).not.toContain(fileOf("src/i18n/zh-CN/index.ts"));
    expect([...firstScreen("en")].filter((name) => /messages/.test(name) && size([name]) > 20)).toEqual([]);
  });

  it("leaves out what is loaded when it is used", () => {
    const named = [...firstScreen("en")].map((name) => name.replace(/^assets\/|-[\w-]{8}\.js$/g, ""));
    const late = ["codemirror", "floating", "dialogs", "cmdk", "toasts", "diff", "charts", "window", "Palette"];
    expect(late.filter((name) => named.includes(name))).toEqual([]);
  });
});
