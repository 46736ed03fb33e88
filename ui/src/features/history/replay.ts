/** Firing a recorded payload again, at the hooks as they are now. */

import { toast } from "@/components";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { type Trace, useCommand } from "@/ipc";

export interface Replay {
  run: (trace: Trace) => void;
  busy: boolean;
}

/** `onDone` hears the id of the new trace. */
export function useReplay(project: string, onDone: (trace: string) => void): Replay {
  const { t } = useTranslation();
  const say = useMessages();
  const { mutate, isPending } = useCommand("fire", {
    stale: ["history"],
    onSuccess: ({ trace }) => onDone(trace),
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  return {
    busy: isPending,
    run: (trace) => {
      if (isPending) return;
      if (trace.redacted) toast(t("history.replayMasked"), null, "warning");
      const { dialect, event, payload_before: payload } = trace;
      mutate({ run: crypto.randomUUID(), project: trace.project ?? project, dialect, event, payload });
    },
  };
}
