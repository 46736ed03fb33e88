/** What a hook may do at its event, in words, by the event's table. */
import { t } from "@/i18n";
import type { EventInfo } from "@/ipc";

export function effectsOf(event: EventInfo | undefined): string[] {
  const outputs = event?.accepts ?? [];
  const verdicts = event?.verdicts ?? [];
  return [
    ...outputs.flatMap(({ does, name }) =>
      does === "replaces" || does === "adds" || does === "tells" ? [t(`hooks.drawer.does.${does}`, { name })] : [],
    ),
    ...verdicts.filter((verdict) => verdict !== "proceed").map((verdict) => t(`hooks.drawer.verdict.${verdict}`)),
  ];
}
