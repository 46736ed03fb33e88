import { FileWarning } from "lucide-react";
import { useState } from "react";
import { Button, Diff, FaultNote, Note, Segmented, Sheet, Skeleton } from "@/components";
import { t } from "@/i18n";
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
  const [comparing, setComparing] = useState(false);
  const choices = (
    <span className="row changed-choices flex-wrap mt-1.5 [&>.changed-choices]:mt-0">
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
      <span className="row changed-choices flex-wrap mt-1.5 [&>.changed-choices]:mt-0">
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

/**
 * The three versions: what the file was when the edit began, what it is on disk, and what was typed. Both changes since
 * then lie side by side; where there is room for one only, they are chosen.
 */
function ThreeWays({ draft, disk, isWide }: { draft: Draft; disk: string; isWide: boolean }) {
  const [shown, setShown] = useState<Shown>("both");
  const name = baseName(draft.path);
  const theirs = { label: t("form.theirChanges"), before: draft.saved, after: disk };
  const mine = { label: t("form.myChanges"), before: draft.saved, after: draft.text };
  if (shown === "both" && isWide) {
    return (
      <>
        <Choice shown={shown} onShow={setShown} />
        <div className="grid grid-cols-2 gap-3 [&>section]:min-w-0">
          {[theirs, mine].map((side) => (
            <section key={side.label} aria-label={side.label}>
              <h3>{side.label}</h3>
              <Diff {...side} mode="unified" />
            </section>
          ))}
        </div>
      </>
    );
  }
  const one =
    shown === "theirs"
      ? theirs
      : shown === "mine"
        ? mine
        : { label: t("editor.differenceOf", { file: name }), before: disk, after: draft.text };
  return (
    <>
      <Choice shown={shown} onShow={setShown} />
      <Diff {...one} mode={isWide ? "split" : "unified"} />
    </>
  );
}

type Shown = "both" | "theirs" | "mine";

function Choice({ shown, onShow }: { shown: Shown; onShow: (shown: Shown) => void }) {
  return (
    <div className="pane-head">
      <Segmented<Shown>
        label={t("form.show")}
        value={shown}
        onChange={onShow}
        items={[
          { value: "both", label: t("form.both") },
          { value: "theirs", label: t("form.theirs") },
          { value: "mine", label: t("form.mine") },
        ]}
      />
    </div>
  );
}

/** The file on disk beside the text that was typed. */
function Comparison({ draft, owner, onClose, children }: ComparisonProps) {
  const isWide = useMedia("(min-width: 1100px)");
  const { project, path } = draft;
  const disk = useCall("hooks.text", { project, path, hook: owner }, { refetchOnMount: true });
  return (
    <Sheet open wide title={t("editor.diskAndMine", { file: baseName(path) })} onClose={onClose}>
      <div className="pane-body scroll bg-code">
        {disk.error !== null ? (
          <FaultNote fault={disk.error} onRetry={() => void disk.refetch()} />
        ) : disk.data === undefined ? (
          <Skeleton what={baseName(path)} height={20} />
        ) : (
          <ThreeWays draft={draft} disk={toEditable(disk.data.text).text} isWide={isWide} />
        )}
      </div>
      <div className="dialog-foot">{children}</div>
    </Sheet>
  );
}
