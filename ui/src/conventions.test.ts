/** Rules of the house that a reader would otherwise have to watch over. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

function files(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "testing" || entry.name === "gen" ? [] : files(path, ending);
    return ending.test(entry.name) && !/\.test\./.test(entry.name) ? [path] : [];
  });
}

const source = join(process.cwd(), "src");

function offenders(list: string[], pattern: RegExp): string[] {
  return list.filter((path) => pattern.test(readFileSync(path, "utf8"))).map((path) => path.slice(source.length + 1));
}

describe("the interface", () => {
  it("takes every colour from the tokens", () => {
    const sheets = files(join(source, "theme"), /\.css$/).filter((path) => !path.endsWith("tokens.css"));
    const raw = /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i;
    expect(offenders([...files(source, /\.tsx?$/), ...sheets], raw)).toEqual([]);
  });

  it("shows what others wrote as text, never as markup", () => {
    expect(offenders(files(source, /\.tsx?$/), /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML/)).toEqual([]);
  });

  it("fetches nothing from elsewhere", () => {
    const remote = /(?:src|href|url\()\s*=?\s*["'(]?https?:\/\//;
    expect(offenders([...files(source, /\.(tsx?|css)$/)], remote)).toEqual([]);
  });

  it("keeps files short enough to read", () => {
    const long = files(source, /\.tsx?$/).filter((path) => readFileSync(path, "utf8").split("\n").length > 420);
    expect(long.map((path) => path.slice(source.length + 1))).toEqual([]);
  });
});
