/** Which project the window looks at. */
import { useCallback, useEffect } from "react";
import { type State, useCall, useCommand } from "@/ipc";
import { useView } from "@/lib/view";

/** The chosen project if it is still known, else what the engine suggests; null before there is any. */
export function useProject(): string | null {
  const { data } = useCall("state", {});
  const chosen = useView((view) => view.project);
  if (data === undefined) return chosen;
  if (chosen !== null && data.projects.some((project) => project.path === chosen)) return chosen;
  return data.project ?? data.projects.find((project) => project.exists)?.path ?? null;
}

/** Stays with the project on screen when the engine's most recent one becomes another, as by a `fire` elsewhere. */
export function useProjectSync(): void {
  const project = useProject();
  const setProject = useView((view) => view.setProject);
  useEffect(() => {
    if (project !== null) setProject(project);
  }, [project, setProject]);
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
  return useCallback(
    async (path: string, known: boolean) => {
      const { projects } = known ? await use.mutateAsync({ path }) : await add.mutateAsync({ path });
      // The engine may have made the path absolute or found the folder above it that holds the project.
      const found = projects.find((project) => project.path === path) ?? projects[0];
      setProject(found?.path ?? path);
    },
    [add, use, setProject],
  );
}
