/** The two languages. Keys are typed: a text that is missing in one of them does not compile. */
import { loadMessages } from "./messageTable";
import { addTexts, currentTranslation, show, type Texts, type Translation, translator } from "./translate";

export { type TextKey, type Translate, useTranslation } from "./translate";

export type Language = "en" | "zh-CN";

/** The wanted language, or the system's where none is set. */
export function pickLanguage(
  wanted: string | null | undefined,
  system: readonly string[] = navigator.languages,
): Language {
  const list = wanted === "en" || wanted === "zh-CN" ? [wanted] : system;
  const first = list.find((tag) => /^(en|zh)\b/i.test(tag));
  return first !== undefined && /^zh/i.test(first) ? "zh-CN" : "en";
}

interface Loading {
  /** What the first screen shows. */
  first: Promise<Translation>;
  /** Settles when every other text is there too. */
  rest: Promise<void>;
}

/** The language on show; null before any is. */
let onShow: Language | null = null;

const loading = new Map<Language, Loading>();

function loadTexts(language: Language): Loading {
  const known = loading.get(language);
  if (known !== undefined) return known;
  const texts: Texts = new Map();
  const first = (async () => {
    addTexts(texts, language === "en" ? (await import("./en")).en : (await import("./zh-CN")).zh);
    return { t: translator(language, texts), language };
  })();
  const rest = first.then(async () => {
    addTexts(texts, (language === "en" ? await import("./en/late") : await import("./zh-CN/late")).late);
    // What was drawn before they were there is drawn again.
    if (onShow === language) show({ t: translator(language, texts), language });
  });
  const both = { first, rest };
  loading.set(language, both);
  // What could not be loaded is asked for again the next time.
  rest.catch(() => loading.delete(language));
  return both;
}

/** Settles when every text of the language on show is there. */
export async function textsComplete(): Promise<void> {
  await loadTexts(currentTranslation().language).rest;
}

/** A module that is loaded when it is used, once the texts are there that it shows. */
export async function withTexts<T>(module: Promise<T>): Promise<T> {
  const [loaded] = await Promise.all([module, textsComplete()]);
  return loaded;
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
  const isFirst = loading.size === 0;
  const texts = loadTexts(language);
  // What is open may show any text, but not before the first screen.
  await Promise.all([isFirst ? undefined : texts.rest, language === "en" ? undefined : messages]);
  const translation = await texts.first;
  if (wanted !== language || onShow === language) return;
  onShow = language;
  document.documentElement.lang = language;
  show(translation);
}
