import { useEffect, useState } from "react";
import { Segmented, Select } from "@/components";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { baseName, shortPath } from "@/lib/names";
import { SourceTab } from "../SourceTab";
import { useHookFiles } from "./files";

interface SourceFilesProps {
  hook: HookRow;
  project: string;
  onSaved: (doc: EditDone, path: string, reload: () => void) => void;
}

/** So many files stand side by side; more are in a list. */
const TABS = 3;

/** The hook's file, and the scripts or the text that it refers to, one at a time. */
export function SourceFiles({ hook, project, onSaved }: SourceFilesProps) {
  const [chosen, setChosen] = useState(hook.path);
  const files = useHookFiles(project, hook);
  const path = files.includes(chosen) ? chosen : hook.path;
  // A script of a folder may have the name of another one.
  const isUnique = new Set(files.map(baseName)).size === files.length;
  const choices = files.map((file) => ({ value: file, label: isUnique ? baseName(file) : shortPath(file, project) }));
  const choice = { label: t("editor.files"), value: path, onChange: setChosen };
  // Another hook begins with its definition.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id alone may stay while the hook moves
  useEffect(() => setChosen(hook.path), [hook.hook, hook.path]);
  return (
    <>
      {files.length > 1 ? (
        <div className="pane-head">
          {files.length > TABS || !isUnique ? (
            <Select {...choice} options={choices.map((one) => ({ ...one, mono: true }))} />
          ) : (
            <Segmented {...choice} items={choices} />
          )}
        </div>
      ) : null}
      <SourceTab
        key={path}
        path={path}
        hook={hook.hook}
        owner={path === hook.path ? null : hook.hook}
        line={path === hook.path ? hook.line : null}
        project={project}
        onSaved={(doc, reload) => onSaved(doc, path, reload)}
      />
    </>
  );
}
