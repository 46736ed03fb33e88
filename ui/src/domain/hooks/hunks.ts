/** The places of a file that an edit changes, as they are shown. */
import type { DiffHunk } from "@/ipc";

/** What stands for the line feed that a file does not end with. */
const NO_LINE_FEED = "\n\\ No newline at end of file\n";

export function shownSides({ before, after }: Pick<DiffHunk, "before" | "after">): { before: string; after: string } {
  // Carriage returns do not differ where every line has one.
  const all = [before, after].flatMap((side) => side.split("\n").slice(0, -1));
  const shown = (side: string) => {
    const ended = side === "" || side.endsWith("\n") ? side : `${side}${NO_LINE_FEED}`;
    return all.every((line) => line.endsWith("\r")) ? ended.replaceAll("\r\n", "\n") : ended;
  };
  return { before: shown(before), after: shown(after) };
}
