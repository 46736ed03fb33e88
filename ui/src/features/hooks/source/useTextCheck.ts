/** What an unsaved text would define, and its problems, while it is typed. */
import { useEffect, useState } from "react";
import { asFault, call, type Fault, type Reply } from "@/ipc";
import { type Draft, fileText } from "./drafts";

/** The text has to rest this long before it is checked. */
const REST_MS = 150;

export interface TextCheck {
  /** The latest reply; null before the first one. */
  doc: Reply<"edit.check"> | null;
  fault: Fault | null;
  /** Whether the reply is about an older text. */
  waiting: boolean;
}

/** `owner` is the hook that names a script, `disk` is the hash of the file as the window knows it: another one is checked again. */
export function useTextCheck(draft: Draft, owner: string | null, disk: string | null): TextCheck {
  const { project, path, dialect, base } = draft;
  const text = fileText(draft);
  const [found, setFound] = useState<{ text: string; doc: Reply<"edit.check"> | null; fault: Fault | null } | null>(
    null,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file that changed is compared again
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call("edit.check", { project, path, dialect, hook: owner, text, base }, stop.signal).then(
        (doc) => {
          if (!stop.signal.aborted) setFound({ text, doc, fault: null });
        },
        (thrown) => {
          if (!stop.signal.aborted) setFound((before) => ({ text, doc: before?.doc ?? null, fault: asFault(thrown) }));
        },
      );
    }, REST_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [project, path, dialect, owner, text, base, disk]);
  return { doc: found?.doc ?? null, fault: found?.fault ?? null, waiting: found?.text !== text };
}
