/** Where a person was in the list, kept while other screens are on show. */

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
