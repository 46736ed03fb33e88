/** Quitting the desktop program while there is unsaved text: it asks the page, and the page asks the user. */
import { transport } from "./transport";

const REQUESTED = "quit-requested";

/** Tells the program how many files have unsaved text. It also tells it that the page responds. */
export async function tellUnsaved(files: number): Promise<void> {
  await transport().send("window.unsaved", { files });
}

export async function quit(): Promise<void> {
  await transport().send("window.quit", {});
}

/** Calls back when the user wants to quit, until the returned function is called. */
export function onQuitRequest(ask: () => void): () => void {
  let isOver = false;
  let stop: (() => void) | undefined;
  void import("@tauri-apps/api/event").then(async ({ listen }) => {
    stop = await listen(REQUESTED, ask);
    if (isOver) stop();
  });
  return () => {
    isOver = true;
    stop?.();
  };
}
