/**
 * What was started in this window, by what it is of, and what came of it. It is kept outside the components: whoever leaves a
 * screen while something runs finds it again, can stop it, and cannot start it a second time over itself.
 */
import { create } from "zustand";
import { asFault, call, type Fault } from "@/ipc";

export interface Run<R> {
  /** The name that the engine knows it by while it runs. */
  id: string;
  /** When the running one began, in ms since 1970; null while none runs. */
  since: number | null;
  /** What the last one came to; null before one ended, and after one that failed. */
  result: R | null;
  fault: Fault | null;
  /** The user stopped the last one: its result is what happened until then. */
  stopped: boolean;
  /** Nothing of this key ended before. */
  first: boolean;
}

export interface Runs<R> {
  /** The run of a key, drawn again when it changes. */
  useRun: (key: string) => Run<R>;
  /** Starts a run, unless one of the key runs. `ask` is given its name. */
  start: (key: string, ask: (id: string) => Promise<R>) => void;
  /** Stops what runs. Rejects with a `Fault` where the engine refuses. */
  stop: (key: string) => Promise<void>;
  /** Forgets what a run came to; one that runs stays. */
  forget: (key: string) => void;
}

const stores = new Set<() => void>();

/** Forgets all runs of the window; tests only. */
export function forgetRuns(): void {
  for (const clear of stores) clear();
}

/** `mostKept` results are kept, the newest ones; what runs is always kept. */
export function createRuns<R>(mostKept: number): Runs<R> {
  const idle: Run<R> = { id: "", since: null, result: null, fault: null, stopped: false, first: true };
  const useRuns = create<{ runs: ReadonlyMap<string, Run<R>> }>()(() => ({ runs: new Map() }));
  stores.add(() => useRuns.setState({ runs: new Map() }));
  const get = (key: string) => useRuns.getState().runs.get(key) ?? idle;

  /** What was set last comes last. */
  const set = (key: string, run: Run<R>) => {
    const runs = new Map(useRuns.getState().runs);
    runs.delete(key);
    runs.set(key, run);
    const ended = [...runs].filter(([, one]) => one.since === null);
    for (const [old] of ended.slice(0, Math.max(0, ended.length - mostKept))) runs.delete(old);
    useRuns.setState({ runs });
  };

  const start: Runs<R>["start"] = (key, ask) => {
    const before = get(key);
    if (before.since !== null) return;
    const id = crypto.randomUUID();
    set(key, { ...before, id, since: Date.now(), fault: null, stopped: false });
    const { first } = before;
    const end = (part: Pick<Run<R>, "result" | "fault">) => {
      const now = get(key);
      if (now.id === id) set(key, { ...now, ...part, since: null, first: first && before.result === null });
    };
    ask(id).then(
      (result) => end({ result, fault: null }),
      (thrown: unknown) => end({ result: null, fault: asFault(thrown) }),
    );
  };

  const stop: Runs<R>["stop"] = async (key) => {
    const { id, since } = get(key);
    if (since === null) return;
    const setStopped = (stopped: boolean) => {
      const now = get(key);
      if (now.id === id) set(key, { ...now, stopped });
    };
    setStopped(true);
    try {
      await call("fire.stop", { run: id });
    } catch (thrown) {
      setStopped(false);
      throw thrown;
    }
  };

  const forget: Runs<R>["forget"] = (key) => {
    if (get(key).since !== null) return;
    const runs = new Map(useRuns.getState().runs);
    runs.delete(key);
    useRuns.setState({ runs });
  };

  return { useRun: (key) => useRuns(({ runs }) => runs.get(key) ?? idle), start, stop, forget };
}
