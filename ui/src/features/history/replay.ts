/** Firing a recorded payload again, at the hooks as they are now. */

import { useEffect } from "react";
import { toast } from "@/components";
import { toastFault } from "@/domain/refused";
import { createRuns } from "@/domain/running/runs";
import { t } from "@/i18n";
import { call, type Trace } from "@/ipc";

export interface Replay {
  run: () => void;
  busy: boolean;
}

const MOST_KEPT = 40;
/** By the trace that is fired again; the id of the new one. */
const replays = createRuns<string>(MOST_KEPT);

/** `onDone` hears the id of the new trace: at once, or when the user comes back to the event that was fired again. */
export function useReplay(trace: Trace, project: string, onDone: (trace: string) => void): Replay {
  const { since, result, fault } = replays.useRun(trace.trace);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a replay came to is told once
  useEffect(() => {
    if (result === null && fault === null) return;
    replays.forget(trace.trace);
    if (result !== null) onDone(result);
    else toastFault(fault);
  }, [trace.trace, result, fault]);
  const { dialect, event, payload_before: payload } = trace;
  return {
    busy: since !== null,
    run: () => {
      if (since !== null) return;
      if (trace.redacted) toast(t("history.replayMasked"), null, "warning");
      replays.start(trace.trace, async (run) => {
        const fired = await call("fire", { run, project: trace.project ?? project, dialect, event, payload });
        return fired.trace;
      });
    },
  };
}
