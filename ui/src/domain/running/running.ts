/** What runs now, as the engine says it: at most ten times a second, and only while a screen shows it. */
import { type AgentTestRun, type RunningChain, type RunningStep, useCall } from "@/ipc";

export interface Running {
  chains: readonly RunningChain[];
  /** Test events that agents run. */
  atAgents: readonly AgentTestRun[];
  /** When the engine said so, in ms since 1970: its durations count from here. */
  at: number;
}

const NO_CHAINS: readonly RunningChain[] = [];
const NO_TESTS: readonly AgentTestRun[] = [];

export function useRunning(enabled: boolean): Running {
  const { data, dataUpdatedAt } = useCall("chains.list", {}, { enabled, refetchOnMount: true });
  return { chains: data?.chains ?? NO_CHAINS, atAgents: data?.at_agents ?? NO_TESTS, at: dataUpdatedAt };
}

/** The steps that run now; several where a dialect runs them side by side. */
export function presentSteps(chain: RunningChain): readonly RunningStep[] {
  return chain.steps.filter((step) => step.phase === "running");
}
