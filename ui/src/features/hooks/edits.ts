/** Changes of people's files from the Hooks screen: each at once, with Undo; a refusal says why. */
import { useQueryClient } from "@tanstack/react-query";
import { STALE_BY_EDIT, useRefused } from "@/domain/edits/undo";
import { type EditDone, useReportEdit } from "@/domain/hooks/afterEdit";
import { useTranslation } from "@/i18n";
import { type Dialect, type HookRow, type Params, queryKey, useCommand } from "@/ipc";
import { oneLine } from "@/lib/escape";

type Step = Params<"edit.change">["steps"][number];

export interface Edits {
  /**
   * An edit of this hook was made: the screen follows the hook, and a toast says so in `said`, with Undo, which calls the
   * edit `what`. `turned` runs after Undo and after Redo.
   */
  done: (before: HookRow, doc: EditDone, said: string, what: string, turned?: () => void) => void;
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
  const report = useReportEdit(project);
  const refused = useRefused();
  const changing = useCommand("edit.change", { stale: STALE_BY_EDIT, onError: refused });
  const removing = useCommand("edit.remove", { stale: STALE_BY_EDIT, onError: refused });
  const client = useQueryClient();
  // An id may name the neighbour until the list is read again.
  const follow = (from: string | null, to: string | null) =>
    client.refetchQueries({ queryKey: queryKey("hooks.list", { project }) }).then(() => {
      if (selected() === from) onHook(to);
    });
  const done: Edits["done"] = (before, doc, said, what, turned) => {
    void follow(before.hook, doc.hook);
    const turn = (from: string | null, to: string | null) => () => {
      void follow(from, to);
      turned?.();
    };
    report(doc, said, { what, onUndone: turn(doc.hook, before.hook), onRedone: turn(before.hook, doc.hook) });
  };
  const change: Edits["change"] = (hook, steps, said) =>
    changing.mutate(
      { project, hook: hook.hook, version: hook.version, steps },
      { onSuccess: (doc) => done(hook, doc, said, t("edits.did.edit", { name: labelOf(hook) })) },
    );
  return {
    done,
    change,
    remove: (hook) =>
      removing.mutate(
        { project, hook: hook.hook, version: hook.version },
        {
          onSuccess: (doc) => {
            const name = labelOf(hook);
            const said = t("edits.removedKept", { said: t("hooks.edit.removed", { hook: name }) });
            done(hook, doc, said, t("edits.did.remove", { name }));
          },
        },
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

/** Where else the hook could stand. */
export function otherLayers(hook: HookRow, dialect: Dialect | undefined): string[] {
  return (dialect?.shelves ?? []).filter((shelf) => shelf !== hook.layer);
}
