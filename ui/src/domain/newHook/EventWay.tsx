/** A new hook for an event, from a template. */
import { useTranslation } from "@/i18n";
import { AddConfirm, type WayProps } from "./AddConfirm";
import { NewHookForm } from "./NewHookForm";
import type { Wanted } from "./newHook";
import { useNewHookForm } from "./useNewHookForm";

export function EventWay({ wanted, ...props }: WayProps & { wanted: Wanted }) {
  const { t } = useTranslation();
  const form = useNewHookForm(props.project, wanted, props.hooks);
  return (
    <AddConfirm
      {...props}
      method="edit.add"
      request={form.request}
      form={<NewHookForm form={form} />}
      nothing={t("newHook.noTemplate")}
      doLabel={t("newHook.add")}
    />
  );
}
