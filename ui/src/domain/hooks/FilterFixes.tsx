/** The fixes of a filter that did not match: each shows its exact difference first, and edits the file. */
import { Wrench } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components";
import { t } from "@/i18n";
import { type Gate, type GateFix, type HookRow, type Payload, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { useReportEdit } from "./afterEdit";
import { EditSheet } from "./EditConfirm";
import { MatchesAfter } from "./HistoryMatch";
import { usePresentGate } from "./presentGate";

const NO_HOOKS: HookRow[] = [];

interface FilterFixesProps {
  gate: Gate;
  hook: HookRow;
  event: string;
  payload: Payload;
  project: string;
}

type ConditionFix = Extract<GateFix, { kind: "condition" }>;

const labelOf = ({ from, to }: ConditionFix) =>
  from === null ? t("fix.add", { name: to }) : t("fix.change", { from, to });

const stepsOf = ({ field, value }: ConditionFix) => [{ do: "set" as const, field, value }];

export function FilterFixes({ gate, hook, event, payload, project }: FilterFixesProps) {
  const [chosen, setChosen] = useState<ConditionFix | null>(null);
  // What was recorded has no fixes: the condition may be another one now.
  const present = usePresentGate(gate.near_miss !== null && gate.fixes === undefined ? gate.gate : null, {
    hook,
    event,
    payload,
    project,
  });
  const report = useReportEdit(project);
  const hooks = useCall("hooks.list", { project }).data?.hooks ?? NO_HOOKS;
  const fixes = (gate.fixes ?? present?.fixes ?? []).filter((fix) => fix.kind === "condition");
  const [first] = fixes;
  useScreenActions({ "filter.fix": first && chosen === null ? () => setChosen(first) : null });
  if (first === undefined) return null;
  return (
    <div className="row flex-wrap mb-2">
      {fixes.map((fix) => (
        <Button
          key={labelOf(fix)}
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
          request={{ project, hook: hook.hook, version: hook.version, steps: stepsOf(chosen) }}
          title={labelOf(chosen)}
          project={project}
          hooks={hooks}
          onDone={(doc) => {
            const name = oneLine(hook.label, 60);
            report(doc, t("fix.done", { hook: name }), { what: t("edits.did.edit", { name }) });
          }}
          onClose={() => setChosen(null)}
        >
          <MatchesAfter project={project} hook={hook} event={event} steps={stepsOf(chosen)} />
        </EditSheet>
      ) : null}
    </div>
  );
}
