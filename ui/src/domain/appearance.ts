/** Language and theme: kept in the settings file, remembered by the page so that it starts in them. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { toastFault } from "@/domain/refused";
import { pickLanguage, showLanguage } from "@/i18n";
import { queryKey, type Reply, useCall, useCommand } from "@/ipc";
import { type Theme, useView } from "@/lib/view";

export function asTheme(value: unknown): Theme {
  return value === "dark" || value === "light" ? value : "system";
}

/** Null for the system's. */
export function asLanguage(value: unknown): "en" | "zh-CN" | null {
  return value === "en" || value === "zh-CN" ? value : null;
}

/** Follows the settings file. */
export function useAppearance(): void {
  const { data } = useCall("settings.get", {});
  const theme = useView((view) => view.theme);
  const language = useView((view) => view.language);
  const setTheme = useView((view) => view.setTheme);
  const setLanguage = useView((view) => view.setLanguage);
  const ui = data?.values.ui as Record<string, unknown> | undefined;
  const known = data !== undefined;
  const wantedTheme = asTheme(ui?.theme);
  const wantedLanguage = asLanguage(ui?.language);
  useEffect(() => {
    if (known) setTheme(wantedTheme);
  }, [known, wantedTheme, setTheme]);
  useEffect(() => {
    if (known) setLanguage(wantedLanguage);
  }, [known, wantedLanguage, setLanguage]);
  useEffect(() => {
    void showLanguage(pickLanguage(language));
  }, [language]);
  useEffect(() => {
    document.documentElement.dataset.themeChoice = theme;
  }, [theme]);
}

/** Sets theme or language at once and writes it down. Where that is refused, the window is again as the file has it. */
export function useSetAppearance(): {
  setTheme: (theme: Theme) => void;
  setLanguage: (language: "en" | "zh-CN" | "system") => void;
} {
  const setViewTheme = useView((view) => view.setTheme);
  const setViewLanguage = useView((view) => view.setLanguage);
  const client = useQueryClient();
  const { mutate } = useCommand("settings.set", {
    stale: ["settings"],
    onError: (fault) => {
      toastFault(fault);
      const stored = client.getQueryData<Reply<"settings.get">>(queryKey("settings.get", {}));
      if (stored === undefined) return;
      const ui = stored.values.ui as Record<string, unknown> | undefined;
      setViewTheme(asTheme(ui?.theme));
      setViewLanguage(asLanguage(ui?.language));
    },
  });
  const setTheme = useCallback(
    (theme: Theme) => {
      setViewTheme(theme);
      mutate({ key: "ui.theme", value: theme });
    },
    [setViewTheme, mutate],
  );
  const setLanguage = useCallback(
    (language: "en" | "zh-CN" | "system") => {
      setViewLanguage(language === "system" ? null : language);
      mutate({ key: "ui.language", value: language });
    },
    [setViewLanguage, mutate],
  );
  return { setTheme, setLanguage };
}
