/** The steps that an agent reported, read with care: an agent may send anything. */
import { GLYPH_KINDS } from "@/components";
import type { AgentAnswer, Outcome, Step } from "@/ipc";

export interface AgentStep {
  hook: string;
  label: string;
  /** Null where the agent did not say it, or said a word that is unknown. */
  outcome: Outcome | null;
}

/** A hook on both sides; null where it is missing. */
export interface StepPair {
  label: string;
  agent: AgentStep | null;
  engine: Step | null;
  differs: boolean;
}

function read(raw: unknown): AgentStep[] {
  if (typeof raw !== "object" || raw === null) return [];
  const { hook, label, outcome } = raw as Record<string, unknown>;
  const known = GLYPH_KINDS.find((kind) => kind === outcome) as Outcome | undefined;
  const id = typeof hook === "string" ? hook : "";
  const name = typeof label === "string" && label !== "" ? label : id;
  return name === "" ? [] : [{ hook: id, label: name, outcome: known ?? null }];
}

/** Null where the agent reported no steps. */
export function stepsOf({ steps }: AgentAnswer): AgentStep[] | null {
  return Array.isArray(steps) ? steps.flatMap(read) : null;
}

/** A hook that came to this had no part in the event. */
const IDLE: ReadonlySet<Outcome> = new Set(["not_matched", "skipped"]);

/** The steps of both, in the engine's order; what only the agent ran comes last. */
export function pairsOf(agent: readonly AgentStep[], engine: readonly Step[]): StepPair[] {
  const left = [...agent];
  const take = (step: Step): AgentStep | null => {
    const ofId = left.findIndex((one) => one.hook === step.hook);
    const at = ofId >= 0 ? ofId : left.findIndex((one) => one.label === step.label);
    return at < 0 ? null : (left.splice(at, 1)[0] ?? null);
  };
  const pairs = engine.map((step): StepPair => {
    const own = take(step);
    const differs = own === null ? !IDLE.has(step.outcome) : own.outcome !== null && own.outcome !== step.outcome;
    return { label: step.label, agent: own, engine: step, differs };
  });
  return [...pairs, ...left.map((own) => ({ label: own.label, agent: own, engine: null, differs: true }))];
}

/** From the strictest on: what an agent's hooks came to as a whole. */
const STRICTEST: readonly Outcome[] = [
  "denied",
  "failed_closed",
  "timed_out_closed",
  "asked",
  "failed_open",
  "timed_out_open",
  "changed",
  "allowed",
  "no_opinion",
];

/** The strictest outcome of the steps. */
export function strictest(steps: readonly Pick<AgentStep, "outcome">[] | null): Outcome | null {
  return STRICTEST.find((kind) => steps?.some((step) => step.outcome === kind)) ?? null;
}
