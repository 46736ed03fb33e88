/** The fixes of a filter that did not match: each shows its exact difference first, and edits the file. */
import { Wrench } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, FaultNote, Sheet, Skeleton } from "@/components";
import { useTranslation } from "@/i18n";
import { type Gate, type HookRow, useCall, useCommand } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { STALE_BY_EDIT, useAfterEdit } from "./afterEdit";
import { EditDiff } from "./EditDiff";
import { isEditable } from "./facts";
import { type FilterFix, fixesOf } from "./filterFix";
import { MatchesAfter } from "./HistoryMatch";
import { ProblemList } from "./ProblemList";
import { Refusal } from "./Refusal";

const NO_HOOKS: HookRow[] = [];

interface FilterFixesProps {
  gate: Gate;
  hook: HookRow;
  event: string;
  project: string;
}

function useFixLabel(): (fix: FilterFix) => string {
  const { t } = useTranslation();
  return ({ kind, from, to }) =>
    kind === "add" ? t("fix.add", { name: to }) : t("fix.change", { from: from ?? "", to });
}

export function FilterFixes({ gate, hook, event, project }: FilterFixesProps) {
  const [chosen, setChosen] = useState<FilterFix | null>(null);
  const labelOf = useFixLabel();
  const dialect = useDialects().find((one) => one.id === hook.dialect);
  const fixes = isEditable(hook, dialect) ? fixesOf(gate, hook) : [];
  const [first] = fixes;
  useScreenActions({ "filter.fix": first && chosen === null ? () => setChosen(first) : null });
  if (first === undefined) return null;
  return (
    <div className="row filter-fixes">
      {fixes.map((fix) => (
        <Button
          key={fix.kind}
          kind={fix === first ? "primary" : "default"}
          size="small"
          icon={Wrench}
          action={fix === first ? "filter.fix" : undefined}
          onClick={() => setChosen(fix)}
        >
          {labelOf(fix)}
        </Button>
      ))}
      {chosen ? (
        <ApplyFix fix={chosen} hook={hook} event={event} project={project} onClose={() => setChosen(null)} />
      ) : null}
    </div>
  );
}

interface ApplyFixProps {
  fix: FilterFix;
  hook: HookRow;
  event: string;
  project: string;
  onClose: () => void;
}

function ApplyFix({ fix, hook, event, project, onClose }: ApplyFixProps) {
  const { t } = useTranslation();
  const labelOf = useFixLabel();
  const { report } = useAfterEdit(project);
  const request = { project, hook: hook.hook, version: hook.version, steps: fix.steps };
  const hooks = useCall("hooks.list", { project }).data?.hooks ?? NO_HOOKS;
  const dryRun = useCommand("edit.change");
  const changing = useCommand("edit.change", {
    stale: STALE_BY_EDIT,
    onSuccess: (doc) => {
      report(doc, t("fix.done", { hook: oneLine(hook.label, 60) }));
      onClose();
    },
  });
  const begin = useRef(() => dryRun.mutate({ ...request, dry_run: true }));
  useEffect(() => begin.current(), []);
  const apply = () => {
    if (dryRun.data !== undefined && !changing.isPending) changing.mutate(request);
  };
  useScreenActions({ "text.confirmSave": apply });
  return (
    <Sheet open wide title={labelOf(fix)} onClose={onClose}>
      <div className="pane-body scroll edit-body">
        {dryRun.error ? (
          <FaultNote fault={dryRun.error} onRetry={() => begin.current()} />
        ) : dryRun.data === undefined ? (
          <Skeleton what={labelOf(fix)} height={20} />
        ) : (
          <EditDiff diff={dryRun.data.diff} project={project} />
        )}
        {dryRun.data && dryRun.data.problems.length > 0 ? (
          <ProblemList problems={dryRun.data.problems} hooks={hooks} />
        ) : null}
      </div>
      <MatchesAfter project={project} hook={hook} event={event} steps={fix.steps} />
      {changing.error ? <Refusal fault={changing.error} /> : null}
      <div className="dialog-foot edit-foot">
        <Button onClick={onClose} action="dialog.close">
          {t("cancel")}
        </Button>
        <Button
          kind="primary"
          icon={Wrench}
          action="text.confirmSave"
          data-focus
          busy={changing.isPending}
          disabledBecause={dryRun.data === undefined ? t("editor.noDifferenceYet") : null}
          onClick={apply}
        >
          {t("fix.apply")}
        </Button>
      </div>
    </Sheet>
  );
}
