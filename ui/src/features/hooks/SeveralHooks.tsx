/** What can be done with several hooks at once: mute, turn off for their agents, review. */
import { BellOff, PowerOff, ShieldQuestionMark, X } from "lucide-react";
import { Button, toast } from "@/components";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { HALF_HOUR_MS } from "@/domain/hooks/mute";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { type HookRow, useCommand } from "@/ipc";
import { useNavigate } from "@/routes/router";

interface SeveralHooksProps {
  hooks: readonly HookRow[];
  project: string;
  onDone: () => void;
}

export function SeveralHooks({ hooks, project, onDone }: SeveralHooksProps) {
  const navigate = useNavigate();
  const mute = useCommand("mute", { stale: ["hooks"] }).mutateAsync;
  const unmute = useCommand("unmute", { stale: ["hooks"] }).mutateAsync;
  const turnOff = useCommand("hook.turn_off", { stale: STALE_BY_EDIT }).mutateAsync;
  const undo = useCommand("edit.undo", { stale: STALE_BY_EDIT }).mutateAsync;
  const waiting = hooks.filter((hook) => !hook.trusted);
  const count = hooks.length;
  const run = (act: () => Promise<void>) => void act().then(onDone, toastFault);
  const muteAll = async () => {
    const to = hooks.filter((hook) => !hook.muted).map(({ hook }) => ({ project, hook }));
    await Promise.all(to.map((one) => mute({ ...one, for_ms: HALF_HOUR_MS })));
    const back = () => run(async () => void (await Promise.all(to.map((one) => unmute(one)))));
    toast(t("hooks.several.muted", { count: to.length }), { label: t("undo"), run: back });
  };
  const turnAllOff = async () => {
    const edits: string[] = [];
    let changed = 0;
    const tell = () => {
      const back = () =>
        run(async () => {
          for (const edit of edits) await undo({ project, undo: edit });
        });
      if (changed > 0) toast(t("hooks.several.turnedOff", { count: changed }), { label: t("undo"), run: back });
    };
    try {
      // From the end of each file, since a hook that is gone renumbers those below it.
      for (const { hook, version } of [...hooks].sort((a, b) => b.line - a.line)) {
        const done = await turnOff({ project, hook, version });
        changed += 1;
        if (done.undo !== null) edits.unshift(done.undo);
      }
    } catch (refused) {
      // Those before the one that is refused can be undone all the same.
      tell();
      throw refused;
    }
    tell();
  };
  return (
    <div
      role="toolbar"
      aria-label={t("hooks.several.label")}
      className="row h-bar px-3 border-t border-line-2 flex-none"
    >
      <b className="medium grow trunc">{t("hooks.several.count", { count })}</b>
      {waiting.length > 0 ? (
        <Button
          icon={ShieldQuestionMark}
          onClick={() => navigate({ to: "/trust", search: { hook: waiting[0]?.hook } })}
        >
          {t("hooks.several.review", { count: waiting.length })}
        </Button>
      ) : null}
      <Button icon={BellOff} onClick={() => run(muteAll)}>
        {t("hooks.several.mute")}
      </Button>
      <Button icon={PowerOff} onClick={() => run(turnAllOff)}>
        {t("hooks.several.turnOff")}
      </Button>
      <Button kind="ghost" size="small" icon={X} label={t("hooks.several.clear")} onClick={onDone} />
    </div>
  );
}
