/** Ways to open a project: a folder of the user's choice, or the sample. */

import { create } from "zustand";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { inWindow, useCommand } from "@/ipc";
import { useView } from "@/lib/view";
import { useOpenProject } from "./project";

/** Whether the dialog that asks for a path is open. Only the browser page needs one. */
export const useFolderDialog = create<{ open: boolean; setOpen: (open: boolean) => void }>()((set) => ({
  open: false,
  setOpen: (open) => set({ open }),
}));

/** Asks with the system's dialog. */
async function chosenFolder(): Promise<string | null> {
  const { open } = await import("@tauri-apps/plugin-dialog");
  return open({ directory: true, title: t("shell.project.openFolder") });
}

/** Opens a folder: through the system's dialog in the window, by its path in a browser. */
export function useOpenFolder(): () => void {
  const openProject = useOpenProject();
  const setOpen = useFolderDialog((dialog) => dialog.setOpen);
  return () => {
    if (!inWindow()) {
      setOpen(true);
      return;
    }
    chosenFolder()
      .then((path) => (path === null ? undefined : openProject(path, false)))
      .catch(toastFault);
  };
}

/** Copies the sample project, adds it and goes there. */
export function useOpenSample(): { run: () => void; busy: boolean } {
  const setProject = useView((view) => view.setProject);
  const sample = useCommand("sample.open", {
    stale: ["projects", "state", "hooks", "trust"],
    onSuccess: ({ path }) => setProject(path),
    onError: toastFault,
  });
  return { run: () => sample.mutate({}), busy: sample.isPending };
}
