import { FlaskConical, History, Pin } from "lucide-react";
import { useMemo } from "react";
import { DialectTag, Icon, Tooltip, Tree, type TreeNode } from "@/components";
import { listensTo } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import type { Dialect, EventInfo, Fixture, HookRow } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { escapeInvisible } from "@/lib/escape";

export function fixtureId(fixture: Pick<Fixture, "dialect" | "event" | "name">): string {
  return `${fixture.dialect} ${fixture.event} ${fixture.name}`;
}

/** A recorded event whose payload is edited here. */
export interface Recorded {
  id: string;
  dialect: string;
  event: string;
  /** RFC 3339. */
  at: string;
}

interface FixturesTreeProps {
  fixtures: readonly Fixture[];
  hooks: readonly HookRow[];
  recorded: Recorded | null;
  /** Dialects that begin open. */
  open: ReadonlySet<string>;
  selected: string;
  onSelect: (fixture: Fixture) => void;
}

/**
 * Dialects and their events in the order of an agent's life: first those that have hooks or payloads, the rest folded.
 * An event with one payload is that payload.
 */
export function FixturesTree({ fixtures, hooks, recorded, open, selected, onSelect }: FixturesTreeProps) {
  const dialects = useDialects();
  const nodeOf = useEventNode(fixtures, hooks, recorded);
  const nodes: TreeNode[] = dialects.map((dialect) => {
    const own = hooks.filter((hook) => hook.dialect === dialect.id);
    const isBusy = (event: EventInfo) =>
      own.some((hook) => listensTo(hook, event.name)) ||
      fixtures.some((one) => one.saved && one.dialect === dialect.id && one.event === event.name) ||
      (recorded?.dialect === dialect.id && recorded.event === event.name);
    const busy = dialect.events.filter(isBusy).flatMap((event) => nodeOf(dialect, event));
    const rest = dialect.events.filter((event) => !isBusy(event)).flatMap((event) => nodeOf(dialect, event));
    return {
      id: dialect.id,
      head: true,
      folds: true,
      label: dialect.name,
      icon: <DialectTag dialect={dialect.id} />,
      count: <HookCount count={own.length} />,
      children:
        busy.length === 0 || rest.length === 0
          ? [...busy, ...rest]
          : [
              ...busy,
              {
                id: othersId(dialect),
                folds: true,
                label: t("fire.otherEvents"),
                count: rest.length,
                children: rest,
              },
            ],
    };
  });
  // What is chosen is never folded away.
  const chosenEvent = selected.split(" ").slice(0, 2).join(" ");
  const closed = new Set(
    nodes.flatMap((node) => [
      ...(open.has(node.id) ? [] : [node.id]),
      ...(node.children ?? []).flatMap((child) =>
        child.folds && !child.children?.some((one) => one.id === selected || one.id === chosenEvent) ? [child.id] : [],
      ),
    ]),
  );
  return (
    <Tree
      label={t("fire.fixtures")}
      nodes={nodes}
      selected={selected}
      closed={closed}
      onSelect={(id) => {
        const found =
          fixtures.find((one) => fixtureId(one) === id) ?? fixtures.find((one) => `${one.dialect} ${one.event}` === id);
        if (found) onSelect(found);
      }}
    />
  );
}

function othersId(dialect: Dialect): string {
  return `${dialect.id} others`;
}

/** The event with its payloads; nothing where there is no payload to fire. */
function useEventNode(fixtures: readonly Fixture[], hooks: readonly HookRow[], recorded: Recorded | null) {
  return useMemo(
    () =>
      (dialect: Dialect, event: EventInfo): TreeNode[] => {
        const own = fixtures.filter((one) => one.dialect === dialect.id && one.event === event.name);
        const first = own[0];
        const isRecorded = recorded?.dialect === dialect.id && recorded.event === event.name;
        if (first === undefined && !isRecorded) return [];
        const label = <span className="mono">{event.name}</span>;
        const listening = hooks.filter((hook) => hook.dialect === dialect.id && listensTo(hook, event.name)).length;
        const count = <HookCount count={listening} />;
        if (first !== undefined && own.length === 1 && !isRecorded) return [{ id: fixtureId(first), label, count }];
        const children: TreeNode[] = own.map((one) => ({
          id: fixtureId(one),
          label: one.saved ? escapeInvisible(one.name) : t("fire.example"),
          icon: <Icon of={one.saved ? Pin : FlaskConical} size={12} />,
        }));
        if (isRecorded) {
          const name = t("fire.save.fromEvent", { time: time(recorded.at) });
          children.push({ id: recorded.id, label: name, icon: <Icon of={History} size={12} /> });
        }
        return [{ id: `${dialect.id} ${event.name}`, label, count, children }];
      },
    [fixtures, hooks, recorded],
  );
}

/** How many hooks listen; nothing where none does. */
function HookCount({ count }: { count: number }) {
  if (count === 0) return null;
  const words = t("lifecycle.listening", { count });
  return (
    <Tooltip text={words}>
      <span role="img" aria-label={words}>
        {count}
      </span>
    </Tooltip>
  );
}
