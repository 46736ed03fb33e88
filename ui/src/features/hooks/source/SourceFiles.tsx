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
  /** What is opened first, and the line in it; undefined for the definition. */
  file: string | undefined;
  line: number | undefined;
  project: string;
  onSaved: (doc: EditDone, path: string, reload: () => void) => void;
}

/** So many files stand side by side; more are in a list. */
const TABS = 3;

/** The hook's file, and the scripts or the text that it refers to, one at a time. */
export function SourceFiles({ hook, file, line, project, onSaved }: SourceFilesProps) {
  const first = file ?? hook.path;
  const [chosen, setChosen] = useState(first);
  const files = useHookFiles(project, hook);
  const path = files.includes(chosen) ? chosen : hook.path;
  // A script of a folder may have the name of another one.
  const isUnique = new Set(files.map(baseName)).size === files.length;
  const choices = files.map((one) => ({ value: one, label: isUnique ? baseName(one) : shortPath(one, project) }));
  const choice = { label: t("editor.files"), value: path, onChange: setChosen };
  // Another hook begins with its definition.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id alone may stay while the hook moves
  useEffect(() => setChosen(first), [hook.hook, first]);
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
        line={path === file && line !== undefined ? line : path === hook.path ? hook.line : null}
        project={project}
        onSaved={(doc, reload) => onSaved(doc, path, reload)}
      />
    </>
  );
}
