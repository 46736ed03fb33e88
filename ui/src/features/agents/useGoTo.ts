/** Opens another screen for a session, whose project may not be the one on show. */
import { useCallback } from "react";
import { toast } from "@/components";
import { useOpenProject, useProject } from "@/domain/project";
import { useMessages } from "@/i18n/messages";
import { asFault } from "@/ipc";
import { type navigate, useNavigate } from "@/routes/router";

type Target = Parameters<typeof navigate>[0];

export function useGoTo(): (cwd: string, target: Target) => void {
  const project = useProject();
  const open = useOpenProject();
  const go = useNavigate();
  const say = useMessages();
  return useCallback(
    (cwd, target) => {
      const shown = cwd === project ? Promise.resolve() : open(cwd, false);
      shown.then(
        () => go(target),
        (thrown: unknown) => toast(say.fault(asFault(thrown)).message, null, "error"),
      );
    },
    [project, open, go, say],
  );
}
