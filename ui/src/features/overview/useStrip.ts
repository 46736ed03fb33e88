/** The strip's clock and layout: one step a second while it is live, none while it is held. */
import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { addMarks, MARKS_MS, markLanes } from "@/domain/trace/marks";
import { type AgentRow, useCall } from "@/ipc";
import { useMedia } from "@/lib/media";
import { type StripLane, stripLanes } from "./strip";

const STEP_MS = 1000;
/** With reduced motion. */
const CALM_STEP_MS = 5000;
/** What was recorded before the window listened is read once: at most so many events of the last minute. */
const READ_EVENTS = 5000;

export interface StripView {
  /** The time at its right edge, in ms since 1970. */
  now: number;
  lanes: StripLane[];
  /** Whether the lanes have all of the last minute, and not only what came since the screen was opened. */
  isRead: boolean;
}

/** The width of an element in px, 0 before it is laid out. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const own = element.current;
    if (own === null) return undefined;
    const follow = () => setWidth(own.clientWidth);
    follow();
    const observer = new ResizeObserver(follow);
    observer.observe(own);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** Adds what the history has of the last minute; true once it has been read, or cannot be. */
function useRecordedMarks(project: string): boolean {
  const [since] = useState(() => new Date(Date.now() - MARKS_MS).toISOString());
  const page = useCall("history.page", { project, since, limit: READ_EVENTS });
  const traces = page.data?.traces;
  useEffect(() => {
    if (traces !== undefined) addMarks(traces);
  }, [traces]);
  return traces !== undefined || page.error !== null;
}

/** `held` while it is paused or the engine is gone. */
export function useStrip(
  project: string,
  agents: readonly AgentRow[],
  held: boolean,
  area: RefObject<HTMLElement | null>,
): StripView {
  const width = useWidth(area);
  const isCalm = useMedia("(prefers-reduced-motion: reduce)");
  const isRead = useRecordedMarks(project);
  const [view, setView] = useState<StripView>(() => ({ now: Date.now(), lanes: [], isRead: false }));
  useEffect(() => {
    if (held) return undefined;
    let frame = 0;
    const draw = () => {
      const now = Date.now();
      setView({ now, lanes: stripLanes(markLanes(project), agents, project, now, width), isRead });
    };
    draw();
    const timer = setInterval(
      () => {
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(draw);
      },
      isCalm ? CALM_STEP_MS : STEP_MS,
    );
    return () => {
      clearInterval(timer);
      cancelAnimationFrame(frame);
    };
  }, [project, agents, held, width, isCalm, isRead]);
  return view;
}
