/** What follows every change of a hook file: what the engine has to say about it, and Undo. */

import { toast } from "@/components";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { type Fault, type Reply, useCommand } from "@/ipc";
import { useNavigate } from "@/routes/router";

/** What a changed hook file makes old. */
export const STALE_BY_EDIT = ["hooks", "trust", "state"] as const;

export type EditDone = Reply<"edit.change">;

export interface AfterEdit {
  /** Says that the edit was made, with Undo where it can be undone. `undone` runs after that. */
  report: (doc: EditDone, said: string, undone?: () => void) => void;
  /** Says why it was refused. */
  refused: (fault: Fault) => void;
}

export function useAfterEdit(project: string): AfterEdit {
  const { t } = useTranslation();
  const say = useMessages();
  const navigate = useNavigate();
  const refused = (fault: Fault) => {
    const { message, hint } = say.fault(fault);
    toast([message, hint].filter(Boolean).join(" · "), null, "error");
  };
  const undoing = useCommand("edit.undo", { stale: STALE_BY_EDIT, onError: refused });
  const report: AfterEdit["report"] = (doc, said, undone) => {
    const { undo } = doc;
    const back = () => undoing.mutate({ project, undo: undo ?? "" }, { onSuccess: () => undone?.() });
    const notices = doc.notices ?? [];
    for (const notice of notices) if (notice.hook === null) toast(say.say(notice, notice.text), null, "warning");
    const waiting = notices.flatMap(({ hook }) => hook ?? []);
    const [first] = waiting;
    if (first !== undefined) {
      const review = () => void navigate({ to: "/trust", search: { hook: first } });
      toast(
        t("editor.runsAfterReview", { count: waiting.length }),
        { label: t("editor.review"), run: review },
        "warning",
      );
    }
    // Last, since only the latest two are shown.
    toast(said, undo === null ? null : { label: t("undo"), run: back });
  };
  return { report, refused };
}
