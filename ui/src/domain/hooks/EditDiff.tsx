/** The exact change of hook files, as the engine would write it: side by side from 1100 px. */
import { Diff } from "@/components";
import { t } from "@/i18n";
import type { FileDiff } from "@/ipc";
import { useMedia } from "@/lib/media";
import { shortPath } from "@/lib/names";
import { shownSides } from "./hunks";

const SIDE_BY_SIDE = "(min-width: 1100px)";

interface EditDiffProps {
  /** The `changes` of the engine's reply. */
  changes: readonly FileDiff[];
  /** Paths are shown from it on. */
  project: string | null;
  /** Where there is no room for two columns, however wide the window is. */
  unified?: boolean;
}

export function EditDiff({ changes, project, unified = false }: EditDiffProps) {
  const isWide = useMedia(SIDE_BY_SIDE);
  if (changes.length === 0) return <p className="text-small dim pad">{t("diff.same")}</p>;
  return (
    <div className="[&_.diff+.diff]:border-t [&_.diff+.diff]:border-line-2">
      {changes.map(({ path, binary, change, mode, hunks }) => (
        <section key={path}>
          <h3 className="flex gap-2 py-1.5 px-3 bg-2">
            <span className="mono trunc">{shortPath(path, project)}</span>
            {change === null ? null : <span>{t(`editor.file.${change}`)}</span>}
          </h3>
          {mode ? <p className="text-small pad mono">{t("fix.file.mode", { from: mode.from, to: mode.to })}</p> : null}
          {binary ? <p className="text-small dim pad">{t("editor.notText")}</p> : null}
          {hunks.map((hunk) => (
            <Diff
              key={hunk.old_start}
              label={t("editor.differenceOf", { file: shortPath(path, project) })}
              {...shownSides(hunk)}
              mode={isWide && !unified && change === null ? "split" : "unified"}
              firstLine={hunk.old_start}
              firstLineAfter={hunk.new_start}
            />
          ))}
        </section>
      ))}
    </div>
  );
}
