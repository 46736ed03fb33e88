/** The two languages. Keys are typed: a text that is missing in one of them does not compile. */
import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en";
import { zh } from "./zh-CN";

export type Language = "en" | "zh-CN";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
    returnNull: false;
  }
}

/** The wanted language, or the system's where none is set. */
export function pickLanguage(
  wanted: string | null | undefined,
  system: readonly string[] = navigator.languages,
): Language {
  const list = wanted === "en" || wanted === "zh-CN" ? [wanted] : system;
  const first = list.find((tag) => /^(en|zh)\b/i.test(tag));
  return first !== undefined && /^zh/i.test(first) ? "zh-CN" : "en";
}

export function startI18n(language: Language): i18n {
  void i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en }, "zh-CN": { translation: zh } },
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  document.documentElement.lang = language;
  i18next.on("languageChanged", (now) => {
    document.documentElement.lang = now;
  });
  return i18next;
}
