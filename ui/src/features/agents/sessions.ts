/** The sessions of agents, as the screen counts and finds them. */
import type { AgentRow } from "@/ipc";
import type { AgentsSearch } from "@/routes/search";

export interface AgentCounts {
  connected: number;
  kept: number;
  /** Session hooks that wait for an approval. */
  waiting: number;
  /** One of them, to begin the review with. */
  firstWaiting: { row: AgentRow; hook: string } | null;
}

export function countAgents(rows: readonly AgentRow[]): AgentCounts {
  const waits = rows.flatMap((row) =>
    row.session_hooks.filter((hook) => !hook.trusted).map(({ hook }) => ({ row, hook })),
  );
  const connected = rows.filter((row) => row.connected).length;
  return { connected, kept: rows.length - connected, waiting: waits.length, firstWaiting: waits[0] ?? null };
}

/** Two dialects may have a session of one id, and two projects too. */
export function keyOf({ dialect, session, cwd }: AgentRow): string {
  return `${dialect} ${session} ${cwd}`;
}

/** The session of the address, else the first one. */
export function chosenOf(rows: readonly AgentRow[], search: AgentsSearch): AgentRow | undefined {
  const ofId = rows.filter((row) => row.session === search.session);
  const ofDialect = ofId.filter((row) => row.dialect === search.dialect);
  return ofDialect.find((row) => row.cwd === search.project) ?? ofDialect[0] ?? ofId[0] ?? rows[0];
}

/** What the program is called, with its version. */
export function programName({ agent }: Pick<AgentRow, "agent">): string {
  return agent.version === "" ? agent.name : `${agent.name} ${agent.version}`;
}
