/** The files with unsaved text, by absolute path. A reload or the end of the program would lose it, so both ask first. */
import { create } from "zustand";

export const useUnsaved = create<{ files: readonly string[] }>()(() => ({ files: [] }));

export function setUnsaved(files: readonly string[]): void {
  const { files: before } = useUnsaved.getState();
  // Each key stroke asks; only another list is news.
  if (before.join("\n") === files.join("\n")) return;
  useUnsaved.setState({ files });
  if (files.length > 0) window.addEventListener("beforeunload", ask);
  else window.removeEventListener("beforeunload", ask);
}

/** A browser asks in words of its own. */
function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
