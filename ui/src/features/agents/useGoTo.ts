/** Opens another screen for a session, whose project may not be the one on show. */
import { useCallback } from "react";
import { useOpenProject, useProject } from "@/domain/project";
import { useRefused } from "@/domain/refused";
import { type Target, useNavigate } from "@/routes/router";

export function useGoTo(): (cwd: string, target: Target) => void {
  const project = useProject();
  const open = useOpenProject();
  const go = useNavigate();
  const refused = useRefused();
  return useCallback(
    (cwd, target) => {
      const shown = cwd === project ? Promise.resolve() : open(cwd, false);
      shown.then(() => go(target), refused);
    },
    [project, open, go, refused],
  );
}
