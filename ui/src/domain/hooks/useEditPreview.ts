/** What an edit would write, and its problems, while it is still being made. */
import { useEffect, useState } from "react";
import { asFault, call, type Fault, type Params } from "@/ipc";
import type { EditDone } from "./afterEdit";

const REST_MS = 250;

export interface RestedPreview {
  doc: EditDone | null;
  fault: Fault | null;
  /** Whether what is known is about an older form. */
  waiting: boolean;
}

/** Asks once the request rests; null asks for nothing. */
export function useEditPreview<M extends "edit.add" | "edit.change" | "samples.add" | "agents.connect">(
  method: M,
  request: Params<M> | null,
): RestedPreview {
  const key = request === null ? null : JSON.stringify(request);
  const [found, setFound] = useState<{ key: string; doc: EditDone | null; fault: Fault | null } | null>(null);
  useEffect(() => {
    if (key === null) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call(method, { ...(JSON.parse(key) as Params<M>), dry_run: true }, stop.signal).then(
        (doc) => {
          if (!stop.signal.aborted) setFound({ key, doc, fault: null });
        },
        (thrown) => {
          if (!stop.signal.aborted) setFound({ key, doc: null, fault: asFault(thrown) });
        },
      );
    }, REST_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [method, key]);
  const last = key === null ? null : found;
  return { doc: last?.doc ?? null, fault: last?.fault ?? null, waiting: key !== null && last?.key !== key };
}
