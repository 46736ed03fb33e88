/** Texts that come in both languages from the engine's tables. */
import { useCallback } from "react";
import type { Bilingual } from "@/ipc/gen";
import { useTranslation } from "./index";

export function useText(): (text: Bilingual) => string {
  const { language } = useTranslation();
  const chinese = language === "zh-CN";
  return useCallback((text) => (chinese ? text.zh : text.en), [chinese]);
}
