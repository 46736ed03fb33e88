/** Writes the text of a file back as it was approved, so that the hook runs again as it did. */
import { Undo2 } from "lucide-react";
import { Button } from "@/components";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { useCommand } from "@/ipc";
import { baseName } from "@/lib/names";
import type { FilePair } from "./ReviewTexts";

/** The scripts of a package file are covered apart from the rest of it. */
const PART_OF_FILE = "#scripts";
const BYTE_ORDER_MARK = /^\uFEFF/;

interface RestoreTextProps {
  pair: FilePair;
  hook: string;
  project: string;
}

export function RestoreText({ pair, hook, project }: RestoreTextProps) {
  const report = useReportEdit(project);
  const saving = useCommand("edit.save", { stale: STALE_BY_EDIT, onError: toastFault });
  const { path, approved, present } = pair;
  const text = approved?.text ?? null;
  if (text === null || present === null || path.endsWith(PART_OF_FILE)) return null;
  const file = baseName(path);
  const restore = () =>
    saving.mutate(
      // The engine keeps the mark of the file.
      { project, path, hook, base: present.hash, text: text.replace(BYTE_ORDER_MARK, "") },
      { onSuccess: (doc) => report(doc, t("review.restored", { file }), { what: t("edits.did.save", { file }) }) },
    );
  return (
    <Button
      size="small"
      icon={Undo2}
      busy={saving.isPending}
      onClick={restore}
      aria-label={t("review.restoreOf", { file })}
    >
      {t("review.restore")}
    </Button>
  );
}
