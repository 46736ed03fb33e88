/** The way to the prompt of a hook that asks a model. */

import { MessageSquareText } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components";
import { eventOf, isEditable, labelOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import type { Edits } from "../edits";
import PromptSheet from "./PromptSheet";

interface PromptEditProps {
  hook: HookRow;
  hooks: readonly HookRow[];
  project: string;
  edits: Edits;
}

export function PromptEdit({ hook, hooks, project, edits }: PromptEditProps) {
  const [open, setOpen] = useState(false);
  const dialect = useDialect(hook.dialect);
  const field = dialect?.prompt_field ?? null;
  if (field === null || hook.handler !== "prompt" || !isEditable(hook, dialect)) return null;
  return (
    <>
      <Button size="small" kind="ghost" icon={MessageSquareText} onClick={() => setOpen(true)}>
        {t("hooks.drawer.editPrompt")}
      </Button>
      {open ? (
        <PromptSheet
          hook={hook}
          hooks={hooks}
          event={eventOf(hook)}
          field={field}
          project={project}
          onClose={() => setOpen(false)}
          onDone={(doc) => {
            setOpen(false);
            const name = labelOf(hook);
            edits.done(hook, doc, t("prompt.saved", { hook: name }), t("edits.did.edit", { name }));
          }}
        />
      ) : null}
    </>
  );
}
