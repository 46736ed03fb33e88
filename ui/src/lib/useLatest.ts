import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * The value of the last render, for what runs later: a key, an answer, a timer. Name what holds it `…Ref`: by that name the
 * compiler knows that another value makes no function anew.
 */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
