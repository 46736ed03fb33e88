/** Asks before a sheet with unsaved changes is closed, and before another screen is opened from it. */
import { FilePenLine } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Confirm } from "@/components";
import { t } from "@/i18n";
import { useBlocker } from "@/routes/router";

export interface Unsaved {
  /** Closes the sheet, after a question where something is not saved. */
  close: () => void;
  /** The question while it is asked. */
  question: ReactNode;
}

export function useUnsaved(isDirty: boolean, onClose: () => void): Unsaved {
  const [isClosing, setClosing] = useState(false);
  const leaving = useBlocker({ shouldBlockFn: () => isDirty, disabled: !isDirty });
  const stay = () => {
    setClosing(false);
    leaving.reset?.();
  };
  const leave = () => {
    setClosing(false);
    onClose();
    leaving.proceed?.();
  };
  const question = (
    <Confirm
      open={isDirty && (isClosing || leaving.status === "blocked")}
      icon={FilePenLine}
      title={t("editor.unsavedTitle")}
      safeLabel={t("editor.keepEditing")}
      doLabel={t("editor.discard")}
      onClose={stay}
      onDo={leave}
    >
      {t("editor.leaveText")}
    </Confirm>
  );
  return { close: isDirty ? () => setClosing(true) : onClose, question };
}
