/** The exact difference that saving would make, and the button that makes it. */
import { Save } from "lucide-react";
import { Sheet } from "@/components";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { EditConfirm, useConfirmedEdit } from "@/domain/hooks/EditConfirm";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { baseName } from "@/lib/names";
import { type Draft, fileText } from "./drafts";

interface SaveChangesProps {
  draft: Draft;
  hook: string | null;
  /** Those of the text that is saved. */
  hooks: HookRow[];
  onClose: () => void;
  onSaved: (doc: EditDone) => void;
}

export function SaveChanges({ draft, hook, hooks, onClose, onSaved }: SaveChangesProps) {
  const { project, path, dialect, base } = draft;
  const file = baseName(path);
  const edit = useConfirmedEdit("edit.save", { project, path, dialect, base, hook, text: fileText(draft) }, onSaved);
  return (
    <Sheet open wide title={t("editor.saveTitle", { file })} onClose={onClose}>
      <EditConfirm
        {...edit}
        project={project}
        hooks={hooks}
        // Hints are about what was in the file before, too; the check below the editor shows them.
        problems={edit.preview.doc?.problems.filter(({ severity }) => severity !== "hint")}
        what={file}
        icon={Save}
        safeLabel={t("editor.keepEditing")}
        doLabel={t("editor.save")}
        onClose={onClose}
      />
    </Sheet>
  );
}
