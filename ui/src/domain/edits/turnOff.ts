/** Turning a hook off for its agent. */
import type { EditDone } from "@/domain/hooks/afterEdit";
import { labelOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import { type HookRow, useCommand } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { toastFault } from "../refused";
import { STALE_BY_EDIT } from "./undo";

export interface TurningOff {
  /** Takes the definition out of its file, and the engine keeps it; or sets the field of the dialect for it. */
  run: (hook: HookRow) => void;
  busy: boolean;
}

/** `onDone` hears what a toast says, and what Undo calls the edit. */
export function useTurnOff(
  project: string,
  onDone: (hook: HookRow, doc: EditDone, said: string, what: string) => void,
): TurningOff {
  const dialects = useDialects();
  const turning = useCommand("hook.turn_off", { stale: STALE_BY_EDIT, onError: toastFault });
  const run = (hook: HookRow) =>
    turning.mutate(
      { project, hook: hook.hook, version: hook.version },
      {
        onSuccess: ({ notices, ...doc }) => {
          const name = labelOf(hook);
          const agent = agentName(dialects, hook.dialect);
          const said =
            doc.turned_off === undefined
              ? t("hooks.edit.turnedOff", { hook: name })
              : t("turnedOff.did", { hook: name, agent });
          // The toast says it; the notice would say it again, for the command line.
          const others = notices?.filter(({ code }) => code !== "turned_off_kept");
          onDone(hook, { ...doc, notices: others }, said, t("edits.did.turnOff", { name }));
        },
      },
    );
  return { run, busy: turning.isPending };
}
