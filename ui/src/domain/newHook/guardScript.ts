/**
 * What the script of a guard compares a value with, and how. The engine writes a script that compares for equality
 * (`crates/dialects/src/guard`); the text is the only place that says what is compared, so that it can be edited too.
 */

/** How a value is compared. */
export const TESTS = ["is", "contains", "begins", "pattern"] as const;
export type Test = (typeof TESTS)[number];

export interface Rule {
  test: Test;
  value: string;
}

const VALUE_LINE = /^BLOCKED = (".*")$/m;
/** A field of a payload may have any type; only of a text can a part be compared. */
const PART = String.raw`isinstance\((found(?: := value_at\(params, FIELD\))?), str\) and `;
const READ: Record<Test, RegExp> = {
  is: /(found|value_at\(params, FIELD\)) == BLOCKED/,
  contains: new RegExp(`${PART}BLOCKED in found`),
  begins: new RegExp(String.raw`${PART}found\.startswith\(BLOCKED\)`),
  pattern: new RegExp(String.raw`${PART}re\.search\(BLOCKED, found\)`),
};
const WRITE: Record<Exclude<Test, "is">, string> = {
  contains: "BLOCKED in found",
  begins: "found.startswith(BLOCKED)",
  pattern: "re.search(BLOCKED, found)",
};
/** What the comment of the script says. */
const SAID: Record<Test, string> = {
  is: "is the value below",
  contains: "contains the value below",
  begins: "begins with the value below",
  pattern: "matches the pattern below",
};

/** The rule of a script; null for one that compares in another way, and for a value that is no text. */
export function ruleOf(script: string): Rule | null {
  const line = VALUE_LINE.exec(script)?.[1];
  const test = TESTS.find((one) => READ[one].test(script));
  const value = line === undefined ? null : textOf(line);
  return test === undefined || value === null ? null : { test, value };
}

/** The script with another rule. It has to have one. */
export function withRule(script: string, { test, value }: Rule): string {
  const before = ruleOf(script)?.test ?? "is";
  const found = READ[before].exec(script)?.[1] ?? "found";
  const read = found.replace("found := ", "");
  const subject = read === "found" ? read : `found := ${read}`;
  const compared = test === "is" ? `${read} == BLOCKED` : `isinstance(${subject}, str) and ${WRITE[test]}`;
  const changed = script
    .replace(READ[before], () => compared)
    .replace(VALUE_LINE, () => `BLOCKED = ${literalOf(value)}`)
    .replace(SAID[before], SAID[test]);
  return withModule(changed);
}

/** With the module of patterns only where it is used. */
function withModule(script: string): string {
  const without = script.replace(/^import re\n/m, "");
  return /\bre\./.test(without) ? without.replace(/^import json\n/m, "import json\nimport re\n") : without;
}

/** A pattern that finds exactly this text. */
export function patternOf(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/** The text that such a pattern finds. */
export function plainOf(pattern: string): string {
  return pattern.replace(/\\([\\^$.|?*+()[\]{}])/g, "$1");
}

const MAX_CODE_POINT = 0x10ffff;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** What a string of Python says; null for one with escapes that the engine does not write. */
function textOf(literal: string): string | null {
  let isKnown = true;
  const text = literal.slice(1, -1).replace(/\\U([0-9a-f]{8})|\\(.)/g, (_, code?: string, sign = "") => {
    const point = code === undefined ? 0 : Number.parseInt(code, 16);
    isKnown &&= code === undefined ? sign in ESCAPES : point <= MAX_CODE_POINT;
    if (code !== undefined) return isKnown ? String.fromCodePoint(point) : "";
    return ESCAPES[sign] ?? "";
  });
  return isKnown ? text : null;
}

/** A string of Python on one line, as the engine writes it: only letters and digits beyond ASCII are not escaped. */
function literalOf(text: string): string {
  const signs = [...text].map((sign) => {
    const short = Object.keys(ESCAPES).find((name) => ESCAPES[name] === sign);
    if (short !== undefined) return `\\${short}`;
    if (/^[ -~\p{L}\p{N}]$/u.test(sign)) return sign;
    return `\\U${(sign.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;
  });
  return `"${signs.join("")}"`;
}

/** The name that the engine gave to a guard's script: of the tool or event, with a digest of the value. */
const NAME = /guard[-_][a-z0-9_-]+?[-_][0-9a-f]{8}(?![a-z0-9_-])/;

/** The name in the path of a script; null where there is none. */
export function nameIn(path: string): string | null {
  return NAME.exec(path)?.[0] ?? null;
}

/** Whether a name can be that of a file and of a hook everywhere. */
export function isName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);
}

/** A path or definition with another name than the engine's. */
export function renamed<T>(value: T, from: string | null, to: string): T {
  return from === null ? value : (JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T);
}

/** A process says its name itself. */
export function withName(script: string, name: string): string {
  return script.replace(/^NAME = ".*"$/m, () => `NAME = "${name}"`);
}
