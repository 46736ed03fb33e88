import { useTranslation } from "react-i18next";
import { Page } from "@/shell/Page";

export function HooksScreen() {
  const { t } = useTranslation();
  return <Page title={t("hooks.title")}>{null}</Page>;
}
