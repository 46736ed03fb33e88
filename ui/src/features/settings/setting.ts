/** One setting: its value in force, and writing it down. */
import { useTranslation } from "react-i18next";
import { toast } from "@/components";
import { useMessages } from "@/i18n/messages";
import { useCall, useCommand } from "@/ipc";

export interface Setting {
  value: unknown;
  /** `null` takes the key out of the file, so that the default holds. Says so, with Undo. */
  set: (value: unknown) => void;
}

/** `section.key` of settings.toml. */
export function useSetting(key: string): Setting {
  const { t } = useTranslation();
  const say = useMessages();
  const values = useCall("settings.get", {}).data?.values;
  const [section = "", name = ""] = key.split(".");
  const value = values?.[section]?.[name] ?? null;
  const { mutate } = useCommand("settings.set", {
    stale: ["settings", "state"],
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  const set = (next: unknown) => {
    if (JSON.stringify(next) === JSON.stringify(value)) return;
    mutate(
      { key, value: next },
      {
        onSuccess: () => toast(t("settings.saved"), { label: t("undo"), run: () => mutate({ key, value: value }) }),
      },
    );
  };
  return { value, set };
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
