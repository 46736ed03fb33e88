import { FileWarning } from "lucide-react";
import { useState } from "react";
import { Button, Diff, FaultNote, Note, Sheet, Skeleton } from "@/components";
import { useTranslation } from "@/i18n";
import { useCall } from "@/ipc";
import { toEditable } from "@/lib/lineEndings";
import { useMedia } from "@/lib/media";
import { baseName } from "@/lib/names";
import type { Draft } from "./drafts";

interface ChangedOnDiskProps {
  draft: Draft;
  /** The hook that names this script; null for a file that defines hooks. */
  owner: string | null;
  onLoad: () => void;
  onKeep: () => void;
}

/** Says that the file changed while it was edited, with the ways on. */
export function ChangedOnDisk({ draft, owner, onLoad, onKeep }: ChangedOnDiskProps) {
  const { t } = useTranslation();
  const [comparing, setComparing] = useState(false);
  const choices = (
    <span className="row changed-choices">
      <Button size="small" onClick={onLoad}>
        {t("editor.loadAgain")}
      </Button>
      <Button size="small" onClick={onKeep}>
        {t("editor.keepMine")}
      </Button>
    </span>
  );
  return (
    <Note kind="warning" icon={FileWarning} lead={t("editor.changedOnDisk")} className="flat">
      {t("editor.changedOnDiskText")}
      <span className="row changed-choices">
        <Button size="small" onClick={() => setComparing(true)}>
          {t("editor.showDifference")}
        </Button>
        {choices}
      </span>
      {comparing ? (
        <Comparison draft={draft} owner={owner} onClose={() => setComparing(false)}>
          {choices}
        </Comparison>
      ) : null}
    </Note>
  );
}

interface ComparisonProps {
  draft: Draft;
  owner: string | null;
  onClose: () => void;
  children: React.ReactNode;
}

/** The file on disk beside the text that was typed. */
function Comparison({ draft, owner, onClose, children }: ComparisonProps) {
  const { t } = useTranslation();
  const isWide = useMedia("(min-width: 1100px)");
  const { project, path, dialect } = draft;
  const disk = useCall("hooks.text", { project, path, dialect, hook: owner }, { refetchOnMount: true });
  return (
    <Sheet open wide title={t("editor.diskAndMine", { file: baseName(path) })} onClose={onClose}>
      <div className="pane-body scroll edit-body">
        {disk.error !== null ? (
          <FaultNote fault={disk.error} onRetry={() => void disk.refetch()} />
        ) : disk.data === undefined ? (
          <Skeleton what={baseName(path)} height={20} />
        ) : (
          <Diff
            label={t("editor.differenceOf", { file: baseName(path) })}
            before={toEditable(disk.data.text).text}
            after={draft.text}
            mode={isWide ? "split" : "unified"}
          />
        )}
      </div>
      <div className="dialog-foot save-foot">{children}</div>
    </Sheet>
  );
}
