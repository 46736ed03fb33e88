/** Undo and Redo of edits of people's files. An undo is an edit, so it can be undone as well. */
import { useRef } from "react";
import { toast } from "@/components";
import { STALE_BY_EDIT } from "@/domain/hooks/afterEdit";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { asFault, useCommand } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { editToUndo, newestEdits, type StoredEdit, undoToRedo } from "./editList";
import { useEditWords } from "./editWords";

export interface Undoing {
  /** `all` are the edits that the sentence may name. */
  run: (edit: StoredEdit, all: readonly StoredEdit[]) => void;
  busy: boolean;
}

/** `project` is the one on show, through which the user's own files are edited. */
export function useUndo(project: string | null): Undoing {
  const { t } = useTranslation();
  const say = useMessages();
  const didOf = useEditWords();
  const undoing = useCommand("edit.undo", {
    stale: STALE_BY_EDIT,
    onError: (fault) => {
      const { message, hint } = say.fault(fault);
      toast([message, hint].filter(Boolean).join(" · "), null, "error");
    },
  });
  const run: Undoing["run"] = (edit, all) => {
    const what = didOf(edit, all);
    const through = edit.in_project ? edit.project : (project ?? edit.project);
    undoing.mutate(
      { project: through, undo: edit.edit },
      {
        onSuccess: (doc) => {
          for (const notice of doc.notices ?? []) toast(say.say(notice, notice.text), null, "warning");
          const back = doc.edit;
          const redo = () =>
            undoing.mutate(
              { project: through, undo: back ?? "" },
              { onSuccess: () => toast(t("edits.redone", { what }), null) },
            );
          toast(t("edits.undoneNow", { what }), back === null ? null : { label: t("edits.redo"), run: redo });
        },
      },
    );
  };
  return { run, busy: undoing.isPending };
}

/** `Ctrl Z` and `Ctrl Shift Z` wherever hooks are listed. */
export function useUndoKeys(project: string | null): void {
  const { t } = useTranslation();
  const say = useMessages();
  const { run } = useUndo(project);
  // A key that is held down asks once.
  const asking = useRef(false);
  const act = async (pick: typeof editToUndo, nothing: "edits.nothingToUndo" | "edits.nothingToRedo") => {
    if (asking.current) return;
    asking.current = true;
    try {
      const edits = await newestEdits(project);
      const edit = pick(edits);
      if (edit === undefined) toast(t(nothing), null);
      else run(edit, edits);
    } catch (thrown) {
      toast(say.fault(asFault(thrown)).message, null, "error");
    } finally {
      asking.current = false;
    }
  };
  useScreenActions({
    "edits.undo": () => void act(editToUndo, "edits.nothingToUndo"),
    "edits.redo": () => void act(undoToRedo, "edits.nothingToRedo"),
  });
}
