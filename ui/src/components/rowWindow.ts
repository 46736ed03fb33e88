/** Which lines of a long list are in the page: those in view and some around them. Every height is known beforehand. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Lines drawn above and below the view. */
const OVERSCAN = 12;
/** With fewer lines than this left on a side, the window moves. */
const MARGIN = 4;
/** Assumed until the list is laid out, in px. */
const UNKNOWN_HEIGHT = 800;

export interface Lines {
  first: number;
  /** The first line that is not among them. */
  end: number;
}

interface View {
  top: number;
  height: number;
}

/** Where each line begins, and last where the list ends, in px. */
export function startsOf(heights: Iterable<number>): number[] {
  const starts = [0];
  let at = 0;
  for (const height of heights) {
    at += height;
    starts.push(at);
  }
  return starts;
}

/** The last line that begins at or above `offset`. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = Math.max(0, starts.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The lines in view. */
export function linesInView(starts: readonly number[], { top, height }: View): Lines {
  if (starts.length < 2) return { first: 0, end: 0 };
  return { first: lineAt(starts, Math.max(0, top)), end: lineAt(starts, Math.max(0, top + height)) + 1 };
}

/** `lines` with `more` on each side. */
export function widened(starts: readonly number[], { first, end }: Lines, more: number): Lines {
  return { first: Math.max(0, first - more), end: Math.min(starts.length - 1, end + more) };
}

function contains(outer: Lines, inner: Lines): boolean {
  return outer.first <= inner.first && outer.end >= inner.end;
}

interface RowWindow extends Lines {
  /** Follows the scroller; for its `onScroll`. */
  follow: () => void;
  scrollTo: (offset: number) => void;
  /** Scrolls as little as needed to show a line below `head` px of a sticky head. */
  scrollToLine: (line: number, head: number) => void;
}

export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  starts: readonly number[],
  initialOffset = 0,
): RowWindow {
  const [view, setView] = useState<View>({ top: initialOffset, height: UNKNOWN_HEIGHT });
  const latest = useRef(starts);
  latest.current = starts;
  const follow = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const known = latest.current;
    const next = { top: element.scrollTop, height: element.clientHeight };
    setView((now) => {
      const drawn = widened(known, linesInView(known, now), OVERSCAN);
      const needed = widened(known, linesInView(known, next), MARGIN);
      return contains(drawn, needed) ? now : next;
    });
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it begins is of interest once
  useLayoutEffect(() => {
    if (scroller.current !== null && initialOffset > 0) scroller.current.scrollTop = initialOffset;
    follow();
  }, []);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, follow]);

  const scrollTo = useCallback(
    (offset: number) => {
      const element = scroller.current;
      if (element === null) return;
      element.scrollTop = offset;
      // The event of the scroller comes with the next frame; a row to be focused must be there before.
      follow();
    },
    [scroller, follow],
  );
  const scrollToLine = useCallback(
    (line: number, head: number) => {
      const element = scroller.current;
      if (element === null) return;
      const [begin = 0, end = 0] = latest.current.slice(line, line + 2);
      if (begin < element.scrollTop) scrollTo(begin);
      else if (end + head > element.scrollTop + element.clientHeight) scrollTo(end + head - element.clientHeight);
    },
    [scroller, scrollTo],
  );
  const drawn = widened(starts, linesInView(starts, view), OVERSCAN);
  return { ...drawn, follow, scrollTo, scrollToLine };
}
