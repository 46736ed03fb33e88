/** Opens another screen for a session, whose project may not be the one on show. */
import { useOpenProject, useProject } from "@/domain/project";
import { toastFault } from "@/domain/refused";
import { type Target, useNavigate } from "@/routes/router";

export function useGoTo(): (cwd: string, target: Target) => void {
  const project = useProject();
  const open = useOpenProject();
  const go = useNavigate();
  return (cwd, target) => {
    const shown = cwd === project ? Promise.resolve() : open(cwd, false);
    shown.then(() => go(target), toastFault);
  };
}
