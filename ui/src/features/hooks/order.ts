/** The order of hooks, where it is not the file's. */
import { eventOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { HookRow } from "@/ipc";
import { useDialects } from "@/ipc/dialects";

/** Whether it stands in somebody's file: the agent's own hooks, and those of a session, have no place to be given. */
export function hasPosition(hook: HookRow): boolean {
  return hook.layer !== "builtin" && hook.layer !== "session";
}

/** Says that a hook's order is not its file's, and what it is instead. */
export function useOrder(): (hook: HookRow) => string {
  const dialects = useDialects();
  return (hook: HookRow) => {
    const own = dialects.find((one) => one.id === hook.dialect);
    const event = own?.events.find((one) => one.name === eventOf(hook));
    return t("hooks.edit.order", { rule: event ? textOf(event.order) : "" }).trim();
  };
}
