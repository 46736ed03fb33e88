/** The engine's unified diff of an edit, as texts that can be shown side by side. */

export interface DiffHunk {
  before: string;
  after: string;
  /** The number of the first line on each side, from 1. */
  oldStart: number;
  newStart: number;
}

export interface DiffFile {
  path: string;
  /** Whether a side is not text; then there are no hunks. */
  binary: boolean;
  /** Null for a file that is changed. */
  change: "created" | "removed" | null;
  /** The permissions before and after, if they change. */
  mode: [from: string, to: string] | null;
  hunks: DiffHunk[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NOWHERE = "/dev/null";

/** A hunk beginning at its `@@` line; `at` becomes the line after it. */
function readHunk(lines: readonly string[], at: number, header: RegExpExecArray): { hunk: DiffHunk; at: number } {
  const before: string[] = [];
  const after: string[] = [];
  let oldLeft = Number(header[2] ?? 1);
  let newLeft = Number(header[4] ?? 1);
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    const text = line.slice(1);
    if (line.startsWith("\\")) {
      // Of the line before: the file ends without a line feed.
      const previous = lines[next - 1] ?? "";
      if (!previous.startsWith("+")) before.push(line);
      if (!previous.startsWith("-")) after.push(line);
      continue;
    }
    if (oldLeft <= 0 && newLeft <= 0) break;
    if (!line.startsWith("+")) {
      before.push(text);
      oldLeft -= 1;
    }
    if (!line.startsWith("-")) {
      after.push(text);
      newLeft -= 1;
    }
  }
  const oldStart = Math.max(1, Number(header[1]));
  const newStart = Math.max(1, Number(header[3]));
  return { hunk: { before: toText(before), after: toText(after), oldStart, newStart }, at: next };
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Without the carriage returns, if every line has one: they do not differ then. */
function withoutCommonReturns(hunk: DiffHunk): DiffHunk {
  const all = [hunk.before, hunk.after].flatMap((side) => side.split("\n").slice(0, -1));
  if (!all.every((line) => line.endsWith("\r"))) return hunk;
  return { ...hunk, before: hunk.before.replaceAll("\r\n", "\n"), after: hunk.after.replaceAll("\r\n", "\n") };
}

/** `Binary files A and B differ`: the same path twice, or nowhere on one side. */
function readBinary(line: string): DiffFile | null {
  const names = /^Binary files (.*) differ$/.exec(line)?.[1];
  if (names === undefined) return null;
  const [before, after] = [`${NOWHERE} and `, ` and ${NOWHERE}`];
  const isNew = names.startsWith(before);
  const isGone = !isNew && names.endsWith(after);
  const path = isNew
    ? names.slice(before.length)
    : isGone
      ? names.slice(0, -after.length)
      : names.slice(0, (names.length - " and ".length) / 2);
  return { path, binary: true, change: isNew ? "created" : isGone ? "removed" : null, mode: null, hunks: [] };
}

/** `old mode 0644` and `new mode 0755`, below the name of the file. */
function readMode(lines: readonly string[], at: number): DiffFile["mode"] {
  const from = /^old mode (\d+)$/.exec(lines[at] ?? "")?.[1];
  const to = /^new mode (\d+)$/.exec(lines[at + 1] ?? "")?.[1];
  return from === undefined || to === undefined ? null : [from, to];
}

export function parseUnifiedDiff(diff: string): DiffFile[] {
  const lines = diff.split("\n");
  const files: DiffFile[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    const header = HUNK.exec(line);
    const file = files.at(-1);
    if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      const [was, is] = [line.slice(4), next.slice(4)];
      const change = was === NOWHERE ? "created" : is === NOWHERE ? "removed" : null;
      const path = change === "created" ? is : was;
      const mode = readMode(lines, at + 2);
      const last = files.at(-1);
      // The text of a file follows the change of its mode.
      if (last?.path !== path || last.mode === null) files.push({ path, binary: false, change, mode, hunks: [] });
      at += 2;
    } else if (header !== null && file !== undefined) {
      const read = readHunk(lines, at, header);
      file.hunks.push(withoutCommonReturns(read.hunk));
      at = read.at;
    } else {
      const binary = readBinary(line);
      if (binary !== null) files.push(binary);
      at += 1;
    }
  }
  return files;
}
