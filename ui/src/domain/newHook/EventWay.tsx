/** A new hook for an event, from a template. */
import { Plus } from "lucide-react";
import { EditConfirm } from "@/domain/hooks/EditConfirm";
import { useEditPreview } from "@/domain/hooks/useEditPreview";
import { useTranslation } from "@/i18n";
import type { HookRow } from "@/ipc";
import { NewHookForm } from "./NewHookForm";
import type { Wanted } from "./newHook";
import { useAdding } from "./useAdding";
import { useNewHookForm } from "./useNewHookForm";

/** What each way gets. */
export interface WayProps {
  project: string;
  hooks: readonly HookRow[];
  onClose: () => void;
}

export function EventWay({ project, hooks, wanted, onClose }: WayProps & { wanted: Wanted }) {
  const { t } = useTranslation();
  const form = useNewHookForm(project, wanted, hooks);
  const preview = useEditPreview("edit.add", form.request);
  const adding = useAdding("edit.add", project, onClose);
  return (
    <EditConfirm
      project={project}
      preview={preview}
      waiting={preview.waiting}
      hooks={hooks}
      what={t("newHook.preview")}
      form={<NewHookForm form={form} />}
      nothing={form.request === null ? t("newHook.noTemplate") : undefined}
      fault={adding.error}
      busy={adding.isPending}
      icon={Plus}
      safeLabel={t("cancel")}
      doLabel={t("newHook.add")}
      onClose={onClose}
      onDo={() => {
        if (form.request !== null) adding.mutate(form.request);
      }}
    />
  );
}
