import { useCallback } from "react";
import { useTranslation } from "@/i18n";

/** Picks the text of the window's language. */
export function useWords(): (text: { en: string; zh: string }) => string {
  const { language } = useTranslation();
  const isChinese = language === "zh-CN";
  return useCallback((text) => (isChinese ? text.zh : text.en), [isChinese]);
}
