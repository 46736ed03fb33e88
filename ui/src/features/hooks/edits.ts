/** Changes of people's files from the Hooks screen: each at once, with Undo; a refusal says why. */
import { useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components";
import { useTurnOff } from "@/domain/edits/turnOff";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { type EditDone, useReportEdit } from "@/domain/hooks/afterEdit";
import { labelOf } from "@/domain/hooks/facts";
import type { TurnedOffRow } from "@/domain/hooks/turnedOff";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { type Dialect, type HookRow, type Params, queryKey, useCommand } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { capitalizeFirst } from "@/lib/escape";
import { useNavigate } from "@/routes/router";

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
  /** Takes its definition out of its file. The engine keeps it. */
  turnOff: (hook: HookRow) => void;
  /** Puts the definition back. */
  turnOn: (hook: TurnedOffRow) => void;
  /** Gives it another place in its list. */
  move: (hook: HookRow, place: number) => void;
}

/**
 * `onHook` hears under which id the hook stands afterwards; null when it is gone. Whoever looks at another hook by then
 * (`selected`) goes on doing so.
 */
export function useEdits(project: string, selected: () => string | null, onHook: (hook: string | null) => void): Edits {
  const report = useReportEdit(project);
  const navigate = useNavigate();
  const changing = useCommand("edit.change", { stale: STALE_BY_EDIT });
  const removing = useCommand("edit.remove", { stale: STALE_BY_EDIT, onError: toastFault });
  const turningOn = useCommand("hook.turn_on", { stale: STALE_BY_EDIT, onError: toastFault });
  const dialects = useDialects();
  const agentOf = (hook: HookRow) => agentName(dialects, hook.dialect);
  const client = useQueryClient();
  // An id may name the neighbour until the list is read again.
  const follow = (from: string | null, to: string | null) =>
    client.refetchQueries({ queryKey: queryKey("hooks.list", { project }) }).then(() => {
      if (selected() === from) onHook(to);
    });
  const done: Edits["done"] = (before, doc, said, what, turned) => {
    const after = doc.turned_off ?? doc.hook;
    void follow(before.hook, after);
    const turn = (from: string | null, to: string | null) => () => {
      void follow(from, to);
      turned?.();
    };
    report(doc, said, { what, onUndone: turn(after, before.hook), onRedone: turn(before.hook, after) });
  };
  const turnOff = useTurnOff(project, done);
  const change: Edits["change"] = (hook, steps, said) =>
    changing.mutate(
      { project, hook: hook.hook, version: hook.version, steps },
      {
        onSuccess: (doc) => done(hook, doc, said, t("edits.did.edit", { name: labelOf(hook) })),
        onError: (fault) => {
          if (fault.code !== "edit_unreviewed") return toastFault(fault);
          const refusal = say(fault, fault.message, new Map([[hook.hook, labelOf(hook)]]));
          const review = () => navigate({ to: "/trust", search: { hook: hook.hook } });
          toast(
            t("hooks.edit.unreviewed", { refusal: capitalizeFirst(refusal) }),
            { label: t("hooks.drawer.review"), run: review },
            "error",
          );
        },
      },
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
    turnOff: turnOff.run,
    turnOn: (hook) =>
      turningOn.mutate(
        { project, id: hook.hook },
        {
          onSuccess: (doc) => {
            const named = { hook: labelOf(hook), agent: agentOf(hook) };
            done(hook, doc, t("turnedOff.undid", named), t("edits.did.turnOn", { name: named.hook }));
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

/** Where else the hook could stand. */
export function otherLayers(hook: HookRow, dialect: Dialect | undefined): string[] {
  return (dialect?.shelves ?? []).filter((shelf) => shelf !== hook.layer);
}
