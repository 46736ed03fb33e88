/** The way from a recorded event to a hook: a guard against it, or where none can block it, a hook for its event. */
import { Plus, ShieldPlus } from "lucide-react";
import type { MenuItem } from "@/components";
import { t } from "@/i18n";
import type { Trace } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { canBlock } from "./canBlock";
import { recordedOf, useNewHook } from "./newHook";

/** Nothing for an event that the tables do not know. */
export function useGuardAction(trace: Trace): MenuItem[] {
  const ask = useNewHook((store) => store.ask);
  const info = useEventInfo(trace.dialect, trace.event);
  const guards = canBlock(info) && !trace.bodies_removed_days;
  const { dialect, event } = trace;
  const begin = info === undefined ? null : () => ask(guards ? { recorded: recordedOf(trace) } : { dialect, event });
  useScreenActions({ "trace.guard": begin });
  if (begin === null) return [];
  const label = t(guards ? "newHook.guardAgainst" : "newHook.askHere");
  return [{ label, icon: guards ? ShieldPlus : Plus, action: "trace.guard", run: begin }];
}
