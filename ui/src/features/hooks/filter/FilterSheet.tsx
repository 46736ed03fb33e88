/** The condition of a hook in its file: built beside the exact change, which is written when it is confirmed. */
import { Filter } from "lucide-react";
import { useMemo, useState } from "react";
import { Sheet } from "@/components";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { useUnsaved } from "@/domain/edits/useUnsaved";
import { filterOf, filterSteps } from "@/domain/filter/clauses";
import FilterBuilder from "@/domain/filter/FilterBuilder";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { EditConfirm } from "@/domain/hooks/EditConfirm";
import { labelOf } from "@/domain/hooks/facts";
import { useEditPreview } from "@/domain/hooks/useEditPreview";
import { t } from "@/i18n";
import { type HookRow, useCommand } from "@/ipc";
import { useDialect, useEventInfo } from "@/ipc/dialects";

interface FilterSheetProps {
  hook: HookRow;
  hooks: readonly HookRow[];
  /** One that the hook serves. */
  event: string;
  project: string;
  onClose: () => void;
  onDone: (doc: EditDone) => void;
}

export default function FilterSheet({ hook, hooks, event: name, project, onClose, onDone }: FilterSheetProps) {
  const dialect = useDialect(hook.dialect);
  const event = useEventInfo(hook.dialect, name);
  const saved = useMemo(() => filterOf(hook, dialect?.filters ?? []), [hook, dialect]);
  const [value, setValue] = useState(saved);
  const steps = filterSteps(hook.definition, saved, value, dialect?.filters ?? []);
  const request = steps.length === 0 ? null : { project, hook: hook.hook, version: hook.version, steps };
  const preview = useEditPreview("edit.change", request);
  const changing = useCommand("edit.change", { stale: STALE_BY_EDIT, onSuccess: onDone });
  const unsaved = useUnsaved(request !== null, onClose);
  if (dialect === undefined || event === undefined) return null;
  const ask = { project, dialect: dialect.id, event: name, hook: hook.hook };
  return (
    <Sheet open wide title={t("filter.editOf", { hook: labelOf(hook) })} onClose={unsaved.close}>
      {unsaved.question}
      <EditConfirm
        project={project}
        preview={preview}
        waiting={preview.waiting}
        hooks={hooks}
        problems={preview.doc?.problems.filter(({ severity }) => severity !== "hint")}
        what={t("filter.preview")}
        form={
          <div className="scroll p-3">
            <FilterBuilder
              dialect={dialect}
              event={event}
              value={value}
              onChange={setValue}
              ask={steps.length === 0 ? ask : { ...ask, steps }}
              saved={{ ask, value: saved }}
            />
          </div>
        }
        nothing={request === null ? t("filter.unchanged") : undefined}
        fault={changing.error}
        busy={changing.isPending}
        icon={Filter}
        safeLabel={t("cancel")}
        doLabel={t("filter.save")}
        onClose={unsaved.close}
        onDo={() => {
          if (request !== null) changing.mutate(request);
        }}
      />
    </Sheet>
  );
}
