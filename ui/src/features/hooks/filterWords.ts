/** What a hook is found by: its own words, and what the screen says of it: state, dialect, layer, kind. */
import { handlerKind, shownState } from "@/components";
import { filterText } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useDialects } from "@/ipc/dialects";

export function useFilterMatch(): (hook: HookRow, query: string) => boolean {
  const dialects = useDialects();
  const names = new Map(dialects.map((one) => [one.id, one.name]));
  return (hook, query) => {
    const state = shownState(hook.health);
    const words = [
      hook.label,
      hook.event,
      ...(hook.serves ?? []),
      hook.path,
      hook.hook,
      filterText(hook.filter),
      t(`words.health.${state}`),
      state,
      names.get(hook.dialect),
      t(`words.layer.${hook.layer}`),
      t(`words.handler.${handlerKind(hook.handler)}`),
    ];
    const haystack = words.join("\n").toLowerCase();
    const wanted = query.toLowerCase().split(/\s+/);
    return wanted.every((word) => haystack.includes(word)) || haystack.includes(query.trim().toLowerCase());
  };
}
