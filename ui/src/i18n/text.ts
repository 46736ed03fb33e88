/** Texts that come in both languages from the engine's tables. */
import { currentLanguage } from "./index";

export function textOf(text: { en: string; zh: string }): string {
  return currentLanguage() === "zh-CN" ? text.zh : text.en;
}
