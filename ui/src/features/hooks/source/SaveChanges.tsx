/** The exact difference that saving would make, and the button that makes it. */
import { Save } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, FaultNote, Note, Sheet, Skeleton } from "@/components";
import { type EditDone, STALE_BY_EDIT } from "@/domain/hooks/afterEdit";
import { EditDiff } from "@/domain/hooks/EditDiff";
import { ProblemList } from "@/domain/hooks/ProblemList";
import { Refusal } from "@/domain/hooks/Refusal";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { type HookRow, useCommand } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
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
  const { t } = useTranslation();
  const say = useMessages();
  const { project, path, dialect, base } = draft;
  const request = { project, path, dialect, base, hook, text: fileText(draft) };
  const dryRun = useCommand("edit.save");
  const saving = useCommand("edit.save", { stale: STALE_BY_EDIT, onSuccess: onSaved });
  const begin = useRef(() => dryRun.mutate({ ...request, dry_run: true }));
  useEffect(() => begin.current(), []);
  const save = () => {
    if (dryRun.data !== undefined && !saving.isPending) saving.mutate(request);
  };
  useScreenActions({ "text.confirmSave": save });
  const wrong = dryRun.data?.problems.filter(({ severity }) => severity !== "hint") ?? [];
  return (
    <Sheet open wide title={t("editor.saveTitle", { file: baseName(path) })} onClose={onClose}>
      <div className="pane-body scroll edit-body">
        {dryRun.error ? (
          <FaultNote fault={dryRun.error} onRetry={() => begin.current()} />
        ) : dryRun.data === undefined ? (
          <Skeleton what={baseName(path)} height={20} />
        ) : (
          <EditDiff diff={dryRun.data.diff} project={project} />
        )}
      </div>
      {wrong.length > 0 ? (
        <div className="save-problems scroll">
          <ProblemList problems={wrong} hooks={hooks} />
        </div>
      ) : null}
      {saving.error ? <Refusal fault={saving.error} /> : null}
      {dryRun.data?.notices?.map((notice) => (
        <Note key={notice.text} kind="warning" className="flat">
          {say.say(notice, notice.text)}
        </Note>
      ))}
      <div className="dialog-foot save-foot">
        <Button onClick={onClose} action="dialog.close">
          {t("editor.keepEditing")}
        </Button>
        <Button
          kind="primary"
          icon={Save}
          action="text.confirmSave"
          data-focus
          busy={saving.isPending}
          disabledBecause={dryRun.data === undefined ? t("editor.noDifferenceYet") : null}
          onClick={save}
        >
          {t("editor.save")}
        </Button>
      </div>
    </Sheet>
  );
}
