/** Fixes of scripts and definitions: each shows the exact change first, and makes it as an edit with Undo. */
import { Wrench } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components";
import { t } from "@/i18n";
import type { HookRow, Params } from "@/ipc";
import { baseName } from "@/lib/names";
import { useReportEdit } from "./afterEdit";
import { EditSheet } from "./EditConfirm";

type FileFix = Params<"edit.fix">["fix"];

interface FileFixesProps {
  fixes: readonly FileFix[] | undefined;
  /** The hook whose script it is. */
  hook: string | null;
  hooks: readonly HookRow[];
  project: string;
}

const labelOf = (fix: FileFix) =>
  t(`fix.file.${fix.fix}`, {
    file: baseName(fix.path),
    field: fix.fix === "field" ? fix.replace.field : "",
    line: fix.fix === "line_text" ? fix.line : "",
    to: fix.fix === "move_file" || fix.fix === "rename_key" ? fix.to : "hooks",
  });

export function FileFixes({ fixes = [], hook, hooks, project }: FileFixesProps) {
  const [chosen, setChosen] = useState<FileFix | null>(null);
  const report = useReportEdit(project);
  if (fixes.length === 0) return null;
  return (
    <div className="row flex-wrap mb-2">
      {fixes.map((fix) => (
        <Button key={`${fix.fix} ${fix.path}`} size="small" icon={Wrench} onClick={() => setChosen(fix)}>
          {labelOf(fix)}
        </Button>
      ))}
      {chosen ? (
        <EditSheet
          method="edit.fix"
          request={{ project, hook, fix: chosen }}
          title={labelOf(chosen)}
          project={project}
          hooks={hooks}
          onDone={(doc) => {
            const file = baseName(chosen.path);
            report(doc, t("fix.file.done", { file }), { what: t("edits.did.save", { file }) });
          }}
          onClose={() => setChosen(null)}
        />
      ) : null}
    </div>
  );
}
