/** Undo and Redo of the edits that the list has, and their keys. */
import { useRef } from "react";
import { toast } from "@/components";
import { useUndo } from "@/domain/edits/undo";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { useScreenActions } from "@/lib/actions";
import { editToUndo, newestEdits, type StoredEdit, undoToRedo } from "./editList";
import { editWords } from "./editWords";

export interface ListUndoing {
  /** `all` are the edits that the sentence may name. */
  run: (edit: StoredEdit, all: readonly StoredEdit[]) => void;
  busy: boolean;
}

/** `project` is the one on show, through which the user's own files are edited. */
export function useListUndo(project: string | null): ListUndoing {
  const { run, busy } = useUndo();
  return {
    run: (edit, all) =>
      run({
        project: edit.in_project ? edit.project : (project ?? edit.project),
        edit: edit.edit,
        what: editWords(edit, all),
      }),
    busy,
  };
}

/** `Ctrl Z` and `Ctrl Shift Z` wherever hooks are listed. */
export function useUndoKeys(project: string | null): void {
  const { run } = useListUndo(project);
  // A key that is held down asks once.
  const asking = useRef(false);
  const act = (pick: typeof editToUndo, nothing: "edits.nothingToUndo" | "edits.nothingToRedo") => {
    if (asking.current) return;
    asking.current = true;
    newestEdits(project)
      .then((edits) => {
        const edit = pick(edits);
        if (edit === undefined) toast(t(nothing), null);
        else run(edit, edits);
      })
      .catch(toastFault)
      .finally(() => {
        asking.current = false;
      });
  };
  useScreenActions({
    "edits.undo": () => act(editToUndo, "edits.nothingToUndo"),
    "edits.redo": () => act(undoToRedo, "edits.nothingToRedo"),
  });
}
