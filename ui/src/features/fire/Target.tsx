/** Where an event goes: to the engine, or to a connected agent too. Shown only where an agent offers it. */
import { Cpu } from "lucide-react";
import { useMemo } from "react";
import { Select } from "@/components";
import { t } from "@/i18n";
import { type AgentRow, useCall } from "@/ipc";
import { oneLine } from "@/lib/escape";

const ENGINE = "engine";

export interface FireTarget {
  /** The agents of the dialect that run test events. Those of the project on screen come first. */
  agents: readonly AgentRow[];
  /** The chosen one; null for the engine. */
  agent: AgentRow | null;
}

/** `session` is the one that was asked for. */
export function useTarget(dialect: string, project: string, session: string | null): FireTarget {
  const rows = useCall("agents.list", {}).data?.agents;
  return useMemo(() => {
    const offered = (rows ?? []).filter(
      (row) => row.dialect === dialect && row.connected && row.offers.includes("fire"),
    );
    const here = (row: AgentRow) => (row.cwd === project ? 0 : 1);
    const agents = offered.sort((a, b) => here(a) - here(b));
    return { agents, agent: agents.find((row) => row.session === session) ?? null };
  }, [rows, dialect, project, session]);
}

interface TargetProps {
  target: FireTarget;
  onChange: (session: string | null) => void;
}

export function Target({ target: { agents, agent }, onChange }: TargetProps) {
  if (agents.length === 0) return null;
  return (
    <>
      <span className="field-label">{t("fire.target")}</span>
      <Select
        label={t("fire.target")}
        icon={Cpu}
        value={agent?.session ?? ENGINE}
        onChange={(value) => onChange(value === ENGINE ? null : value)}
        options={[
          { value: ENGINE, label: t("fire.embedded") },
          ...agents.map((row) => ({
            value: row.session,
            label: oneLine(row.agent.name, 40),
            about: oneLine(row.session, 40),
          })),
        ]}
      />
      {agent === null ? null : (
        <p className="text-tiny dim">{t("fire.atAgent", { agent: oneLine(agent.agent.name, 40) })}</p>
      )}
    </>
  );
}
