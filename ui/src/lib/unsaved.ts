/** The files with unsaved text, by absolute path. Whoever has such a text says so here; the shell asks before it ends. */
import { create } from "zustand";

export const useUnsaved = create<{ files: readonly string[] }>()(() => ({ files: [] }));

export function setUnsaved(files: readonly string[]): void {
  const { files: before } = useUnsaved.getState();
  // Each key stroke asks; only another list is news.
  if (before.join("\n") !== files.join("\n")) useUnsaved.setState({ files });
}
