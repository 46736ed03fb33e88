/** What every screen that shows one hook says of it, in the same words. */
import { type Fact, handlerKind } from "@/components";
import { t } from "@/i18n";
import type { EventInfo, HookRow } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { effectsOf } from "./effects";
import { FilterWords } from "./FilterWords";
import { locationOf } from "./facts";

export function conditionFact({ filter }: Pick<HookRow, "filter">): Fact {
  return [t("hooks.drawer.runsWhen"), <FilterWords key="filter" filter={filter} />, "wrap"];
}

/** Null for a hook that runs nothing. */
export function runsFact({ runs, handler }: Pick<HookRow, "runs" | "handler">, project?: string | null): Fact | null {
  const text = runs?.trim() ?? "";
  if (text === "") return null;
  const kind = handlerKind(handler);
  const shown = kind === "script" ? shortPath(text, project) : text;
  return [t(`words.handlerTitle.${kind}`), escapeInvisible(shown), "mono text-tiny clamp", escapeInvisible(text)];
}

export function mayFact(event: EventInfo | undefined): Fact {
  const may = effectsOf(event);
  return [t("hooks.drawer.may"), may.length > 0 ? may.join(t("list")) : t("hooks.drawer.mayNothing"), "wrap"];
}

export function fileFact({ path, line }: { path: string; line: number | null }, project?: string | null): Fact {
  const place = locationOf({ line, column: null }, shortPath(path, project));
  return [t("hooks.drawer.file"), place, "mono text-tiny wrap", path];
}
