/** Asks again for rows of the history when the live feed has newer ones: new traces are pushed, and make no answer old. */
import { useEffect, useEffectEvent, useRef } from "react";
import type { HistoryRow } from "@/ipc";
import { useLiveRow } from "@/live/rows";

/** However many come. */
const AT_MOST_EVERY_MS = 1000;

/** `isWanted` tells the rows that may belong to the answer; `read` asks for it. */
export function useFollowed(isWanted: (row: HistoryRow) => boolean, read: () => unknown): void {
  const newest = useLiveRow(isWanted);
  const seen = useRef(newest);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readAgain = useEffectEvent(read);
  useEffect(() => {
    if (newest === seen.current) return;
    seen.current = newest;
    if (timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      readAgain();
    }, AT_MOST_EVERY_MS);
  }, [newest]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}

/** The rows of a project, or of one of its events. */
export function rowsOf(project: string, dialect?: string, event?: string): (row: HistoryRow) => boolean {
  return (row) =>
    (dialect === undefined || row.dialect === dialect) &&
    (event === undefined || row.event === event) &&
    (row.project === null || row.project === project);
}
