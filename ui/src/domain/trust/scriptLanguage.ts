import type { CodeLanguage } from "@/components";

const BY_ENDING: readonly [RegExp, CodeLanguage][] = [
  [/\.(?:sh|bash|zsh|ksh)$/i, "shell"],
  [/\.pyw?$/i, "python"],
  [/\.[cm]?[jt]sx?$/i, "javascript"],
  [/\.json[c5]?$/i, "json"],
  [/\.ya?ml$/i, "yaml"],
];
const BY_INTERPRETER: readonly [RegExp, CodeLanguage][] = [
  [/^#!.*\b(?:ba|z|k|da)?sh\b/, "shell"],
  [/^#!.*\bpython/, "python"],
  [/^#!.*\b(?:node|deno|bun)\b/, "javascript"],
];

/** The language of a file, for its colours: by its first line where that names an interpreter, else by its ending. */
export function scriptLanguage(path: string, text: string): CodeLanguage {
  const found =
    BY_INTERPRETER.find(([pattern]) => pattern.test(text)) ?? BY_ENDING.find(([pattern]) => pattern.test(path));
  return found?.[1] ?? "text";
}
