/** Which project the window looks at. */
import { useEffect, useRef } from "react";
import { type State, useCall, useCommand } from "@/ipc";
import { useView } from "@/lib/view";

/** The chosen project, else what the engine suggests; null before there is any. */
export function useProject(): string | null {
  const { data } = useCall("state", {});
  const chosen = useView((view) => view.project);
  return chosen ?? suggestionOf(data);
}

function suggestionOf(state: State | undefined): string | null {
  return state?.project ?? state?.projects.find((project) => project.exists)?.path ?? null;
}

/**
 * Stays with the project on screen when the engine's most recent one becomes another, as by a `fire` elsewhere, and leaves it
 * only when it was taken off the list. A choice that was never listed is newer than the list.
 */
export function useProjectSync(): void {
  const { data } = useCall("state", {});
  const chosen = useView((view) => view.project);
  const setProject = useView((view) => view.setProject);
  const listed = useRef<string | null>(null);
  useEffect(() => {
    if (data === undefined) return;
    if (data.projects.some((project) => project.path === chosen)) listed.current = chosen;
    else if (chosen === null || chosen === listed.current) setProject(suggestionOf(data));
  }, [data, chosen, setProject]);
}

/** The engine's state with what it says of the project on screen, such as how many hooks wait for a review. */
export function useAppState(): State | undefined {
  const project = useProject();
  return useCall("state", project === null ? {} : { project }, { keepPrevious: true }).data;
}

/** Opens a project: it becomes the chosen one here and the last used one for the engine. */
export function useOpenProject(): (path: string, known: boolean) => Promise<void> {
  const setProject = useView((view) => view.setProject);
  const add = useCommand("projects.add", { stale: ["projects", "state"] });
  const use = useCommand("projects.use", { stale: ["projects", "state"] });
  return async (path: string, known: boolean) => {
    const opened = known ? await use.mutateAsync({ path }) : await add.mutateAsync({ path });
    setProject(opened.path);
  };
}
