/** Copying a text, and saying whether it was copied. */
import { useCallback } from "react";
import { toast } from "@/components";
import { useTranslation } from "@/i18n";

export function useCopy(): (text: string) => void {
  const { t } = useTranslation();
  return useCallback(
    (text) => {
      navigator.clipboard.writeText(text).then(
        () => toast(t("copied"), null),
        () => toast(t("notCopied"), null, "error"),
      );
    },
    [t],
  );
}
