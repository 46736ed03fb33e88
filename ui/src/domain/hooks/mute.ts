import { toast } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { type HookRow, useCommand } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";

export const HALF_HOUR_MS = 30 * 60_000;

/** Mutes a hook for a time (`null` is for good), or lifts its mute (`off`). At once, with Undo for 6 s. */
export function useMute(project: string | null): (hook: HookRow, forMs: number | null | "off") => void {
  const dialects = useDialects();
  const fail = { onError: toastFault };
  const mute = useCommand("mute", { stale: ["hooks"], ...fail });
  const unmute = useCommand("unmute", { stale: ["hooks"], ...fail });
  return (hook, forMs) => {
    if (project === null) return;
    const name = oneLine(hook.label, 60);
    const agent = agentName(dialects, hook.dialect);
    const to = { project, hook: hook.hook };
    const lift = () => unmute.mutate(to);
    // Undo puts back what was there: no mute, a mute for good, or the rest of a timed one.
    const left = hook.muted_until === null ? undefined : Date.parse(hook.muted_until) - Date.now();
    const undo = hook.muted ? () => mute.mutate({ ...to, for_ms: left }) : lift;
    if (forMs === "off") {
      unmute.mutate(to, {
        onSuccess: () =>
          toast(t(hook.trusted ? "shell.unmuted" : "shell.unmutedInReview", { hook: name }), {
            label: t("undo"),
            run: undo,
          }),
      });
      return;
    }
    mute.mutate(
      { ...to, for_ms: forMs ?? undefined },
      {
        onSuccess: () => toast(t("shell.muted", { hook: name, agent }), { label: t("undo"), run: undo }),
      },
    );
  };
}
