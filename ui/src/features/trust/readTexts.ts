/** Which contents were read to their end in this window, and how a text is known to be read. */
import { type RefObject, useEffect, useState } from "react";
import { create } from "zustand";

/** A content that was read. */
export interface ReadContent {
  fingerprint: string;
  /** What the list said of it then (`contentOf`), to see whether it changed since. */
  content: string;
  /** Whether it is approved only by itself, because the approval asks for its name. */
  asksName: boolean;
}

interface ReadTexts {
  /** By project and hook. */
  read: Readonly<Record<string, ReadContent>>;
}

const useStore = create<ReadTexts>()(() => ({ read: {} }));

function keyOf(project: string, hook: string): string {
  return `${project}\n${hook}`;
}

export function markRead(project: string, hook: string, content: ReadContent): void {
  useStore.setState(({ read }) => ({ read: { ...read, [keyOf(project, hook)]: content } }));
}

/** What was refused as old has to be read again. */
export function markUnread(project: string, hook: string): void {
  useStore.setState(({ read: { [keyOf(project, hook)]: _, ...read } }) => ({ read }));
}

/** What was read of each hook of a project; undefined where nothing was. */
export function useReadTexts(project: string): (hook: string) => ReadContent | undefined {
  const read = useStore((store) => store.read);
  return (hook) => read[keyOf(project, hook)];
}

/** For tests. */
export function forgetReadTexts(): void {
  useStore.setState({ read: {} });
}

/** So near to its end a text counts as read, in px. */
const NEAR_END = 24;
const STILL_DRAWN = '[aria-busy="true"]';

/** How far somebody is with the texts: `drawn` while they are loaded, `open` until the end was seen. */
export type Reading = "drawn" | "open" | "read";

function readingOf(element: HTMLElement): Reading {
  if (element.querySelector(STILL_DRAWN) !== null) return "drawn";
  const below = element.scrollHeight - element.clientHeight - element.scrollTop;
  return below <= NEAR_END ? "read" : "open";
}

/** `read` once a scrolled element was at its end, or from the begin where all of it fits. `content` begins anew. */
export function useReading(scroller: RefObject<HTMLElement | null>, content: string): Reading {
  const [seen, setSeen] = useState<{ content: string; reading: Reading }>({ content: "", reading: "drawn" });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () =>
      setSeen((before) => {
        if (before.content === content && before.reading === "read") return before;
        const reading = readingOf(element);
        return before.content === content && before.reading === reading ? before : { content, reading };
      });
    // A text takes its height when it is drawn.
    const frame = requestAnimationFrame(look);
    const sizes = new ResizeObserver(look);
    for (const child of [element, ...element.children]) sizes.observe(child);
    const changes = new MutationObserver(look);
    changes.observe(element, { childList: true, subtree: true, attributeFilter: ["aria-busy"] });
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      changes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroller, content]);
  return seen.content === content ? seen.reading : "drawn";
}
