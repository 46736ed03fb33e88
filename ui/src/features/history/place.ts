/** Where a person was in the list, kept while other screens are on show. */
import { useState } from "react";
import { liveRows } from "@/live/rows";

export interface ListPlace {
  /** Which list it is. */
  key: string;
  /** Paused by the person. Scrolling away pauses, too. */
  stopped: boolean;
  /** The count of live rows when the list was paused; null while it is live. */
  pausedAt: number | null;
  /** Scroll offset in px. */
  offset: number;
}

let kept: ListPlace = { key: "", stopped: false, pausedAt: null, offset: 0 };

/** The place in this list; the beginning of a list that was not the last one on show. */
export function placeIn(key: string): ListPlace {
  if (kept.key !== key) kept = { key, stopped: false, pausedAt: null, offset: 0 };
  return kept;
}

export function keepPlace(place: ListPlace): void {
  kept = place;
}

/** The place in the list: kept while the screen is away, begun anew for another list. */
export function usePlace(key: string) {
  const [, setDrawn] = useState<ListPlace | null>(null);
  const place = placeIn(key);
  const change = (part: Partial<ListPlace>) => {
    const next = { ...placeIn(key), ...part };
    keepPlace(next);
    setDrawn(next);
  };
  return {
    place,
    pause: (why: "stopped" | "away") => {
      const stopped = place.stopped || why === "stopped";
      if (place.pausedAt === null || stopped !== place.stopped) {
        change({ stopped, pausedAt: place.pausedAt ?? liveRows().total });
      }
    },
    goLive: () => {
      if (place.pausedAt !== null) change({ stopped: false, pausedAt: null });
    },
    /** Does not draw the screen again. */
    keepOffset: (offset: number) => keepPlace({ ...placeIn(key), offset }),
  };
}
