/** The event of the address, recorded or made up, with what is said of each of its hooks. */
import { failedGate } from "@/components";
import { idAt } from "@/domain/hooks/facts";
import { noticesToShow } from "@/domain/trace/notices";
import { plannedOutcome } from "@/domain/trace/planned";
import { tellApart, useTrace } from "@/domain/trace/runOrder";
import { type ExplainStep, type Fault, type HookRow, type Notice, type Payload, type Trace, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import type { ExplainSearch } from "@/routes/search";
import type { Asked } from "./Answer";

const NO_PAYLOAD: Payload = {};

export interface Explained {
  /** Undefined for an event that was not fired. */
  trace: Trace | undefined;
  dialect: string;
  event: string;
  payload: Payload;
  /** What applies to the whole event. */
  notices: readonly Notice[];
  asked: readonly Asked[];
  chosen: Asked | undefined;
  /** The chosen hook as it is defined now; undefined where it is gone. */
  hook: HookRow | undefined;
}

/** Null while it is on its way. */
export function useExplained(
  search: ExplainSearch,
  project: string,
): { explained: Explained | null; fault: Fault | null } {
  const recorded = useTrace(search.trace);
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  const list = useCall("hooks.list", { project }, { enabled: project !== "" });
  const first = firstDialect(useDialects(), list.data, search.dialect);
  const fixture = (fixtures.data?.fixtures ?? []).find(
    (one) =>
      one.dialect === first?.id &&
      one.event === (search.event ?? first.first) &&
      (search.fixture === undefined || one.name === search.fixture),
  );
  const trace = search.trace === undefined ? undefined : recorded.data;
  const { event, dialect } = search.trace === undefined ? (fixture ?? search) : (trace ?? {});
  const plan = useCall(
    "explain",
    { project, dialect: dialect ?? "", event: event ?? "", payload: fixture?.payload ?? {} },
    { enabled: search.trace === undefined && fixture !== undefined, keepPrevious: true },
  );
  const asked = trace ? ofTrace(trace) : ofPlan(plan.data?.steps ?? [], event ?? "");
  const fault = recorded.error ?? plan.error ?? fixtures.error;
  const waiting = search.trace === undefined ? plan.data === undefined : trace === undefined;
  if (waiting || dialect === undefined || event === undefined) return { explained: null, fault };
  const chosen =
    asked.find((one) => one.hook === search.hook) ?? asked.find((one) => failedGate(one.gates)) ?? asked[0];
  const hook = list.data?.hooks.find((one) => one.hook === chosen?.hook || idAt(one, event) === chosen?.hook);
  const payload = trace?.payload_before ?? plan.data?.payload ?? NO_PAYLOAD;
  const notices = trace === undefined ? (plan.data?.notices ?? []) : noticesToShow(trace);
  return { explained: { trace, dialect, event, payload, notices, asked, chosen, hook }, fault };
}

function ofTrace(trace: Trace): Asked[] {
  return trace.steps.map((step) => ({
    hook: step.hook,
    label: step.label,
    gates: step.gates,
    glyph: step.outcome === "skipped" && step.reason === "chain_ended" ? "not_reached" : step.outcome,
    ran: step.attempts.length > 0,
    source: step.source,
    recorded: step,
  }));
}

function ofPlan(steps: readonly ExplainStep[], event: string): Asked[] {
  return tellApart(steps.filter((step) => step.event === event)).map((step) => ({
    hook: step.hook,
    label: step.label,
    gates: step.gates,
    glyph: plannedOutcome(step),
    ran: false,
    source: step.source,
    recorded: null,
  }));
}
