/** Changes of people's files from the Hooks screen: each at once, with Undo; a refusal says why. */
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { toast } from "@/components";
import { useMessages } from "@/i18n/messages";
import { type Dialect, type HookRow, type Params, queryKey, type Reply, useCommand } from "@/ipc";
import { oneLine } from "@/lib/escape";

type Step = Params<"edit.change">["steps"][number];
type Done = Reply<"edit.change">;

const STALE = ["hooks", "trust", "state"] as const;

export interface Edits {
  /** `said` is what the toast says. */
  change: (hook: HookRow, steps: Step[], said: string) => void;
  remove: (hook: HookRow) => void;
  /** Gives it another place in its list. */
  move: (hook: HookRow, place: number) => void;
}

/**
 * `onHook` hears under which id the hook stands afterwards; null when it is gone. Whoever looks at another hook by then
 * (`selected`) goes on doing so.
 */
export function useEdits(project: string, selected: () => string | null, onHook: (hook: string | null) => void): Edits {
  const { t } = useTranslation();
  const say = useMessages();
  const onError = (fault: Parameters<typeof say.fault>[0]) => {
    const { message, hint } = say.fault(fault);
    toast([message, hint].filter(Boolean).join(" · "), null, "error");
  };
  const changing = useCommand("edit.change", { stale: STALE, onError });
  const removing = useCommand("edit.remove", { stale: STALE, onError });
  const undoing = useCommand("edit.undo", { stale: STALE, onError });
  const client = useQueryClient();
  // An id may name the neighbour until the list is read again.
  const follow = (from: string | null, to: string | null) =>
    client.refetchQueries({ queryKey: queryKey("hooks.list", { project }) }).then(() => {
      if (selected() === from) onHook(to);
    });
  const done = (before: HookRow, doc: Done, said: string) => {
    void follow(before.hook, doc.hook);
    const undo = doc.undo;
    const back = () =>
      undoing.mutate({ project, undo: undo ?? "" }, { onSuccess: () => void follow(doc.hook, before.hook) });
    for (const notice of doc.notices ?? []) toast(say.say(notice, notice.text), null, "warning");
    // Last, since only the latest two are shown.
    toast(said, undo === null ? null : { label: t("undo"), run: back });
  };
  const change: Edits["change"] = (hook, steps, said) =>
    changing.mutate(
      { project, hook: hook.hook, version: hook.version, steps },
      { onSuccess: (doc) => done(hook, doc, said) },
    );
  return {
    change,
    remove: (hook) =>
      removing.mutate(
        { project, hook: hook.hook, version: hook.version },
        { onSuccess: (doc) => done(hook, doc, t("hooks.edit.removed", { hook: labelOf(hook) })) },
      ),
    move: (hook, place) => {
      const list = hook.in_list;
      if (list === null || place < 1 || place > list.count || place === list.place) return;
      change(hook, [{ do: "move_to", place }], t("hooks.edit.moved", { hook: labelOf(hook), place }));
    },
  };
}

export function labelOf(hook: HookRow): string {
  return oneLine(hook.label, 60);
}

/** Whether the hook stands in a file that can be changed. */
export function isEditable(hook: HookRow, dialect: Dialect | undefined): boolean {
  return (dialect?.shelves.length ?? 0) > 0 && hook.layer !== "builtin" && hook.layer !== "session";
}

/** Where else the hook could stand. */
export function otherLayers(hook: HookRow, dialect: Dialect | undefined): string[] {
  return (dialect?.shelves ?? []).filter((shelf) => shelf !== hook.layer);
}
