/** The sessions of the history, to make scenarios of. */
import type { HistoryRow } from "@/ipc";

/** A session of the history, to choose from. */
export interface RecordedSession {
  dialect: string;
  session: string;
  /** What its agent is called; null for events without one. */
  agent: string | null;
  /** Its events that were read, oldest first. */
  traces: readonly string[];
  /** The last event, RFC 3339. */
  at: string;
}

/** The sessions of a page of the history, the latest first. Simulated events are left out. */
export function sessionsOf(rows: readonly HistoryRow[]): RecordedSession[] {
  const sessions = new Map<string, RecordedSession>();
  for (const { session, dialect, agent, origin, trace, at } of rows) {
    if (session === null || origin === "simulated" || origin === "reported") continue;
    const key = `${dialect} ${session}`;
    const known = sessions.get(key);
    if (known === undefined) sessions.set(key, { dialect, session, agent, traces: [trace], at });
    else sessions.set(key, { ...known, traces: [trace, ...known.traces] });
  }
  return [...sessions.values()];
}
