/** Where the user was on a screen, by project: its entry in the navigation and its key lead back there. */
import { useEffect } from "react";
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

/** Keeps what is chosen on a screen while other screens are on show; null as long as that is not known. */
export function useKeepPlace<P extends Kept>(project: string, path: P, search: SearchOf<P> | null): void {
  const text = search === null ? null : JSON.stringify(search);
  useEffect(() => {
    if (text === null) return;
    const place = JSON.parse(text) as object;
    usePlaces.setState(({ places }) => ({ places: { ...places, [keyOf(project, path)]: place } }));
  }, [project, path, text]);
}
