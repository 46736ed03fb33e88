/** The right side: what needs the user, and the agents. */
import type { AgentRow, HookRow, State } from "@/ipc";
import { AgentList } from "./AgentList";
import { NeedsYou } from "./NeedsYou";
import type { Need } from "./needs";

interface SideProps {
  /** Null until they are known. */
  needs: readonly Need[] | null;
  hooks: readonly HookRow[];
  /** Undefined until they are known. */
  agents: readonly AgentRow[] | undefined;
  project: string;
  state: State | undefined;
}

export default function Side({ needs, hooks, agents, project, state }: SideProps) {
  return (
    <>
      {needs === null || state === undefined ? null : (
        <NeedsYou needs={needs} hooks={hooks} project={project} state={state} />
      )}
      {agents === undefined ? null : <AgentList agents={agents} />}
    </>
  );
}
