/** The way to the condition of a hook, where its file can be changed. */

import { Filter } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components";
import { eventOf, isEditable, labelOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useDialect, useEventInfo } from "@/ipc/dialects";
import type { Edits } from "../edits";
import FilterSheet from "./FilterSheet";

interface FilterEditProps {
  hook: HookRow;
  hooks: readonly HookRow[];
  project: string;
  edits: Edits;
}

export function FilterEdit({ hook, hooks, project, edits }: FilterEditProps) {
  const [open, setOpen] = useState(false);
  const dialect = useDialect(hook.dialect);
  const event = useEventInfo(hook.dialect, eventOf(hook));
  if (dialect === undefined || event === undefined) return null;
  if (dialect.filters.length === 0 || !isEditable(hook, dialect)) return null;
  return (
    <>
      <Button className="align-middle" size="small" kind="ghost" icon={Filter} onClick={() => setOpen(true)}>
        {t("hooks.drawer.editFilter")}
      </Button>
      {open ? (
        <FilterSheet
          hook={hook}
          hooks={hooks}
          event={event.name}
          project={project}
          onClose={() => setOpen(false)}
          onDone={(doc) => {
            setOpen(false);
            const name = labelOf(hook);
            edits.done(hook, doc, t("filter.saved", { hook: name }), t("edits.did.edit", { name }));
          }}
        />
      ) : null}
    </>
  );
}
