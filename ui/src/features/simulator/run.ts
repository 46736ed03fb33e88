/** Simulating a scenario, and what came of it. */
import { useCallback } from "react";
import { toastFault } from "@/domain/refused";
import { createRuns } from "@/domain/running/runs";
import { orderSteps } from "@/domain/trace/runOrder";
import { call, type SimulateDocument } from "@/ipc";

interface Simulated {
  document: SimulateDocument;
  /** The text that was simulated. */
  text: string;
}

const MOST_KEPT = 12;
const runs = createRuns<Simulated>(MOST_KEPT);

async function simulate(run: string, project: string, text: string): Promise<Simulated> {
  const document = await call("simulate", { run, project, text });
  return { document: { ...document, traces: document.traces.map(orderSteps) }, text };
}

/** The run of a scenario, by its id. */
export function useSimulation(project: string, scenario: string) {
  const key = `${project}\n${scenario}`;
  const run = runs.useRun(key);
  const start = useCallback((text: string) => runs.start(key, (id) => simulate(id, project, text)), [project, key]);
  const stop = () => void runs.stop(key).catch(toastFault);
  return { run, start, stop };
}

export type SimulationRun = ReturnType<typeof useSimulation>["run"];
