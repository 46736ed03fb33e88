/** The prompt of a hook in its file: edited first, then written after its exact change was shown. */
import { Save } from "lucide-react";
import { useState } from "react";
import { Button, Sheet } from "@/components";
import { useUnsaved } from "@/domain/edits/useUnsaved";
import type { EditDone } from "@/domain/hooks/afterEdit";
import { EditConfirm, useConfirmedEdit } from "@/domain/hooks/EditConfirm";
import { labelOf } from "@/domain/hooks/facts";
import PromptEditor from "@/domain/prompt/PromptEditor";
import { t } from "@/i18n";
import type { HookRow, Params } from "@/ipc";

interface PromptSheetProps {
  hook: HookRow;
  hooks: readonly HookRow[];
  event: string;
  /** The field of the definition that contains the template. */
  field: string;
  project: string;
  onClose: () => void;
  onDone: (doc: EditDone) => void;
}

export default function PromptSheet({ hook, hooks, event, field, project, onClose, onDone }: PromptSheetProps) {
  const written = (hook.definition as Record<string, unknown>)[field];
  const saved = typeof written === "string" ? written : "";
  const [value, setValue] = useState(saved);
  const [confirming, setConfirming] = useState(false);
  const steps: Params<"edit.change">["steps"] = value === saved ? [] : [{ do: "set", field, value }];
  const unsaved = useUnsaved(steps.length > 0, onClose);
  const of = { dialect: hook.dialect, hook: hook.hook };
  return (
    <Sheet open full title={t("prompt.editOf", { hook: labelOf(hook) })} onClose={unsaved.close}>
      {unsaved.question}
      {confirming ? (
        <Confirming
          request={{ project, hook: hook.hook, version: hook.version, steps }}
          hooks={hooks}
          onBack={() => setConfirming(false)}
          onDone={onDone}
        />
      ) : (
        <>
          <PromptEditor
            project={project}
            dialect={hook.dialect}
            event={event}
            value={value}
            onChange={setValue}
            ask={{ project, event, ...of }}
            tried={steps.length === 0 ? { hook: hook.hook } : { hook: hook.hook, steps }}
          />
          <div className="dialog-foot pt-3 border-t border-t-line-2">
            <Button onClick={unsaved.close}>{t("cancel")}</Button>
            <Button
              kind="primary"
              icon={Save}
              disabledBecause={steps.length === 0 ? t("prompt.unchanged") : null}
              onClick={() => setConfirming(true)}
            >
              {t("prompt.review")}
            </Button>
          </div>
        </>
      )}
    </Sheet>
  );
}

interface ConfirmingProps {
  request: Params<"edit.change">;
  hooks: readonly HookRow[];
  onBack: () => void;
  onDone: (doc: EditDone) => void;
}

function Confirming({ request, hooks, onBack, onDone }: ConfirmingProps) {
  const edit = useConfirmedEdit("edit.change", request, onDone);
  return (
    <EditConfirm
      {...edit}
      project={request.project}
      hooks={hooks}
      problems={edit.preview.doc?.problems.filter(({ severity }) => severity !== "hint")}
      what={t("filter.preview")}
      icon={Save}
      safeLabel={t("prompt.back")}
      doLabel={t("prompt.save")}
      onClose={onBack}
    />
  );
}
