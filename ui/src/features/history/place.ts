/** Where a person was in the list, kept while other screens are on show. */
import { create } from "zustand";
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

const beginOf = (key: string): ListPlace => ({ key, stopped: false, pausedAt: null, offset: 0 });

export const useListPlace = create<ListPlace>()(() => beginOf(""));

/** The place in this list; the beginning of a list that was not the last one on show. */
function placeIn(key: string): ListPlace {
  const kept = useListPlace.getState();
  return kept.key === key ? kept : beginOf(key);
}

/** The place in the list: kept while the screen is away, begun anew for another list. */
export function usePlace(key: string) {
  const stopped = useListPlace((kept) => kept.key === key && kept.stopped);
  const pausedAt = useListPlace((kept) => (kept.key === key ? kept.pausedAt : null));
  const change = (part: Partial<ListPlace>) => useListPlace.setState({ ...placeIn(key), ...part });
  return {
    stopped,
    pausedAt,
    /** Where the list is when it comes on show; a scroll does not draw the screen again. */
    offset: placeIn(key).offset,
    pause: (why: "stopped" | "away") => {
      const place = placeIn(key);
      if (place.pausedAt === null || (why === "stopped" && !place.stopped)) {
        change({ stopped: place.stopped || why === "stopped", pausedAt: place.pausedAt ?? liveRows().total });
      }
    },
    goLive: () => {
      if (placeIn(key).pausedAt !== null) change({ stopped: false, pausedAt: null });
    },
    keepOffset: (offset: number) => change({ offset }),
  };
}
