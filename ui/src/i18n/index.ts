/** The two languages. Keys are typed: a text that is missing in one of them does not compile. */
import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { useToday } from "@/lib/today";
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

const NUMBERS: Record<Language, Intl.NumberFormat> = {
  en: new Intl.NumberFormat("en"),
  "zh-CN": new Intl.NumberFormat("zh-CN"),
};

/** The language on show. */
export function currentLanguage(): Language {
  return texts.language as Language;
}

/** A text in the language on show, with its holes filled. What is drawn with it is drawn anew in another language. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const { count } = values;
  if (typeof count !== "number") return texts.t(key, { replace: values });
  // How many there are is written with separators; a line or a process id is not.
  return texts.t(key, { count, replace: { ...values, count: NUMBERS[currentLanguage()].format(count) } });
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
  if (texts.hasResourceBundle(language, "translation")) return;
  const dictionary = language === "en" ? (await import("./en")).en : (await import("./zh-CN")).zh;
  texts.addResourceBundle(language, "translation", dictionary);
}

/** The language that was asked for last: one that loads slowly must not replace it. */
let wanted: Language | null = null;

/** Shows the window in a language once its texts are there. */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language;
  await Promise.all([loadTexts(language), loadMessages(language)]);
  if (wanted !== language) return;
  document.documentElement.lang = language;
  await texts.changeLanguage(language);
}

function subscribe(listener: () => void): () => void {
  texts.on("languageChanged", listener);
  return () => texts.off("languageChanged", listener);
}

/** What texts and formats depend on beside their arguments, for `TextState`: the language, and the day that is "today". */
export function useTextState(): string {
  return `${useSyncExternalStore(subscribe, currentLanguage)} ${useToday()}`;
}
