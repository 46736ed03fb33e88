/** The way from a recorded event to a hook: a guard against it, or where none can block it, a hook for its event. */
import { Plus, ShieldPlus } from "lucide-react";
import { Button } from "@/components";
import { t } from "@/i18n";
import type { Trace } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { canBlock } from "./canBlock";
import { recordedOf, useNewHook } from "./newHook";

export function GuardButton({ trace }: { trace: Trace }) {
  const ask = useNewHook((store) => store.ask);
  const info = useEventInfo(trace.dialect, trace.event);
  const guards = canBlock(info) && !trace.bodies_removed_days;
  const { dialect, event } = trace;
  const begin = info === undefined ? null : () => ask(guards ? { recorded: recordedOf(trace) } : { dialect, event });
  useScreenActions({ "trace.guard": begin });
  if (begin === null) return null;
  return (
    <Button size="small" icon={guards ? ShieldPlus : Plus} action="trace.guard" onClick={begin}>
      {t(guards ? "newHook.guardAgainst" : "newHook.askHere")}
    </Button>
  );
}
