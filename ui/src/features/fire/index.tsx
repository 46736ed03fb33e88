import { useTranslation } from "react-i18next";
import { Page } from "@/shell/Page";

export function FireScreen() {
  const { t } = useTranslation();
  return <Page title={t("fire.title")}>{null}</Page>;
}
