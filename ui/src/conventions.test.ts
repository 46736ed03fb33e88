/** Rules of the house that a reader would otherwise have to watch over. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
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
    const sheets = files(source, /\.css$/).filter((path) => !path.endsWith("tokens.css"));
    const raw = /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i;
    expect(offenders([...files(source, /\.tsx?$/), ...sheets], raw)).toEqual([]);
  });

  it("shows what others wrote as text, never as markup", () => {
    expect(offenders(files(source, /\.tsx?$/), /dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML/)).toEqual([]);
  });

  it("explains by its own tooltip, which the keyboard reaches too, never by the browser's", () => {
    expect(offenders(files(source, /\.tsx$/), /<[a-z][\w.]*\s(?:[^<>]|=>)*?\btitle=/)).toEqual([]);
  });

  it("fetches nothing from elsewhere", () => {
    const remote = /(?:src|href|url\()\s*=?\s*["'(]?https?:\/\//;
    expect(offenders([...files(source, /\.(tsx?|css)$/)], remote)).toEqual([]);
  });

  it("knows its keys in one file", () => {
    const own = /^(commands|sections)\.ts$|^lib\/keys\.ts$/;
    const keys = /<kbd[^>]*>\w|bindKeys\(|\bkeys=["{]/;
    const found = offenders(files(source, /\.tsx?$/), keys).filter((path) => !own.test(path));
    expect(found).toEqual(["lib/actions.ts"]);
  });

  it("keeps files short enough to read", () => {
    const long = files(source, /\.tsx?$/).filter((path) => readFileSync(path, "utf8").split("\n").length > 420);
    expect(long.map((path) => path.slice(source.length + 1))).toEqual([]);
  });
});

/** Properties that name events in a published schema, and those whose values do. */
const EVENT_LISTS = /^(?:trigger|timing|observe|intercept)$/;

/** The ids of hook systems, and names of their events; a name that is also a common word is left out. */
function systemNames(): string[] {
  const folder = join(process.cwd(), "../docs/schema/definitions");
  const schemas = files(folder, /^[a-z-]+\.json$/);
  const found = new Set(schemas.map((path) => basename(path, ".json")));
  const read = (node: unknown, name: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (value?.$ref === "#/$defs/event") found.add(key);
      if (key === "enum" && EVENT_LISTS.test(name)) for (const event of value) found.add(event);
      read(value, key === "items" ? name : key);
    }
  };
  for (const path of schemas) read(JSON.parse(readFileSync(path, "utf8")), "");
  return [...found].filter((name) => /[a-z][._-][a-z]|[a-z][A-Z]/.test(name) || /^(?:jcli|qoder|picoclaw)$/.test(name));
}

describe("hook systems", () => {
  it("are not named: the engine sends what the window needs of them", () => {
    const names = systemNames();
    expect(names).toEqual(expect.arrayContaining(["jcli", "PreToolUse", "before_tool", "agent.turn.start"]));
    // As a text, or as the key of an object.
    const named = new RegExp(`["'\`](?:${names.join("|")})["'\`]|^ *(?:${names.join("|")}):`, "m");
    expect(offenders(files(source, /\.tsx?$/), named)).toEqual([]);
  });
});

/** Words of up to three letters that a class may be called. */
const SHORT_WORDS = new Set(["row", "nav", "on", "off", "dim", "pad", "bad", "end"]);

const sheets = files(source, /\.css$/).filter((path) => !/(?:tokens|fonts|tailwind)\.css$/.test(path));
const classes = new Map(
  sheets.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\.([a-zA-Z][\w-]*)(?=[^{}]*\{)/g)].map(([, name = ""]) => [name, path]),
  ),
);

describe("the style sheets", () => {
  it("call their classes by words", () => {
    const short = [...classes.keys()].filter((name) => name.length <= 3 && !SHORT_WORDS.has(name));
    expect(short).toEqual([]);
  });

  it("have no class that nothing is drawn with", () => {
    const text = files(source, /\.tsx?$/)
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
    // Made from an outcome, a depth, a side or a host's own name.
    const made = /^(glyph|outcome|fill|level|drop)-|^cm-/;
    const unused = [...classes].filter(
      ([name]) => !made.test(name) && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text),
    );
    expect(unused).toEqual([]);
  });

  it("lie in the layer of their folder, so that no sheet depends on when it is loaded", () => {
    const loose = sheets.filter((path) => {
      const [folder = ""] = relative(source, path).split("/");
      const layer = folder === "theme" ? "base" : folder;
      return !new RegExp(`^(@layer ${layer} |@import)`).test(readFileSync(path, "utf8"));
    });
    expect(loose).toEqual([]);
  });
});

/** What each folder of `src` may import, its own files aside. */
const LAYERS: Record<string, readonly string[]> = {
  lib: ["commands"],
  ipc: ["i18n", "lib"],
  i18n: ["lib"],
  theme: ["ipc", "lib"],
  components: ["commands", "i18n", "ipc", "lib"],
  domain: ["routes/router", "routes/search", "commands", "sections", "components", "live", "i18n", "ipc", "lib"],
  live: ["ipc", "lib"],
  features: [
    "routes/router",
    "routes/search",
    "commands",
    "sections",
    "domain",
    "components",
    "live",
    "i18n",
    "ipc",
    "lib",
  ],
  shell: ["routes/router", "commands", "sections", "domain", "components", "live", "i18n", "ipc", "lib", "theme"],
};

function importsOf(path: string): string[] {
  const text = readFileSync(path, "utf8").replace(/^import type .*$/gm, "");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([@.][^"]+)"/g)].map(([, spec = ""]) =>
    spec.startsWith("@/") ? spec.slice(2) : relative(source, join(dirname(path), spec)),
  );
}

describe("the folders", () => {
  it("import only what lies below them", () => {
    const wrong: string[] = [];
    for (const [folder, below] of Object.entries(LAYERS)) {
      for (const path of files(join(source, folder), /\.tsx?$/)) {
        // A feature is a folder of its own.
        const own = relative(source, path)
          .split("/")
          .slice(0, folder === "features" ? 2 : 1)
          .join("/");
        const allowed = [own, ...below];
        const outside = importsOf(path).filter((to) => !allowed.some((one) => to === one || to.startsWith(`${one}/`)));
        wrong.push(...outside.map((to) => `${relative(source, path)} imports ${to}`));
      }
    }
    expect(wrong).toEqual([]);
  });

  it("are all among those that have a rule", () => {
    const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const ruled = [...Object.keys(LAYERS), "routes", "testing"];
    expect(folders.map(({ name }) => name).filter((name) => !ruled.includes(name))).toEqual([]);
  });
});
