/** Texts by their key: lookup, `{{name}}` filled in, plural forms after the language's own rules. */
import { useSyncExternalStore } from "react";
import type { en } from "./en";
import type { late } from "./en/late";
import type { Language } from "./index";

/** A key ends in a plural form where its text depends on `count`; it is asked for without. */
type Asked<K extends string> = K extends `${infer Base}_${"zero" | "one" | "other"}` ? Base : K;
type KeysOf<T> = {
  [K in keyof T & string]: T[K] extends string ? Asked<K> : `${K}.${KeysOf<T[K]>}`;
}[keyof T & string];

/** Every text, `history.title`. A key that does not exist does not compile. */
export type TextKey = KeysOf<typeof en & typeof late>;
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export interface Translation {
  t: Translate;
  language: Language;
}

interface TextTree {
  readonly [key: string]: string | TextTree;
}

const HOLE = /\{\{(\w+)\}\}/g;

/** The texts of a language by their whole key. */
export type Texts = Map<string, string>;

/** Adds the texts of a dictionary. */
export function addTexts(texts: Texts, tree: TextTree, path = ""): void {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === "string") texts.set(path + key, value);
    else addTexts(texts, value, `${path}${key}.`);
  }
}

/** The function that finds and fills the texts of one language. A key without a text is shown as it is. */
export function translator(language: Language, texts: ReadonlyMap<string, string>): Translate {
  const rules = new Intl.PluralRules(language);
  const find = (key: string, count: unknown): string | undefined => {
    if (typeof count !== "number") return texts.get(key);
    const zero = count === 0 ? texts.get(`${key}_zero`) : undefined;
    return zero ?? texts.get(`${key}_${rules.select(count)}`) ?? texts.get(`${key}_other`) ?? texts.get(key);
  };
  return (key, values) => {
    const text = find(key, values?.count) ?? key;
    if (values === undefined) return text;
    return text.replace(HOLE, (hole, name: string) => (name in values ? String(values[name]) : hole));
  };
}

let shown: Translation = { t: (key) => key, language: "en" };
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** The texts on show, for code outside a component. */
export function currentTranslation(): Translation {
  return shown;
}

export function show(translation: Translation): void {
  shown = translation;
  for (const listener of listeners) listener();
}

/** The texts on show; draws again in another language. */
export function useTranslation(): Translation {
  return useSyncExternalStore(subscribe, currentTranslation);
}
