/** A trace with its steps in run order: the engine lists the hooks that did not run last. */
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import type { RailStep } from "@/components";
import { type Fault, type HistoryRow, type Outcome, type Step, type Trace, useCall } from "@/ipc";
import { baseName } from "@/lib/names";
import { useLiveRow } from "@/live/rows";

/** One ordered trace for each recorded one, so that what is drawn from it stays the same object. */
const ordered = new WeakMap<Trace, Trace>();

/** Every screen draws the same order. Traces without `order` are from an older version and stay as they are. */
export function orderSteps(trace: Trace): Trace {
  const known = ordered.get(trace);
  if (known !== undefined) return known;
  const isKnown = trace.steps.every((step) => step.order !== undefined && step.order > 0);
  const place = (step: Step) => step.order ?? 0;
  const steps = isKnown ? [...trace.steps].sort((a, b) => place(a) - place(b)) : trace.steps;
  const named = tellApart(steps);
  const own = named === trace.steps ? trace : { ...trace, steps: named };
  ordered.set(trace, own);
  ordered.set(own, own);
  return own;
}

interface NamedStep {
  hook: string;
  label: string;
  source: Step["source"];
}

/** The same steps; where hooks of one chain have one name, each name is followed by the place of its definition. */
export function tellApart<S extends NamedStep>(steps: S[]): S[] {
  const hooksOf = new Map<string, Set<string>>();
  for (const { label, hook } of steps) hooksOf.set(label, (hooksOf.get(label) ?? new Set()).add(hook));
  const isShared = (step: S) => (hooksOf.get(step.label)?.size ?? 0) > 1;
  if (!steps.some(isShared)) return steps;
  const place = ({ path, line }: Step["source"]) => (line ? `${baseName(path)}:${line}` : baseName(path));
  return steps.map((step) =>
    isShared(step) && step.source.path ? { ...step, label: `${step.label} · ${place(step.source)}` } : step,
  );
}

/** The chain of a row of the history, in run order. */
export function rowSteps({ outcomes, reasons, order }: HistoryRow): RailStep[] {
  const steps = outcomes.map((outcome, index) => ({ outcome, reason: reasons[index] ?? null }));
  if (order === undefined || order.length !== steps.length) return steps;
  const places = steps.map((step, index) => ({ step, place: order[index] ?? 0 }));
  return places.sort((a, b) => a.place - b.place).map(({ step }) => step);
}

interface TraceOptions {
  enabled?: boolean;
  /** Shows the trace before while this one is on its way. */
  keepPrevious?: boolean;
}

function sameOutcomes(one: readonly Outcome[], other: readonly Outcome[]): boolean {
  return [...one].sort().join() === [...other].sort().join();
}

export interface TraceQuery extends Pick<UseQueryResult<Trace, Fault>, "isLoading" | "refetch"> {
  data: Trace | undefined;
  error: Fault | null;
}

/** A recorded event. Hooks that go on after the reply change it: it is read again when the live feed has a later version. */
export function useTrace(id: string | undefined, options: TraceOptions = {}): TraceQuery {
  const enabled = id !== undefined && (options.enabled ?? true);
  // Only what is read here draws the caller again.
  const { data, error, isLoading, refetch } = useCall("history.show", { trace: id ?? "" }, { ...options, enabled });
  const isOpen = data?.steps.some((step) => step.outcome === "detached") ?? false;
  const live = useLiveRow(isOpen ? (row) => row.trace === data?.trace : null);
  useEffect(() => {
    if (live === undefined || data === undefined) return;
    const outcomes = data.steps.map((step) => step.outcome);
    if (!sameOutcomes(live.outcomes, outcomes)) void refetch();
  }, [live, data, refetch]);
  return { data: data && orderSteps(data), error, isLoading, refetch };
}
