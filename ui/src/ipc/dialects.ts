import { useMemo } from "react";
import { currentLanguage } from "@/i18n";
import { messageTable } from "@/i18n/messageTable";
import { useCall } from "./queries";
import type { Dialect, EventInfo, HooksDocument } from "./types";

const NONE: readonly Dialect[] = [];

/** Every dialect of this build, by its name in the window's language; empty until known. */
export function useDialects(): readonly Dialect[] {
  const told = useCall("dialects", {}).data?.dialects ?? NONE;
  const language = currentLanguage();
  return useMemo(() => {
    if (language === "en") return told;
    const { words } = messageTable(language);
    return told.map((one) => ({ ...one, name: words[one.name] ?? one.name }));
  }, [told, language]);
}

/** A dialect by its id; undefined until it is known. */
export function useDialect(id: string | null | undefined): Dialect | undefined {
  return useDialects().find((dialect) => dialect.id === id);
}

/** The agent's name in the window's language; the id of its dialect until it is known. */
export function agentName(dialects: readonly Dialect[], id: string): string {
  return dialects.find((dialect) => dialect.id === id)?.name ?? id;
}

export function useAgentName(id: string): string {
  return agentName(useDialects(), id);
}

/** The dialect to begin with: the wanted one, else the first that has hooks, else the first. */
export function firstDialect(
  dialects: readonly Dialect[],
  document: HooksDocument | undefined,
  wanted: string | undefined,
): Dialect | undefined {
  const used = new Set(document?.hooks.map((hook) => hook.dialect));
  return dialects.find((one) => one.id === wanted) ?? dialects.find((one) => used.has(one.id)) ?? dialects[0];
}

/** What the tables say of one event. */
export function useEventInfo(dialect: string | undefined, event: string | undefined): EventInfo | undefined {
  return useDialect(dialect)?.events.find((one) => one.name === event);
}
