/** What adding a hook would write, and its problems, while the form is filled in. */
import { useEffect, useState } from "react";
import { asFault, call, type Fault, type Params, type Reply } from "@/ipc";

const REST_MS = 250;

export interface AddPreview {
  doc: Reply<"edit.add"> | null;
  fault: Fault | null;
  /** Whether what is known is about an older form. */
  waiting: boolean;
}

export function useAddPreview(request: Params<"edit.add"> | null): AddPreview {
  const key = request === null ? null : JSON.stringify(request);
  const [found, setFound] = useState<{ key: string; doc: Reply<"edit.add"> | null; fault: Fault | null } | null>(null);
  useEffect(() => {
    if (key === null) return undefined;
    let isOld = false;
    const timer = setTimeout(() => {
      call("edit.add", { ...(JSON.parse(key) as Params<"edit.add">), dry_run: true }).then(
        (doc) => {
          if (!isOld) setFound({ key, doc, fault: null });
        },
        (thrown) => {
          if (!isOld) setFound({ key, doc: null, fault: asFault(thrown) });
        },
      );
    }, REST_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [key]);
  return { doc: found?.doc ?? null, fault: found?.fault ?? null, waiting: found?.key !== key };
}
