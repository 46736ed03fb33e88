/** What an edit changed as the engine tells it file by file, from its unified diff. */
import type { DiffHunk, FileDiff } from "@/ipc/types";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const NOWHERE = "/dev/null";

/** Of a diff whose lines do not look like its heads. */
export function changesOf(diff: string): FileDiff[] {
  const files: FileDiff[] = [];
  let hunk: DiffHunk | undefined;
  const lines = diff.split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const head = HUNK.exec(line);
    if (line.startsWith("--- ")) {
      const [was, is] = [line.slice(4), (lines[index + 1] ?? "").slice(4)];
      const change = was === NOWHERE ? "created" : is === NOWHERE ? "removed" : null;
      files.push({ path: change === "created" ? is : was, change, mode: null, binary: false, hunks: [] });
      hunk = undefined;
    } else if (line.startsWith("old mode ")) {
      const file = files.at(-1);
      if (file) file.mode = { from: line.slice(9), to: (lines[index + 1] ?? "").slice(9) };
    } else if (head !== null) {
      hunk = { old_start: Number(head[1]), new_start: Number(head[2]), before: "", after: "" };
      files.at(-1)?.hunks.push(hunk);
    } else if (hunk !== undefined && !line.startsWith("+++ ")) {
      if (!line.startsWith("+")) hunk.before += `${line.slice(1)}\n`;
      if (!line.startsWith("-")) hunk.after += `${line.slice(1)}\n`;
    }
  }
  return files;
}
