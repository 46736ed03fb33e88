/** The latest event in which a hook failed open, and why it failed. */
import { eventOf, idAt } from "@/domain/hooks/facts";
import { useTrace } from "@/domain/trace/runOrder";
import { rowsOf, useFollowed } from "@/domain/trace/useFollowed";
import { say } from "@/i18n/messages";
import { type HookRow, type Outcome, useCall } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import type { Target } from "@/routes/router";

const FAILED = ["failed_open", "timed_out_open"] as const;

export interface LastFailure {
  /** In a few words; null while it is not known, or where the event's details were removed. */
  why: string | null;
  /** All lines of it; null where `why` says as much. */
  whole: string | null;
  /** Explains that event; null while there is none to explain. */
  explain: Target | null;
  /** It is being read. */
  isPending: boolean;
}

/** Asks for the newest event of each way to fail, and shows the newer one. */
export function useLastFailure(hook: HookRow | undefined, project: string): LastFailure {
  const id = hook === undefined ? "" : idAt(hook, eventOf(hook));
  const [failed, timedOut] = FAILED.map((outcome) => ({ project, hook: id, outcome, same_step: true, limit: 1 }));
  const options = { enabled: hook !== undefined, refetchOnMount: true };
  const pages = [
    useCall("history.page", failed ?? { limit: 1 }, options),
    useCall("history.page", timedOut ?? { limit: 1 }, options),
  ];
  useFollowed(
    (row) => hook !== undefined && rowsOf(project, hook.dialect, eventOf(hook))(row) && row.outcomes.some(isOpen),
    () => Promise.all(pages.map((page) => page.refetch({ cancelRefetch: false }))),
  );
  const newest = pages.flatMap(({ data }) => data?.traces[0] ?? []).sort((a, b) => (a.trace < b.trace ? 1 : -1))[0];
  const trace = useTrace(hook === undefined ? undefined : newest?.trace);
  const step = trace.data?.steps.find((one) => one.hook === id);
  if (hook === undefined || newest === undefined || step === undefined || !isOpen(step.outcome)) {
    const isPending = hook !== undefined && (pages.some((page) => page.isLoading) || trace.isLoading);
    return { why: null, whole: null, explain: null, isPending };
  }
  const whole = say(step, step.reason).trim();
  const short = withLastLines(whole, step.args ?? {});
  return {
    isPending: false,
    why: oneLine(short) || null,
    whole: short === whole ? null : escapeInvisible(whole),
    explain: { to: "/history/explain", search: { trace: newest.trace, hook: id } },
  };
}

function isOpen(outcome: Outcome): boolean {
  return FAILED.some((one) => one === outcome);
}

/** What a runtime writes below its stack trace. */
const RUNTIME = /^Node\.js v/;

/** The line in which a program says what went wrong: the last one that is not indented, as the frames of a stack trace are. */
export function lastLine(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !RUNTIME.test(line));
  return (lines.findLast((line) => !/^\s/.test(line)) ?? lines.at(-1) ?? "").trim();
}

/** A message in which each argument of several lines, such as a traceback, is told by one of them. */
export function withLastLines(message: string, args: Readonly<Record<string, unknown>>): string {
  return Object.values(args).reduce<string>(
    (text, value) =>
      typeof value === "string" && value.trim().includes("\n")
        ? text.replace(value.trim(), () => lastLine(value))
        : text,
    message,
  );
}
