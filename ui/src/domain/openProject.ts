/** Ways to open a project: a folder of the user's choice, or the sample. */

import { create } from "zustand";
import { useRefused } from "@/domain/refused";
import { useTranslation } from "@/i18n";
import { inWindow, useCommand } from "@/ipc";
import { useView } from "@/lib/view";
import { useOpenProject } from "./project";

/** Whether the dialog that asks for a path is open. Only the browser page needs one. */
export const useFolderDialog = create<{ open: boolean; setOpen: (open: boolean) => void }>()((set) => ({
  open: false,
  setOpen: (open) => set({ open }),
}));

/** Opens a folder: through the system's dialog in the window, by its path in a browser. */
export function useOpenFolder(): () => void {
  const { t } = useTranslation();
  const refused = useRefused();
  const openProject = useOpenProject();
  const setOpen = useFolderDialog((dialog) => dialog.setOpen);
  return () => {
    if (!inWindow()) {
      setOpen(true);
      return;
    }
    void (async () => {
      try {
        const { open } = await import("@tauri-apps/plugin-dialog");
        const path = await open({ directory: true, title: t("shell.project.openFolder") });
        if (path !== null) await openProject(path, false);
      } catch (thrown) {
        refused(thrown);
      }
    })();
  };
}

/** Copies the sample project, adds it and goes there. */
export function useOpenSample(): { run: () => void; busy: boolean } {
  const refused = useRefused();
  const setProject = useView((view) => view.setProject);
  const sample = useCommand("sample.open", {
    stale: ["projects", "state", "hooks", "trust"],
    onSuccess: ({ path }) => setProject(path),
    onError: refused,
  });
  return { run: () => sample.mutate({}), busy: sample.isPending };
}
