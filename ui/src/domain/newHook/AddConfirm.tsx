/** What every way ends with that writes a hook: the form, the difference that it makes, and the button that adds it. */
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { EditConfirm } from "@/domain/hooks/EditConfirm";
import { useEditPreview } from "@/domain/hooks/useEditPreview";
import { t } from "@/i18n";
import type { HookRow, Params } from "@/ipc";
import { useAdding } from "./useAdding";

/** What each way gets. */
export interface WayProps {
  project: string;
  hooks: readonly HookRow[];
  onClose: () => void;
}

interface AddConfirmProps<M extends "edit.add" | "samples.add"> extends WayProps {
  method: M;
  /** Null where the form is not complete. */
  request: Params<M> | null;
  form: ReactNode;
  /** In place of the difference where there is no request. */
  nothing?: string;
  doLabel: string;
}

export function AddConfirm<M extends "edit.add" | "samples.add">(props: AddConfirmProps<M>) {
  const { project, hooks, method, request, form, nothing, doLabel, onClose } = props;
  const preview = useEditPreview(method, request);
  const adding = useAdding(method, project, onClose);
  const isEmpty = preview.doc?.diff === "";
  return (
    <EditConfirm
      project={project}
      preview={preview}
      waiting={preview.waiting || isEmpty}
      hooks={hooks}
      what={t("newHook.preview")}
      form={form}
      nothing={request === null ? nothing : isEmpty ? t("newHook.sampleThere") : undefined}
      fault={adding.error}
      busy={adding.isPending}
      icon={Plus}
      safeLabel={t("cancel")}
      doLabel={doLabel}
      onClose={onClose}
      onDo={() => {
        if (request !== null) adding.mutate(request);
      }}
    />
  );
}
