/** Where the user was on a screen, by project: its entry in the navigation and its key lead back there. */
import { useEffect, useRef } from "react";
import { create } from "zustand";
import type { SearchOf } from "@/routes/search";

/** The screens that are come back to as they were left. */
type Kept = "/fire" | "/simulator";

export const usePlaces = create<{ places: Readonly<Record<string, object>> }>()(() => ({ places: {} }));

const keyOf = (project: string | null, path: string) => `${path}\n${project ?? ""}`;

/** The parameters of the screen when it was left; undefined where it begins anew. */
export function placeIn(project: string | null, path: string): object | undefined {
  return usePlaces.getState().places[keyOf(project, path)];
}

/** The same for a component, drawn again when it changes. */
export function usePlaceIn(project: string | null, path: string): object | undefined {
  return usePlaces(({ places }) => places[keyOf(project, path)]);
}

/**
 * Keeps what is chosen on a screen while other screens are on show; null as long as that is not known. An address that was
 * opened for one project says nothing of the next one.
 */
export function useKeepPlace<P extends Kept>(
  project: string,
  path: P,
  address: SearchOf<P>,
  place: SearchOf<P> | null,
): void {
  const opened = useRef<{ project: string; asked: string } | null>(null);
  const asked = JSON.stringify(address);
  const text = place === null ? null : JSON.stringify(place);
  useEffect(() => {
    if (project === "" || text === null) return;
    const { current } = opened;
    const isOfAnother = current !== null && current.project !== project && current.asked === asked && asked !== "{}";
    if (isOfAnother) return;
    opened.current = { project, asked };
    const kept = JSON.parse(text) as object;
    usePlaces.setState(({ places }) => ({ places: { ...places, [keyOf(project, path)]: kept } }));
  }, [project, path, asked, text]);
}
