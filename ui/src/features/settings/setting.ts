/** One setting: its value in force, and writing it down. */
import { useEffect, useRef, useState } from "react";
import { faultText } from "@/i18n/messages";
import { useCall, useCommand } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";

export interface Setting {
  value: unknown;
  /** `null` takes the key out of the file, so that the default holds. */
  set: (value: unknown) => void;
  /** Undoes what was saved last; null before something is, and while the field is being edited. */
  undo: (() => void) | null;
  /** Why the last value was refused; null once another one was accepted. */
  refused: string | null;
  /** Forgets the refusal and what was saved: the field is being edited. */
  edited: () => void;
}

/** `section.key` of settings.toml. */
export function useSetting(key: string): Setting {
  const [refused, setRefused] = useState<string | null>(null);
  const [savedOver, setSavedOver] = useState<{ before: unknown } | null>(null);
  const values = useCall("settings.get", {}).data?.values;
  const [section = "", name = ""] = key.split(".");
  const value = values?.[section]?.[name] ?? null;
  // What was sent and is not in force yet: leaving the field after Enter must not send it again.
  const sent = useRef<{ value: unknown } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a value in force replaces what was sent
  useEffect(() => {
    sent.current = null;
  }, [value]);
  const { mutate } = useCommand("settings.set", {
    stale: ["settings", "state"],
    onSuccess: () => setRefused(null),
    onError: (fault) => {
      sent.current = null;
      const { message, hint } = faultText(fault);
      setRefused(
        [message, hint]
          .filter(Boolean)
          .map((text) => capitalizeFirst(text ?? ""))
          .join(" · "),
      );
    },
  });
  const set = (next: unknown) => {
    const known = sent.current === null ? value : sent.current.value;
    if (JSON.stringify(next) === JSON.stringify(known)) {
      setRefused(null);
      return;
    }
    setSavedOver(null);
    sent.current = { value: next };
    mutate({ key, value: next }, { onSuccess: () => setSavedOver({ before: value }) });
  };
  const undo =
    savedOver === null
      ? null
      : () => {
          setSavedOver(null);
          sent.current = null;
          mutate({ key, value: savedOver.before });
        };
  const edited = () => {
    setRefused(null);
    setSavedOver(null);
  };
  return { value, set, undo, refused, edited };
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
