/** Asks before a file with unsaved changes is left. */

import { FilePenLine } from "lucide-react";
import { Confirm } from "@/components";
import { t } from "@/i18n";
import { baseName } from "@/lib/names";
import { useBlocker } from "@/routes/router";
import { type HooksSearch, hooksSearch } from "@/routes/search";
import { draftKey, isDirty, useDraft, useDrafts } from "./drafts";

interface LeaveGuardProps {
  project: string;
  path: string;
  /** Whether this place of the Hooks screen still shows the file. */
  shows: (search: HooksSearch) => boolean;
}

export function LeaveGuard({ project, path, shows }: LeaveGuardProps) {
  const key = draftKey(project, path);
  const draft = useDraft(key);
  const end = useDrafts((store) => store.end);
  const dirty = isDirty(draft);
  const shouldBlockFn = ({ next }: { next: { pathname: string; search: object } }) => {
    if (!isDirty(useDrafts.getState().drafts[key])) return false;
    return next.pathname !== "/hooks" || !shows(hooksSearch(next.search as Record<string, unknown>));
  };
  const asked = useBlocker({ shouldBlockFn, disabled: !dirty });
  return (
    <Confirm
      open={asked.status === "blocked"}
      icon={FilePenLine}
      title={t("editor.leaveTitle", { file: baseName(path) })}
      safeLabel={t("editor.keepEditing")}
      doLabel={t("editor.discard")}
      onClose={() => asked.reset?.()}
      onDo={() => {
        end(key);
        asked.proceed?.();
      }}
    >
      {t("editor.leaveText")}
    </Confirm>
  );
}
