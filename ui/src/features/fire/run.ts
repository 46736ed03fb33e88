/** Firing an event, and what came of it. */
import { useState } from "react";
import { toastFault } from "@/domain/refused";
import { createRuns } from "@/domain/running/runs";
import { orderSteps } from "@/domain/trace/runOrder";
import { type AgentAnswer, call, type Params, type Trace } from "@/ipc";

interface Fired {
  trace: Trace;
  /** What an agent replied to the same event; null where none was asked. */
  answer: AgentAnswer | null;
}

export type Event = Omit<Params<"fire">, "run" | "session">;

const MOST_KEPT = 40;
const runs = createRuns<Fired>(MOST_KEPT);

/** Fires in the engine, and at an agent too where one is named: a session id. */
async function ask(run: string, event: Event, agent: string | null): Promise<Fired> {
  if (agent === null) return { trace: orderSteps(await call("fire", { run, ...event })), answer: null };
  const { project, dialect, event: name, payload } = event;
  const answer = await call("agents.fire", { agent, project, dialect, event: name, payload, run });
  return { trace: orderSteps(answer.engine), answer };
}

/** The run of what is chosen: a fixture or a recorded event, by its id. */
export function useRun(project: string, chosen: string) {
  const key = `${project}\n${chosen}`;
  const run = runs.useRun(key);
  const fire = (event: Event, agent: string | null) => runs.start(key, (id) => ask(id, event, agent));
  const forget = () => runs.forget(key);
  const stop = () => void runs.stop(key).catch(toastFault);
  // Only a result that comes while it is looked at draws itself.
  const [before] = useState(run.result);
  return { run, fire, stop, forget, draws: run.first && run.result !== before };
}

export type Run = ReturnType<typeof useRun>["run"];
