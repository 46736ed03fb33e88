import { useEffect } from "react";

/** Loads parts that will probably be used next, once the page has nothing better to do. */
export function usePrefetch(...parts: readonly (() => Promise<unknown>)[]): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a component may load does not change
  useEffect(() => {
    if (typeof requestIdleCallback === "undefined") return undefined;
    const handle = requestIdleCallback(() => {
      for (const load of parts) void load();
    });
    return () => cancelIdleCallback(handle);
  }, []);
}
