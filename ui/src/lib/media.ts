import { useSyncExternalStore } from "react";
import { useView } from "./view";

/** A media query whose widths and heights are measured in the size of text. */
export function inTextSize(query: string, percent: number): string {
  return percent === 100 ? query : query.replace(/(\d+(?:\.\d+)?)px/g, (_, px) => `${(Number(px) * percent) / 100}px`);
}

/** Whether a media query holds now, measured in the size of text. */
export function useMedia(wanted: string): boolean {
  const query = inTextSize(
    wanted,
    useView((view) => view.textSize),
  );
  const subscribe = (listener: () => void) => {
    const media = window.matchMedia(query);
    media.addEventListener("change", listener);
    return () => media.removeEventListener("change", listener);
  };
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
