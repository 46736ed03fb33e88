/** The messages of one session, asked for again while somebody looks. */
import { useEffect, useRef, useState } from "react";
import { type AgentLogLine, type AgentRow, asFault, call, type Fault } from "@/ipc";

/** As many as the engine keeps. */
const MOST_LINES = 200;
const EVERY_MS = 1000;

export interface ProtocolLog {
  /** Oldest first. */
  lines: readonly AgentLogLine[];
  isPending: boolean;
  /** The session has ended, or the engine does not respond. The lines stay. */
  fault: Fault | null;
}

const EMPTY: ProtocolLog = { lines: [], isPending: true, fault: null };

/** Asks at once, and again after each answer until it is stopped. While the window is hidden, it waits. */
function repeatedly(ask: (signal: AbortSignal) => Promise<void>): () => void {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = async () => {
    if (!document.hidden) await ask(stop.signal);
    if (!stop.signal.aborted) timer = setTimeout(() => void next(), EVERY_MS);
  };
  void next();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}

/** For one session as long as the caller is mounted. */
export function useProtocolLog({ session, dialect, cwd: project }: AgentRow, paused: boolean): ProtocolLog {
  const [log, setLog] = useState(EMPTY);
  const last = useRef(0);
  useEffect(() => {
    if (paused) return undefined;
    return repeatedly(async (signal) => {
      try {
        const { lines } = await call("agents.log", { session, dialect, project, after: last.current }, signal);
        if (signal.aborted) return;
        last.current = lines.at(-1)?.number ?? last.current;
        setLog((now) =>
          lines.length === 0 && !now.isPending && now.fault === null
            ? now
            : { lines: [...now.lines, ...lines].slice(-MOST_LINES), isPending: false, fault: null },
        );
      } catch (thrown) {
        if (signal.aborted) return;
        setLog((now) => ({ ...now, isPending: false, fault: asFault(thrown) }));
      }
    });
  }, [session, dialect, project, paused]);
  return log;
}
