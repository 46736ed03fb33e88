/** One setting: its value in force, and writing it down. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toast } from "@/components";
import { useMessages } from "@/i18n/messages";
import { useCall, useCommand } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";

export interface Setting {
  value: unknown;
  /** `null` takes the key out of the file, so that the default holds. Says so, with Undo. */
  set: (value: unknown) => void;
  /** Why the last value was refused; null once another one was accepted. */
  refused: string | null;
  /** Forgets the refusal: the field is being edited. */
  edited: () => void;
}

/** `section.key` of settings.toml. */
export function useSetting(key: string): Setting {
  const { t } = useTranslation();
  const say = useMessages();
  const [refused, setRefused] = useState<string | null>(null);
  const values = useCall("settings.get", {}).data?.values;
  const [section = "", name = ""] = key.split(".");
  const value = values?.[section]?.[name] ?? null;
  const { mutate } = useCommand("settings.set", {
    stale: ["settings", "state"],
    onSuccess: () => setRefused(null),
    onError: (fault) => {
      const { message, hint } = say.fault(fault);
      setRefused(
        [message, hint]
          .filter(Boolean)
          .map((text) => capitalizeFirst(text ?? ""))
          .join(" · "),
      );
    },
  });
  const set = (next: unknown) => {
    if (JSON.stringify(next) === JSON.stringify(value)) {
      setRefused(null);
      return;
    }
    mutate(
      { key, value: next },
      {
        onSuccess: () => toast(t("settings.saved"), { label: t("undo"), run: () => mutate({ key, value: value }) }),
      },
    );
  };
  return { value, set, refused, edited: () => setRefused(null) };
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
