/** The exact change of hook files, as the engine would write it: side by side from 1100 px. */
import { useMemo } from "react";
import { Diff } from "@/components";
import { t } from "@/i18n";
import { useMedia } from "@/lib/media";
import { shortPath } from "@/lib/names";
import { parseUnifiedDiff } from "./unifiedDiff";

const SIDE_BY_SIDE = "(min-width: 1100px)";

interface EditDiffProps {
  /** The `diff` of the engine's reply. */
  diff: string;
  /** Paths are shown from it on. */
  project: string | null;
  /** Where there is no room for two columns, however wide the window is. */
  unified?: boolean;
}

export function EditDiff({ diff, project, unified = false }: EditDiffProps) {
  const isWide = useMedia(SIDE_BY_SIDE);
  const files = useMemo(() => parseUnifiedDiff(diff), [diff]);
  if (files.length === 0) return <p className="text-small dim pad">{t("diff.same")}</p>;
  return (
    <div className="[&_.diff+.diff]:border-t [&_.diff+.diff]:border-line-2">
      {files.map(({ path, binary, change, mode, hunks }) => (
        <section key={path}>
          <h3 className="flex gap-2 py-1.5 px-3 bg-2">
            <span className="mono trunc">{shortPath(path, project)}</span>
            {change === null ? null : <span>{t(`editor.file.${change}`)}</span>}
          </h3>
          {mode ? <p className="text-small pad mono">{t("fix.file.mode", { from: mode[0], to: mode[1] })}</p> : null}
          {binary ? <p className="text-small dim pad">{t("editor.notText")}</p> : null}
          {hunks.map(({ before, after, oldStart, newStart }) => (
            <Diff
              key={oldStart}
              label={t("editor.differenceOf", { file: shortPath(path, project) })}
              before={before}
              after={after}
              mode={isWide && !unified && change === null ? "split" : "unified"}
              firstLine={oldStart}
              firstLineAfter={newStart}
            />
          ))}
        </section>
      ))}
    </div>
  );
}
