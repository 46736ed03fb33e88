import { useEffect, useState } from "react";
import { Segmented } from "@/components";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { useTranslation } from "@/i18n";
import type { HookRow } from "@/ipc";
import { baseName } from "@/lib/names";
import { SourceTab } from "../SourceTab";
import { filesOf } from "./files";

interface SourceFilesProps {
  hook: HookRow;
  project: string;
  onSaved: (doc: EditDone, path: string, reload: () => void) => void;
}

/** The hook's file, and the script or the text that it refers to, one at a time. */
export function SourceFiles({ hook, project, onSaved }: SourceFilesProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(hook.path);
  const files = filesOf(hook);
  const path = files.includes(chosen) ? chosen : hook.path;
  // Another hook begins with its definition.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id alone may stay while the hook moves
  useEffect(() => setChosen(hook.path), [hook.hook, hook.path]);
  return (
    <>
      {files.length > 1 ? (
        <div className="pane-head">
          <Segmented
            label={t("editor.files")}
            value={path}
            onChange={setChosen}
            items={files.map((file) => ({ value: file, label: baseName(file) }))}
          />
        </div>
      ) : null}
      <SourceTab
        key={path}
        path={path}
        hook={hook.hook}
        line={path === hook.path ? hook.line : null}
        project={project}
        onSaved={(doc, reload) => onSaved(doc, path, reload)}
      />
    </>
  );
}
