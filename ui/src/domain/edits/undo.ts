/** Undo and Redo of edits of the user's files. An undo is an edit, so undoing it redoes what it undid. */
import { toast } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { type Notice, useCommand } from "@/ipc";
import { useNavigate } from "@/routes/router";

/** What a changed hook file makes old. */
export const STALE_BY_EDIT = ["hooks", "trust", "state"] as const;

/** Says what the engine notes of an edit: hooks that now wait for a review, with the way there, and everything else. */
export function useEditNotices(): (notices: readonly Notice[]) => void {
  const navigate = useNavigate();
  return (notices) => {
    for (const notice of notices) if (notice.hook === null) toast(say(notice, notice.text), null, "warning");
    const waiting = notices.flatMap(({ hook }) => hook ?? []);
    const [first] = waiting;
    if (first === undefined) return;
    const review = () => void navigate({ to: "/trust", search: { hook: first } });
    toast(
      t("editor.runsAfterReview", { count: waiting.length }),
      { label: t("editor.review"), run: review },
      "warning",
    );
  };
}

export interface EditToUndo {
  /** Of the file that was edited, or the one on show for the user's own files. */
  project: string;
  /** The id of the edit. */
  edit: string;
  /** What the edit did, in words without a full stop. */
  what: string;
  /** Runs after each Undo, and after each Redo that follows it. */
  onUndone?: () => void;
  onRedone?: () => void;
}

export interface Undoing {
  run: (edit: EditToUndo) => void;
  busy: boolean;
}

/** Undoes an edit and says so with Redo, whose toast has Undo again. */
export function useUndo(): Undoing {
  const note = useEditNotices();
  const undoing = useCommand("edit.undo", { stale: STALE_BY_EDIT, onError: toastFault });
  const turn = (of: EditToUndo, edit: string, redoes: boolean) =>
    undoing.mutate(
      { project: of.project, undo: edit },
      {
        onSuccess: (doc) => {
          (redoes ? of.onRedone : of.onUndone)?.();
          note(doc.notices ?? []);
          const next = doc.edit;
          // Last, since only the latest two are shown.
          toast(
            t(redoes ? "edits.redone" : "edits.undoneNow", { what: of.what }),
            next === null ? null : { label: t(redoes ? "undo" : "edits.redo"), run: () => turn(of, next, !redoes) },
          );
        },
      },
    );
  return { run: (of) => turn(of, of.edit, false), busy: undoing.isPending };
}
