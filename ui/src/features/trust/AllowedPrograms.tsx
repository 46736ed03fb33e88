/** The agents that may register commands without a review, each with its way back. */
import { Bot, ShieldOff } from "lucide-react";
import { Button, DialectTag, Icon, toast } from "@/components";
import { toastFault } from "@/domain/refused";
import type { AllowedProgram } from "@/domain/trust/agentPrograms";
import { t } from "@/i18n";
import { useCommand } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";

interface AllowedProgramsProps {
  programs: readonly AllowedProgram[];
  project: string;
}

export function AllowedPrograms({ programs, project }: AllowedProgramsProps) {
  const revoke = useCommand("trust.revoke", {
    stale: ["trust", "hooks", "state", "agents"],
    onSuccess: (_, { hook }) => {
      const name = escapeInvisible(programs.find(({ id }) => id === hook)?.name ?? hook);
      toast(t("programs.revoked", { name }), null);
    },
    onError: toastFault,
  });
  if (programs.length === 0) return null;
  return (
    <section
      className="flex flex-col gap-2 flex-none max-h-[40%] overflow-auto p-3 border-t border-line-2 [.pane>&:first-child]:max-h-none [.pane>&:first-child]:border-t-0"
      aria-label={t("programs.listTitle")}
    >
      <div>
        <h3 className="text-small medium">{t("programs.listTitle")}</h3>
        <p className="text-tiny dim">{t("programs.listText")}</p>
      </div>
      <ul>
        {programs.map(({ id, dialect, name, paths }) => (
          <li key={id} className="flex flex-wrap items-start gap-1.5 py-1.5 [&>.grow]:basis-30">
            <Icon of={Bot} size={14} />
            <span className="grow">
              <span className="row">
                <DialectTag dialect={dialect} />
                <span className="medium wrap">{escapeInvisible(name)}</span>
              </span>
              {paths.map((path) => (
                <span key={path} className="mono text-tiny dim wrap block">
                  {escapeInvisible(path)}
                </span>
              ))}
            </span>
            <Button
              size="small"
              icon={ShieldOff}
              aria-label={t("programs.revokeLabel", { name: escapeInvisible(name) })}
              busy={revoke.isPending && revoke.variables.hook === id}
              onClick={() => revoke.mutate({ project, hook: id })}
            >
              {t("programs.revoke")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
