/** Texts that come in both languages from the engine's tables. */
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { Bilingual } from "@/ipc/gen";

export function useText(): (text: Bilingual) => string {
  const { i18n } = useTranslation();
  const chinese = i18n.language === "zh-CN";
  return useCallback((text) => (chinese ? text.zh : text.en), [chinese]);
}
