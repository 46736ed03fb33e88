/** What follows every change of a hook file: what the engine has to say about it, and Undo. */
import { toast } from "@/components";
import { type EditToUndo, useEditNotices, useUndo } from "@/domain/edits/undo";
import { t } from "@/i18n";
import type { Reply } from "@/ipc";

export type EditDone = Reply<"edit.change">;

/** Says in `said` that an edit was made, with Undo where it can be undone. */
export type ReportEdit = (doc: EditDone, said: string, edit: Omit<EditToUndo, "project" | "edit">) => void;

export function useReportEdit(project: string): ReportEdit {
  const note = useEditNotices();
  const { run } = useUndo();
  return ({ undo, notices }, said, edit) => {
    note(notices ?? []);
    // Last, since only the latest two are shown.
    toast(said, undo === null ? null : { label: t("undo"), run: () => run({ ...edit, project, edit: undo }) });
  };
}
