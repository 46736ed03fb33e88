/** The engine's messages, one module a language, made from the generated table of all: `virtual:messages/en`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const TABLE = fileURLToPath(new URL("../src/ipc/gen/sentences.ts", import.meta.url));
const PREFIX = "virtual:messages/";

interface Generated {
  sentences: Record<string, { en: string; zh: string; hint_en?: string; hint_zh?: string }>;
  words: Record<string, string>;
}

/** The generated file holds two constants of plain data; without its types it is JavaScript. */
function readTable(): Generated {
  const code = readFileSync(TABLE, "utf8")
    .replace(/export interface \w+ \{[^}]*\}/g, "")
    .replace(/export const (\w+): [^=]+=/g, "const $1 =");
  return new Function(`${code}; return { sentences, words };`)() as Generated;
}

function tableOf(language: string): unknown {
  const { sentences, words } = readTable();
  const chinese = language === "zh-CN";
  const messages = Object.entries(sentences).map(([code, entry]) => {
    const hint = chinese ? entry.hint_zh : entry.hint_en;
    return [code, { text: chinese ? entry.zh : entry.en, ...(hint === undefined ? {} : { hint }) }];
  });
  return { messages: Object.fromEntries(messages), words: chinese ? words : {} };
}

export function messagesPlugin(): Plugin {
  return {
    name: "messages",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      this.addWatchFile(TABLE);
      return `export default ${JSON.stringify(tableOf(id.slice(PREFIX.length + 1)))};`;
    },
  };
}
