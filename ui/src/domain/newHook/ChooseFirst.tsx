/** One of many is chosen before a way goes on. */
import type { ComponentProps } from "react";
import { Button } from "@/components";
import { t } from "@/i18n";
import { ChoiceList } from "./ChoiceList";

interface ChooseFirstProps extends ComponentProps<typeof ChoiceList> {
  doLabel: string;
  onDo: () => void;
  onClose: () => void;
}

export function ChooseFirst({ doLabel, onDo, onClose, ...list }: ChooseFirstProps) {
  return (
    <>
      <form
        className="flex flex-col gap-3 p-4 [&_.segmented]:self-start [&_.segmented]:max-w-full [&_.segmented]:overflow-x-auto [&_textarea]:whitespace-pre [&_textarea]:overflow-x-auto max-paired:overflow-visible scroll pane-body"
        onSubmit={(submitted) => submitted.preventDefault()}
      >
        <ChoiceList {...list} />
      </form>
      <div className="dialog-foot pt-3 border-t border-t-line-2">
        <Button onClick={onClose}>{t("cancel")}</Button>
        <Button kind="primary" onClick={onDo}>
          {doLabel}
        </Button>
      </div>
    </>
  );
}
