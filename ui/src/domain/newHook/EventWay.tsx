/** A new hook for an event, from a template. */
import { useEffect } from "react";
import { t } from "@/i18n";
import { AddConfirm, type WayProps } from "./AddConfirm";
import { NewHookForm } from "./NewHookForm";
import type { Wanted } from "./newHook";
import { useNewHookForm } from "./useNewHookForm";

interface EventWayProps extends WayProps {
  wanted: Wanted;
  onTyped: (isTyped: boolean) => void;
}

export function EventWay({ wanted, onTyped, ...props }: EventWayProps) {
  const form = useNewHookForm(props.project, wanted, props.hooks);
  const { isTyped } = form;
  useEffect(() => {
    onTyped(isTyped);
    return () => onTyped(false);
  }, [isTyped, onTyped]);
  return (
    <AddConfirm
      {...props}
      method="edit.add"
      request={form.request}
      form={<NewHookForm form={form} />}
      {...(form.waiting ? {} : { nothing: t("newHook.noTemplate") })}
      doLabel={t("newHook.add")}
    />
  );
}
