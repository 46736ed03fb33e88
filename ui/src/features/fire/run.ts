/** One run at a time: started, stopped, and its trace. */
import { useCallback, useEffect, useRef, useState } from "react";
import { orderSteps } from "@/domain/trace/runOrder";
import { asFault, call, type Fault, type Trace } from "@/ipc";

export interface Run {
  state: "idle" | "running";
  /** When it began, for the elapsed time. */
  since: number;
  trace: Trace | null;
  fault: Fault | null;
  /** The first result on this desk draws itself, later ones appear at once. */
  first: boolean;
}

const IDLE: Run = { state: "idle", since: 0, trace: null, fault: null, first: true };
/** Results by desk, so that going to History and back loses nothing. */
const kept = new Map<string, Run>();
const MOST_KEPT = 40;

function keep(key: string, run: Run): void {
  kept.delete(key);
  kept.set(key, run);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

export function useRun(project: string, desk: string) {
  const key = `${project} ${desk}`;
  const [run, setRun] = useState<Run>(() => {
    const before = kept.get(key);
    return before ? { ...before, state: "idle", first: false } : IDLE;
  });
  const id = useRef<string | null>(null);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  const fire = useCallback(
    async (dialect: string, event: string, payload: Record<string, unknown>) => {
      if (id.current !== null) return;
      const own = crypto.randomUUID();
      id.current = own;
      setRun((now) => ({ ...now, state: "running", since: Date.now(), fault: null }));
      let next: Partial<Run>;
      try {
        next = { trace: orderSteps(await call("fire", { run: own, project, dialect, event, payload })), fault: null };
      } catch (thrown) {
        next = { fault: asFault(thrown), trace: null };
      }
      id.current = null;
      const before = kept.get(key);
      const done: Run = { ...IDLE, first: before === undefined, ...next };
      keep(key, done);
      if (alive.current) setRun(done);
    },
    [project, key],
  );
  const stop = useCallback(() => {
    if (id.current !== null) void call("fire.stop", { run: id.current }).catch(() => undefined);
  }, []);
  return { run, fire, stop };
}
