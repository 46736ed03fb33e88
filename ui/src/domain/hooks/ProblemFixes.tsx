/** The fixes of a problem: each shows the exact change of its script first, and makes it as an edit with Undo. */
import { Wrench } from "lucide-react";
import { useState } from "react";
import { Button, Sheet } from "@/components";
import { t } from "@/i18n";
import type { HookRow, Params, Problem } from "@/ipc";
import { baseName } from "@/lib/names";
import { useReportEdit } from "./afterEdit";
import { EditConfirm, useConfirmedEdit } from "./EditConfirm";

type FileFix = Params<"edit.fix">["fix"];

interface ProblemFixesProps {
  problem: Problem;
  hooks: readonly HookRow[];
  project: string;
}

export function ProblemFixes({ problem, hooks, project }: ProblemFixesProps) {
  const [chosen, setChosen] = useState<FileFix | null>(null);
  const fixes = problem.fixes ?? [];
  if (fixes.length === 0) return null;
  return (
    <div className="row flex-wrap mb-2">
      {fixes.map((fix) => (
        <Button key={`${fix.fix} ${fix.path}`} size="small" icon={Wrench} onClick={() => setChosen(fix)}>
          {t(`fix.file.${fix.fix}`, { file: baseName(fix.path) })}
        </Button>
      ))}
      {chosen ? (
        <ApplyFix fix={chosen} problem={problem} hooks={hooks} project={project} onClose={() => setChosen(null)} />
      ) : null}
    </div>
  );
}

function ApplyFix({
  fix,
  problem,
  hooks,
  project,
  onClose,
}: ProblemFixesProps & { fix: FileFix; onClose: () => void }) {
  const file = baseName(fix.path);
  const what = t(`fix.file.${fix.fix}`, { file });
  const report = useReportEdit(project);
  const edit = useConfirmedEdit("edit.fix", { project, hook: problem.hook, fix }, (doc) => {
    report(doc, t("fix.file.done", { file }), { what: t("edits.did.save", { file }) });
    onClose();
  });
  return (
    <Sheet open wide title={what} onClose={onClose}>
      <EditConfirm
        {...edit}
        project={project}
        hooks={hooks}
        what={what}
        icon={Wrench}
        safeLabel={t("cancel")}
        doLabel={t("fix.apply")}
        onClose={onClose}
      />
    </Sheet>
  );
}
