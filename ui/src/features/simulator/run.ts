/** One simulation at a time: started, stopped, and its result. */
import { useCallback, useEffect, useRef, useState } from "react";
import { orderSteps } from "@/domain/trace/runOrder";
import { asFault, call, type Fault, type SimulateDocument } from "@/ipc";

export interface SimulationRun {
  /** When the running one began, in ms since 1970; null while none runs. */
  since: number | null;
  result: SimulateDocument | null;
  /** The text that the result is of. */
  text: string | null;
  /** The user stopped it: the result has what happened until then. */
  stopped: boolean;
  fault: Fault | null;
}

const IDLE: SimulationRun = { since: null, result: null, text: null, stopped: false, fault: null };
/** Results by scenario, so that going to History and back loses nothing. */
const kept = new Map<string, SimulationRun>();
const MOST_KEPT = 12;

function keep(key: string, run: SimulationRun): void {
  kept.delete(key);
  kept.set(key, run);
  const oldest = kept.keys().next().value;
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Forgets all results; tests only. */
export function forgetRuns(): void {
  kept.clear();
}

export function useSimulation(project: string, scenario: string) {
  const key = `${project} ${scenario}`;
  const [run, setRun] = useState<SimulationRun>(() => kept.get(key) ?? IDLE);
  const active = useRef<{ id: string; stopped: boolean } | null>(null);
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  const start = useCallback(
    async (text: string) => {
      if (active.current !== null) return;
      const own = { id: crypto.randomUUID(), stopped: false };
      active.current = own;
      setRun((now) => ({ ...now, since: Date.now(), fault: null }));
      let done: SimulationRun;
      try {
        const document = await call("simulate", { run: own.id, project, text });
        const result = { ...document, traces: document.traces.map(orderSteps) };
        done = { ...IDLE, result, text, stopped: own.stopped };
      } catch (thrown) {
        done = { ...IDLE, fault: asFault(thrown), text };
      }
      active.current = null;
      keep(key, done);
      if (alive.current) setRun(done);
    },
    [project, key],
  );
  const stop = useCallback(() => {
    if (active.current === null) return;
    active.current.stopped = true;
    void call("fire.stop", { run: active.current.id }).catch(() => undefined);
  }, []);
  return { run, start, stop };
}
