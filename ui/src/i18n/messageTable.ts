/** The engine's messages in the languages of the window. */
import type { Language } from "./index";

export interface MessageTable {
  /** By code, or by code and case: `wrong_type.number`. */
  messages: Readonly<Record<string, { text: string; hint?: string }>>;
  /** The engine's own words that stand in arguments; empty in English. */
  words: Readonly<Record<string, string>>;
}

const LOADERS: Record<Language, () => Promise<{ default: MessageTable }>> = {
  en: () => import("virtual:messages/en"),
  "zh-CN": () => import("virtual:messages/zh-CN"),
};

const NOTHING: MessageTable = { messages: {}, words: {} };
const loaded = new Map<Language, MessageTable>();

export async function loadMessages(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, (await LOADERS[language]()).default);
}

/** Empty until it is loaded. */
export function messageTable(language: Language): MessageTable {
  return loaded.get(language) ?? NOTHING;
}
