/** The languages that code is shown in. */
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { StreamLanguage } from "@codemirror/language";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { python } from "@codemirror/legacy-modes/mode/python";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import type { Extension } from "@codemirror/state";

export type CodeLanguage = "json" | "yaml" | "shell" | "python" | "javascript" | "text";

export function languageExtension(language: CodeLanguage): Extension {
  switch (language) {
    case "json":
      return json();
    case "yaml":
      return yaml();
    case "shell":
      return StreamLanguage.define(shell);
    case "python":
      return StreamLanguage.define(python);
    case "javascript":
      return StreamLanguage.define(javascript);
    case "text":
      return [];
  }
}
