import type { CodeLanguage } from "@/components";
import { scriptLanguage } from "@/domain/trust/scriptLanguage";

/** The language of a hook file or of the script beside it. What is read of a Markdown file is YAML. */
export function languageOf(path: string, text: string): CodeLanguage {
  return /\.md$/i.test(path) ? "yaml" : scriptLanguage(path, text);
}
