/** The recorded events that a template is tried with: those that the hook matches, the newest first. */

import { useState } from "react";
import type { MatchRequest } from "@/domain/filter/FilterBuilder";
import { type Reply, useCall } from "@/ipc";
import { itemAfter } from "@/lib/actions";

const LAST = 200;

export interface RecordedEvents {
  /** Null for the sample payload. */
  trace: string | null;
  /** From 0. */
  index: number;
  count: number;
  step: (by: -1 | 1) => void;
}

function matchedIn(cells: NonNullable<Reply<"history.match">["cells"]>): string[] {
  return cells.filter(({ matches }) => matches).map(({ trace }) => trace);
}

export function useRecordedEvents(ask: MatchRequest | null): RecordedEvents {
  const [chosen, setChosen] = useState<string | null>(null);
  const request = { ...(ask ?? { dialect: "", event: "" }), last: LAST, cells: true };
  const { data } = useCall("history.match", request, { enabled: ask !== null });
  const matched = matchedIn(data?.cells ?? []);
  const index = chosen === null ? 0 : Math.max(0, matched.indexOf(chosen));
  return {
    trace: matched[index] ?? null,
    index,
    count: matched.length,
    step: (by) => setChosen(itemAfter(matched, index, by) ?? null),
  };
}
