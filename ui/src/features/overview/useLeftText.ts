/** How long an agent has been gone, in words. */
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";

/** `at` is RFC 3339, or null where it is not known; `now` is in ms since 1970. */
export function useLeftText(): (at: string | null, now: number) => string {
  const { t } = useTranslation();
  const { ago } = useFormats();
  return (at, now) =>
    at === null ? t("overviewParts.agents.left") : t("overviewParts.agents.leftAt", { ago: ago(at, now) });
}
