/**
 * The cache that React Compiler gives to each component and hook (`vite/react.ts`). The compiler keeps
 * what was made from the same arguments; texts and formats depend on the language and the day as well. So each cache
 * is emptied, and its component drawn again, when these change. Nothing is mounted anew: typed text, scroll and focus stay.
 */
import { createContext, use } from "react";
import { c as cacheOf } from "react/compiler-runtime";

/** What an empty place of a cache holds, as compiled code asks for it. */
const EMPTY = Symbol.for("react.memo_cache_sentinel");

/** What texts and formats depend on beside their arguments. */
export const TextState = createContext("");

export function c(size: number): unknown[] {
  const state = use(TextState);
  const cache = cacheOf(size + 1);
  if (cache[size] !== state) {
    cache.fill(EMPTY, 0, size);
    cache[size] = state;
  }
  return cache;
}
