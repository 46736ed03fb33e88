/** Copying a text, and saying whether it was copied. */
import { toast } from "@/components";
import { t } from "@/i18n";

export function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => toast(t("copied"), null),
    () => toast(t("notCopied"), null, "error"),
  );
}
