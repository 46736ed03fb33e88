/** "Always for this agent": allows a program to register commands without a review, after it was said what that means. */
import { Bot } from "lucide-react";
import { useState } from "react";
import { Button, Confirm, Facts, InlineCode, toast } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { type AgentProgram, useCommand } from "@/ipc";
import { useAgentName } from "@/ipc/dialects";
import { capitalizeFirst, escapeInvisible, oneLine } from "@/lib/escape";
import { useNavigate } from "@/routes/router";
import { NAME_CHARACTERS, programOf } from "./agentPrograms";

/** A button has no room for more. What it asks says the whole name. */
const BUTTON_CHARACTERS = 24;

interface AlwaysAllowProps {
  program: AgentProgram;
  /** The project whose hooks are on screen. The approval is for every project. */
  project: string;
  size?: "default" | "small";
}

export function AlwaysAllow({ program, project, size = "default" }: AlwaysAllowProps) {
  const go = useNavigate();
  const [asks, setAsks] = useState(false);
  const name = oneLine(program.name, NAME_CHARACTERS);
  const short = oneLine(program.name, BUTTON_CHARACTERS);
  const { refused } = program;
  const allow = useCommand("trust.approve", {
    stale: ["trust", "hooks", "state", "agents"],
    onSuccess: () => {
      setAsks(false);
      const show = () => go({ to: "/trust", search: { tab: "approved" } });
      toast(t("programs.allowed", { name }), { label: t("programs.show"), run: () => void show() });
    },
    onError: (fault) => {
      setAsks(false);
      toastFault(fault);
    },
  });
  return (
    <>
      <Button
        size={size}
        icon={Bot}
        aria-label={t("programs.alwaysLabel", { name })}
        busy={allow.isPending}
        disabledBecause={refused !== null && capitalizeFirst(say(refused, refused.why))}
        onClick={() => setAsks(true)}
      >
        {t("programs.always", { name: short })}
      </Button>
      <Confirm
        open={asks}
        icon={Bot}
        title={t("programs.title", { name })}
        safeLabel={t("programs.keep")}
        doLabel={t("programs.confirm", { name: short })}
        busy={allow.isPending}
        onClose={() => setAsks(false)}
        onDo={() => allow.mutate({ project, hook: program.id, fingerprint: program.fingerprint })}
      >
        <ProgramFacts program={program} />
        <ul className="my-3 pl-4 [list-style:disc] wrap-anywhere [&>li+li]:mt-1">
          {program.first.map((one) => (
            <li key={one.why}>
              <InlineCode text={capitalizeFirst(say(one, one.why))} />
            </li>
          ))}
        </ul>
        <p>{t("programs.waiting")}</p>
      </Confirm>
    </>
  );
}

/** What the approval is bound to. */
function ProgramFacts({ program }: { program: AgentProgram }) {
  const { dialect } = programOf(program.id);
  const agent = useAgentName(dialect);
  return (
    <Facts
      rows={[
        [t("programs.name"), escapeInvisible(program.name), "mono wrap"],
        [t("programs.dialect"), agent],
        [t("programs.program"), escapeInvisible(program.program), "mono wrap"],
      ]}
    />
  );
}
