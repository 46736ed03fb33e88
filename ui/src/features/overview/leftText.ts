import { t } from "@/i18n";
import { ago } from "@/i18n/format";

/** `at` is RFC 3339, or null where it is not known; `now` is in ms since 1970. */
export function leftText(at: string | null, now: number): string {
  return at === null ? t("overviewParts.agents.left") : t("overviewParts.agents.leftAt", { ago: ago(at, now) });
}
