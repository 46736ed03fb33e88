/** The two languages. Keys are typed: a text that is missing in one of them does not compile. */
import i18next from "i18next";
import { useSyncExternalStore } from "react";
import type { en } from "./en";
import { loadMessages } from "./messageTable";

export type Language = "en" | "zh-CN";

/** A key ends in a plural form where its text depends on `count`; it is asked for without. */
type Asked<K extends string> = K extends `${infer Base}_${"zero" | "one" | "other"}` ? Base : K;
type KeysOf<T> = {
  [K in keyof T & string]: T[K] extends string ? Asked<K> : `${K}.${KeysOf<T[K]>}`;
}[keyof T & string];

/** Every text, `history.title`. A key that does not exist does not compile. */
export type TextKey = KeysOf<typeof en>;
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export interface Translation {
  t: Translate;
  language: Language;
}

const texts = i18next.createInstance();
void texts.init({
  lng: "en",
  fallbackLng: false,
  load: "currentOnly",
  resources: {},
  initAsync: false,
  nsSeparator: false,
  // React escapes what it draws.
  interpolation: { escapeValue: false },
  missingInterpolationHandler: (_text, [hole]) => hole,
});

function translator(language: Language): Translate {
  const find = texts.getFixedT(language);
  const numbers = new Intl.NumberFormat(language);
  return (key, values = {}) => {
    const { count } = values;
    if (typeof count !== "number") return find(key, { replace: values });
    // How many there are is written with separators; a line or a process id is not.
    return find(key, { count, replace: { ...values, count: numbers.format(count) } });
  };
}

const translations: Record<Language, Translation> = {
  en: { language: "en", t: translator("en") },
  "zh-CN": { language: "zh-CN", t: translator("zh-CN") },
};

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
  if (texts.hasResourceBundle(language, "translation")) return;
  const dictionary = language === "en" ? (await import("./en")).en : (await import("./zh-CN")).zh;
  texts.addResourceBundle(language, "translation", dictionary);
}

/** The language that was asked for last: one that loads slowly must not replace it. */
let wanted: Language | null = null;

/**
 * Shows the window in a language once its texts are there. The engine's English comes with its replies and is not waited
 * for.
 */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language;
  const messages = loadMessages(language);
  await Promise.all([loadTexts(language), language === "en" ? undefined : messages]);
  if (wanted !== language) return;
  document.documentElement.lang = language;
  await texts.changeLanguage(language);
}

/** The texts on show, for code outside a component. */
export function currentTranslation(): Translation {
  return translations[texts.language as Language];
}

function subscribe(listener: () => void): () => void {
  texts.on("languageChanged", listener);
  return () => texts.off("languageChanged", listener);
}

/** The texts on show; draws again in another language. */
export function useTranslation(): Translation {
  return useSyncExternalStore(subscribe, currentTranslation);
}
