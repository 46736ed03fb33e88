import { useTranslation } from "react-i18next";
import { Page } from "@/shell/Page";

export function HistoryScreen() {
  const { t } = useTranslation();
  return <Page title={t("history.title")}>{null}</Page>;
}

export function ExplainScreen() {
  const { t } = useTranslation();
  return <Page title={t("explain.title")}>{null}</Page>;
}
