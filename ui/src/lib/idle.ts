import { useEffect } from "react";

/** The first screen is drawn by then. */
const AFTER_MS = 1500;

/** Loads parts that will probably be used next, once the page has nothing better to do. */
export function usePrefetch(...parts: readonly (() => Promise<unknown>)[]): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a component may load does not change
  useEffect(() => {
    if (typeof requestIdleCallback === "undefined") return undefined;
    let handle = 0;
    const timer = setTimeout(() => {
      handle = requestIdleCallback(() => {
        for (const load of parts) void load();
      });
    }, AFTER_MS);
    return () => {
      clearTimeout(timer);
      cancelIdleCallback(handle);
    };
  }, []);
}
