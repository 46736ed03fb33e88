/** What of a result is on show, and going through it by itself. */
import { useEffect, useEffectEvent, useState } from "react";
import { getRouteApi } from "@/routes/router";
import type { TurnView } from "./timeline";

const route = getRouteApi("/simulator");
const PLAY_STEP_MS = 1200;

export interface Position {
  /** The turn on show; null without a result. */
  turn: TurnView | null;
  /** From 0. */
  turnIndex: number;
  /** Index of the column. */
  call: number;
  /** Index of the chosen event. */
  event: number | null;
  setTurn: (index: number) => void;
  setCall: (index: number) => void;
  setEvent: (index: number | null) => void;
  setCallAndEvent: (call: number, event: number) => void;
  /** One column on or back, into the next or the former turn. False at the ends. */
  step: (by: -1 | 1) => boolean;
  reset: () => void;
}

/** What of the result is on show. The address has it. */
export function usePosition(turns: readonly TurnView[]): Position {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const turnIndex = Math.min(Math.max(0, (search.turn ?? 1) - 1), Math.max(0, turns.length - 1));
  const turn = turns[turnIndex] ?? null;
  const call = Math.min(search.call ?? 0, Math.max(0, (turn?.columns.length ?? 1) - 1));
  const go = (next: { turn?: number; call?: number; event?: number | undefined }) =>
    void navigate({ search: (now) => ({ ...now, event: undefined, ...next }), replace: true });
  return {
    turn,
    turnIndex,
    call,
    event: search.event ?? null,
    setTurn: (index) => go({ turn: index + 1, call: 0 }),
    setCall: (index) => go({ call: index }),
    setEvent: (index) => go({ event: index ?? undefined }),
    setCallAndEvent: (column, index) => go({ call: column, event: index }),
    step: (by) => {
      const columns = turn?.columns.length ?? 0;
      const next = call + by;
      const other = turns[turnIndex + by];
      if (next >= 0 && next < columns) go({ call: next });
      else if (other === undefined) return false;
      else go({ turn: turnIndex + by + 1, call: by > 0 ? 0 : other.columns.length - 1 });
      return true;
    },
    reset: () => void navigate({ search: ({ scenario }) => ({ scenario }), replace: true }),
  };
}

/** Goes on by itself until the last call. */
export function usePlayer(shown: Position) {
  const [plays, setPlays] = useState(false);
  const { turnIndex, call } = shown;
  const goOn = useEffectEvent(() => {
    if (!shown.step(1)) setPlays(false);
  });
  // Each column has its time, whatever is drawn again meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another column begins its own time
  useEffect(() => {
    if (!plays) return undefined;
    const timer = setTimeout(goOn, PLAY_STEP_MS);
    return () => clearTimeout(timer);
  }, [plays, turnIndex, call]);
  return { plays, setPlays };
}
