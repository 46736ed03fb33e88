import { useTranslation } from "react-i18next";
import { Page } from "@/shell/Page";

export function SettingsScreen() {
  const { t } = useTranslation();
  return <Page title={t("settings.title")}>{null}</Page>;
}
