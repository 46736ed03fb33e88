/** The right side: what needs the user, and the agents. */
import type { AgentRow, HooksDocument, StatusDoc } from "@/ipc";
import { AgentList } from "./AgentList";
import { NeedsYou } from "./NeedsYou";

interface SideProps {
  /** Undefined until they are known. */
  status: StatusDoc | undefined;
  document: HooksDocument | undefined;
  agents: readonly AgentRow[] | undefined;
  project: string;
}

export default function Side({ status, document, agents, project }: SideProps) {
  return (
    <>
      {status === undefined ? null : <NeedsYou needs={status.needs} document={document} project={project} />}
      {agents === undefined ? null : <AgentList agents={agents} />}
    </>
  );
}
