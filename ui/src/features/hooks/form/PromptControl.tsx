/** The prompt of a hook in the form: its text, and the way to the editor with variables, preview and tries. */

import { MessageSquareText } from "lucide-react";
import { useState } from "react";
import { Button, Sheet } from "@/components";
import { eventOf } from "@/domain/hooks/facts";
import PromptEditor from "@/domain/prompt/PromptEditor";
import { t } from "@/i18n";
import { oneLine } from "@/lib/escape";
import { fileText } from "../source/drafts";
import type { ControlProps } from "./registry";
import { TextControl } from "./TextControls";

export function PromptControl(props: ControlProps) {
  const { value, onChange, hook, draft } = props;
  const [open, setOpen] = useState(false);
  const event = eventOf(hook);
  const of = { dialect: hook.dialect, event };
  return (
    <div className="column gap-1 grow">
      <TextControl {...props} />
      <span>
        <Button size="small" icon={MessageSquareText} onClick={() => setOpen(true)}>
          {t("hooks.drawer.editPrompt")}
        </Button>
      </span>
      {open ? (
        <Sheet open full title={t("prompt.editOf", { hook: oneLine(hook.label, 60) })} onClose={() => setOpen(false)}>
          <PromptEditor
            {...of}
            project={draft.project}
            value={typeof value === "string" ? value : ""}
            onChange={onChange}
            ask={{ ...of, project: draft.project, hook: hook.hook, unsaved: unsavedOf(props) }}
            tried={{ hook: hook.hook, unsaved: unsavedOf(props) }}
          />
        </Sheet>
      ) : null}
    </div>
  );
}

function unsavedOf({ draft }: ControlProps) {
  return { path: draft.path, text: fileText(draft) };
}
