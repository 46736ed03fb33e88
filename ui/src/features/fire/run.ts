/** One run at a time: started, stopped, and its trace. */
import { useCallback, useEffect, useRef, useState } from "react";
import { orderSteps } from "@/domain/trace/runOrder";
import { type AgentAnswer, asFault, call, type Fault, type Params, type Trace } from "@/ipc";

export interface Run {
  state: "idle" | "running";
  /** The name that the engine knows it by while it runs. */
  id: string;
  /** When it began, for the elapsed time. */
  since: number;
  trace: Trace | null;
  /** What an agent replied to the same event; null where none was asked. */
  answer: AgentAnswer | null;
  fault: Fault | null;
  /** The first result on this desk draws itself, later ones appear at once. */
  first: boolean;
}

const IDLE: Run = { state: "idle", id: "", since: 0, trace: null, answer: null, fault: null, first: true };
/** Results by desk, so that going to History and back loses nothing. */
const kept = new Map<string, Run>();
const MOST_KEPT = 40;

function keep(key: string, run: Run): void {
  kept.delete(key);
  kept.set(key, run);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Fires in the engine, and at an agent too where one is named: a session id. */
async function ask(event: Params<"fire">, agent: string | null): Promise<Pick<Run, "trace" | "answer">> {
  if (agent === null) return { trace: orderSteps(await call("fire", event)), answer: null };
  const answer = await call("agents.fire", {
    agent,
    dialect: event.dialect,
    event: event.event,
    payload: event.payload,
    run: event.run,
  });
  return { trace: orderSteps(answer.engine), answer };
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
    async (dialect: string, event: string, payload: Record<string, unknown>, agent: string | null) => {
      if (id.current !== null) return;
      const own = crypto.randomUUID();
      id.current = own;
      setRun((now) => ({ ...now, state: "running", id: own, since: Date.now(), fault: null }));
      let next: Partial<Run>;
      try {
        next = { ...(await ask({ run: own, project, dialect, event, payload }, agent)), fault: null };
      } catch (thrown) {
        next = { fault: asFault(thrown), trace: null, answer: null };
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
