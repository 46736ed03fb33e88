/** The engine's messages in the window's language. One language is loaded at a time. */
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
let loaded: { language: Language; table: MessageTable } | null = null;
const listeners = new Set<() => void>();

export async function loadMessages(language: Language): Promise<void> {
  if (loaded?.language === language) return;
  const { default: table } = await LOADERS[language]();
  loaded = { language, table };
  for (const listener of listeners) listener();
}

/** Nothing before the table is loaded: English comes with the engine's answers, so it is not waited for. */
export function messageTable(): MessageTable {
  return loaded?.table ?? NOTHING;
}

export function onMessagesLoaded(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
