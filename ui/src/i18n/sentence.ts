/** The engine's sentences in the window's language: English as it came, Chinese from code and arguments. */
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { Fault } from "@/ipc/fault";
import { sentences } from "@/ipc/gen/sentences";
import type { Spoken } from "@/ipc/types";

const HOLE = /\{([a-z0-9_]+)\}/gi;

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join("、");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The template with its holes filled, or null when an argument is missing. */
export function fillSentence(template: string, args: Record<string, unknown>): string | null {
  let complete = true;
  const text = template.replace(HOLE, (_, name: string) => {
    const value = args[name];
    if (value === undefined || value === null) {
      complete = false;
      return "";
    }
    return asText(value);
  });
  return complete ? text : null;
}

function inChinese(spoken: Spoken, part: "zh" | "hint_zh"): string | null {
  if (!spoken.code) return null;
  const args = spoken.args ?? {};
  const variant = typeof args.case === "string" ? sentences[`${spoken.code}.${args.case}`] : undefined;
  const template = (variant ?? sentences[spoken.code])?.[part];
  return template === undefined ? null : fillSentence(template, args);
}

export interface Sentences {
  /** `spoken`, an object with `code` and `args`, in the current language; `english` is what came with it. */
  say(spoken: object, english: string | null | undefined): string;
  hint(spoken: object, english: string | null | undefined): string | null;
  fault(fault: Fault): { message: string; hint: string | null };
}

export function useSentence(): Sentences {
  const { t, i18n } = useTranslation();
  const chinese = i18n.language === "zh-CN";
  const say = useCallback(
    (spoken: object, english: string | null | undefined) => (chinese ? inChinese(spoken, "zh") : null) ?? english ?? "",
    [chinese],
  );
  const hint = useCallback(
    (spoken: object, english: string | null | undefined) =>
      (chinese ? inChinese(spoken, "hint_zh") : null) ?? english ?? null,
    [chinese],
  );
  const fault = useCallback(
    (fault: Fault) => {
      switch (fault.code) {
        case "ui_unreachable":
          return { message: t("shell.fault.ui_unreachable"), hint: t("shell.fault.ui_unreachable_hint") };
        case "ui_session_over":
          return { message: t("shell.fault.ui_session_over"), hint: t("shell.fault.ui_session_over_hint") };
        case "ui_unexpected":
          return {
            message: t("shell.fault.ui_unexpected", { message: fault.message }),
            hint: t("shell.fault.ui_unexpected_hint"),
          };
        default:
          return { message: say(fault, fault.message), hint: hint(fault, fault.hint) };
      }
    },
    [t, say, hint],
  );
  return { say, hint, fault };
}
