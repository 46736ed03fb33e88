/** The recorded events that a template is tried with: those that the hook matches, the newest first. */
import { useState } from "react";
import type { MatchRequest } from "@/domain/filter/FilterBuilder";
import { useCall } from "@/ipc";

const LAST = 200;

export interface RecordedEvents {
  /** Null for the sample payload. */
  trace: string | null;
  /** From 0. */
  index: number;
  count: number;
  step: (by: -1 | 1) => void;
}

export function useRecordedEvents(ask: MatchRequest | null): RecordedEvents {
  const [chosen, setChosen] = useState<string | null>(null);
  const request = { ...(ask ?? { dialect: "", event: "" }), last: LAST, cells: true };
  const { data } = useCall("history.match", request, { enabled: ask !== null });
  const matched = (data?.cells ?? []).filter(({ matches }) => matches).map(({ trace }) => trace);
  const index = Math.max(0, chosen === null ? 0 : matched.indexOf(chosen));
  return {
    trace: matched[index] ?? null,
    index,
    count: matched.length,
    step: (by) => setChosen(matched[Math.min(Math.max(0, index + by), matched.length - 1)] ?? null),
  };
}
