/** The fixes of a filter that did not match: each shows its exact difference first, and edits the file. */
import { Wrench } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components";
import { t } from "@/i18n";
import { type Gate, type HookRow, useCall } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { useReportEdit } from "./afterEdit";
import { EditSheet } from "./EditConfirm";
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
  const report = useReportEdit(project);
  const hooks = useCall("hooks.list", { project }).data?.hooks ?? NO_HOOKS;
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
        <EditSheet
          method="edit.change"
          request={{ project, hook: hook.hook, version: hook.version, steps: chosen.steps }}
          title={labelOf(chosen)}
          project={project}
          hooks={hooks}
          onDone={(doc) => {
            const name = oneLine(hook.label, 60);
            report(doc, t("fix.done", { hook: name }), { what: t("edits.did.edit", { name }) });
          }}
          onClose={() => setChosen(null)}
        >
          <MatchesAfter project={project} hook={hook} event={event} steps={chosen.steps} />
        </EditSheet>
      ) : null}
    </div>
  );
}
