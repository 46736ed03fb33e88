/** The fixes of a filter that did not match: each shows its exact difference first, and edits the file. */
import { Wrench } from "lucide-react";
import { useState } from "react";
import { Button, Sheet } from "@/components";
import { t } from "@/i18n";
import { type Gate, type HookRow, useCall } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { useReportEdit } from "./afterEdit";
import { EditConfirm, useConfirmedEdit } from "./EditConfirm";
import { isEditable } from "./facts";
import { type FilterFix, fixesOf } from "./filterFix";
import { MatchesAfter } from "./HistoryMatch";

const NO_HOOKS: HookRow[] = [];

interface FilterFixesProps {
  gate: Gate;
  hook: HookRow;
  event: string;
  project: string;
}

function labelOf({ kind, from, to }: FilterFix): string {
  return kind === "add" ? t("fix.add", { name: to }) : t("fix.change", { from: from ?? "", to });
}

export function FilterFixes({ gate, hook, event, project }: FilterFixesProps) {
  const [chosen, setChosen] = useState<FilterFix | null>(null);
  const dialect = useDialect(hook.dialect);
  // A condition that is not meant for this event is right as it is.
  const fixes = gate.near_miss !== null && isEditable(hook, dialect) ? fixesOf(gate, hook) : [];
  const [first] = fixes;
  useScreenActions({ "filter.fix": first && chosen === null ? () => setChosen(first) : null });
  if (first === undefined) return null;
  return (
    <div className="row flex-wrap mb-2">
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
  const what = labelOf(fix);
  const report = useReportEdit(project);
  const hooks = useCall("hooks.list", { project }).data?.hooks ?? NO_HOOKS;
  const request = { project, hook: hook.hook, version: hook.version, steps: fix.steps };
  const edit = useConfirmedEdit("edit.change", request, (doc) => {
    const name = oneLine(hook.label, 60);
    report(doc, t("fix.done", { hook: name }), { what: t("edits.did.edit", { name }) });
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
      >
        <MatchesAfter project={project} hook={hook} event={event} steps={fix.steps} />
      </EditConfirm>
    </Sheet>
  );
}
