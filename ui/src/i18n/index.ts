/** The two languages. Keys are typed: a text that is missing in one of them does not compile. */
import i18next, { type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import type { en } from "./en";
import { loadMessages } from "./messageTable";

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

async function loadTexts(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, "translation")) return;
  const texts = language === "en" ? (await import("./en")).en : (await import("./zh-CN")).zh;
  i18next.addResourceBundle(language, "translation", texts);
}

/** Loads what a language needs before it is shown. The engine's English comes with its answers and is not waited for. */
async function load(language: Language): Promise<void> {
  const messages = loadMessages(language);
  await Promise.all([loadTexts(language), language === "en" ? undefined : messages]);
}

export async function startI18n(language: Language): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  await load(language);
  document.documentElement.lang = language;
  i18next.on("languageChanged", (now) => {
    document.documentElement.lang = now;
  });
  return i18next;
}

/** Shows the window in another language once its texts are there. */
export async function changeLanguage(language: Language): Promise<void> {
  await load(language);
  await i18next.changeLanguage(language);
}
