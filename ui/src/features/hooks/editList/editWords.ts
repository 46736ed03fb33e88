/** What an edit did, in one sentence. */
import { t } from "@/i18n";
import { oneLine } from "@/lib/escape";
import { baseName } from "@/lib/names";
import type { StoredEdit } from "./editList";

/** `Removed guard.sh`. `all` are the edits among which the one is that an undo undid. */
export function editWords(edit: StoredEdit, all: readonly StoredEdit[]): string {
  const nameOf = ({ label, path }: StoredEdit) => oneLine(label ?? baseName(path), 60);
  const did = (one: StoredEdit) => {
    const turned = one.turned === "off" ? "turnOff" : one.turned === "on" ? "turnOn" : undefined;
    return t(`edits.did.${turned ?? one.what}`, { name: nameOf(one), file: baseName(one.path) });
  };
  if (edit.what !== "undo") return did(edit);
  const undone = all.find((one) => one.edit === edit.undoes);
  if (undone === undefined) return did(edit);
  return undone.what === "undo" ? t("edits.redid", { name: nameOf(edit) }) : t("edits.undid", { what: did(undone) });
}
