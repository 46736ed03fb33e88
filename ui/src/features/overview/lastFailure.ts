/** The latest event in which a hook failed open, and why it failed. */
import { useStepWords } from "@/components";
import { eventOf, idAt } from "@/domain/hooks/facts";
import { useTrace } from "@/domain/trace/runOrder";
import { type HookRow, type Step, useCall } from "@/ipc";
import type { Target } from "@/routes/router";

/** A failure that comes later is found by then. */
const LOOK_AGAIN_MS = 30_000;
const FAILED = ["failed_open", "timed_out_open"] as const;

export interface LastFailure {
  /** In a few words; null while it is not known, or where the event's details were removed. */
  why: string | null;
  /** Explains that event; null while there is none to explain. */
  explain: Target | null;
  /** It is being read. */
  isPending: boolean;
}

/** Asks for the newest event of each way to fail, and shows the newer one. */
export function useLastFailure(hook: HookRow | undefined, project: string): LastFailure {
  const words = useStepWords();
  const id = hook === undefined ? "" : idAt(hook, eventOf(hook));
  const [failed, timedOut] = FAILED.map((outcome) => ({ project, hook: id, outcome, same_step: true, limit: 1 }));
  const options = { enabled: hook !== undefined, refetchOnMount: true, everyMs: LOOK_AGAIN_MS };
  const pages = [
    useCall("history.page", failed ?? { limit: 1 }, options),
    useCall("history.page", timedOut ?? { limit: 1 }, options),
  ];
  const newest = pages.flatMap(({ data }) => data?.traces[0] ?? []).sort((a, b) => (a.trace < b.trace ? 1 : -1))[0];
  const trace = useTrace(hook === undefined ? undefined : newest?.trace);
  const step = trace.data?.steps.find((one) => one.hook === id);
  if (hook === undefined || newest === undefined || step === undefined || !isOpen(step)) {
    const isPending = hook !== undefined && (pages.some((page) => page.isLoading) || trace.isLoading);
    return { why: null, explain: null, isPending };
  }
  return {
    isPending: false,
    why: words.line(step) || null,
    explain: { to: "/history/explain", search: { trace: newest.trace, hook: id } },
  };
}

function isOpen({ outcome }: Step): boolean {
  return outcome === "failed_open" || outcome === "timed_out_open";
}
