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
      <form className="new-hook-form scroll pane-body" onSubmit={(submitted) => submitted.preventDefault()}>
        <ChoiceList {...list} />
      </form>
      <div className="dialog-foot edit-foot">
        <Button onClick={onClose} action="dialog.close">
          {t("cancel")}
        </Button>
        <Button kind="primary" onClick={onDo}>
          {doLabel}
        </Button>
      </div>
    </>
  );
}
