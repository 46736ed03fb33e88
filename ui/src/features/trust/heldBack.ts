/** What went on without a hook since its content waits for approval. */
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { type HookRow, type Reply, useCall } from "@/ipc";

/** As many of the last events are looked at. */
const READ_EVENTS = 1000;

export interface HeldBack {
  /** The first of these events, RFC 3339. */
  since: string;
  count: number;
  /** Older events were not looked at. */
  isLeast: boolean;
}

/** The newest events at which the hook would have run if it were approved; null if there are none. */
export function heldBack(
  doc: Pick<Reply<"history.match">, "events" | "reasons" | "cells" | "incomplete">,
): HeldBack | null {
  const { events = [], reasons = [] } = doc;
  const others = new Set((doc.cells ?? []).filter(({ matches }) => matches === false).map(({ trace }) => trace));
  const gateOf = (reason: number | null) => (reason === null ? undefined : reasons[reason]?.gate);
  const end = events.findIndex(({ reason }) => gateOf(reason) !== "trusted");
  const held = events.slice(0, end < 0 ? events.length : end).filter(({ trace }) => !others.has(trace));
  const first = held.at(-1);
  if (first === undefined) return null;
  return { since: first.at, count: held.length, isLeast: end < 0 && (doc.incomplete || events.length >= READ_EVENTS) };
}

/** The same as a sentence; null without such events, and while they are looked for. `row` is undefined for a hook of no list. */
export function useHeldBack(project: string, row: HookRow | undefined, event: string): string | null {
  const { data } = useCall(
    "history.match",
    {
      project,
      dialect: row?.dialect ?? "",
      event,
      hook: row?.hook ?? "",
      last: READ_EVENTS,
      events: true,
      cells: true,
    },
    { enabled: row !== undefined && event !== "", refetchOnMount: true },
  );
  const held = data === undefined ? null : heldBack(data);
  if (held === null) return null;
  return t(held.isLeast ? "review.heldAtLeast" : "review.held", { count: held.count, time: time(held.since) });
}
