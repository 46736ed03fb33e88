/** The list at the left: what waits, or what is approved, by file; a file whose hooks were all read is approved at once. */
import { CircleCheck, ListChecks } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { Button, DialectTag, HandlerIcon, Icon } from "@/components";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { moveByArrows } from "@/lib/listKeys";
import { shortPath } from "@/lib/names";
import { changeOf, isOfAgent, type QueueGroup, type QueueItem } from "./queue";

interface WaitingListProps {
  label: string;
  groups: readonly QueueGroup[];
  selected: string | null;
  project: string;
  /** Whether the present content of a hook was read to its end. */
  isRead: (item: QueueItem) => boolean;
  /** Whether a hook that was read is not approved together with others. */
  isApprovedAlone: (item: QueueItem) => boolean;
  onSelect: (hook: string) => void;
  /** Absent for what is approved already. */
  onApproveAll?: (group: QueueGroup) => void;
}

export function WaitingList(props: WaitingListProps) {
  const { label, groups, selected, project, isRead, isApprovedAlone, onSelect, onApproveAll } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected === null) return;
    list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => moveByArrows(event, list.current, "button.list-row");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list of lists
    <div ref={list} role="group" aria-label={label} className="pane-body scroll" onKeyDown={onKeyDown}>
      {groups.map((group) => (
        <section key={group.key} aria-label={shortPath(group.path, project)}>
          <GroupHead
            group={group}
            project={project}
            isRead={isRead}
            isApprovedAlone={isApprovedAlone}
            onApproveAll={onApproveAll}
          />
          {group.items.map((one) => (
            <Item
              key={one.item.hook}
              one={one}
              waits={onApproveAll !== undefined}
              on={one.item.hook === selected}
              read={isRead(one)}
              onSelect={onSelect}
            />
          ))}
        </section>
      ))}
    </div>
  );
}

type GroupHeadProps = Pick<WaitingListProps, "project" | "isRead" | "isApprovedAlone" | "onApproveAll"> & {
  group: QueueGroup;
};

function GroupHead({ group, project, isRead, isApprovedAlone, onApproveAll }: GroupHeadProps) {
  const { items } = group;
  const read = items.filter(isRead).length;
  const [row] = items[0]?.rows ?? [];
  const ofAgents = items[0] !== undefined && isOfAgent(items[0].item);
  return (
    <div className="flex flex-col gap-1.5 py-2 px-3 bg-2 border-b border-line-1 text-ink-3">
      <div className="row">
        {row === undefined ? null : <DialectTag dialect={row.dialect} />}
        {ofAgents ? (
          <span className="text-tiny trunc grow">{t("programs.ofAgents")}</span>
        ) : (
          <span className="mono text-tiny trunc grow">{shortPath(group.path, project)}</span>
        )}
      </div>
      {onApproveAll && items.length > 1 && !ofAgents ? (
        <Button
          size="small"
          icon={ListChecks}
          disabledBecause={
            read < items.length
              ? t("review.readFirst", { read, count: items.length })
              : items.some(isApprovedAlone) && t("review.oneByOne")
          }
          onClick={() => onApproveAll(group)}
        >
          {read < items.length
            ? t("review.readOf", { read, count: items.length })
            : t("review.approveAll", { count: items.length })}
        </Button>
      ) : null}
    </div>
  );
}

interface ItemProps {
  one: QueueItem;
  waits: boolean;
  on: boolean;
  read: boolean;
  onSelect: (hook: string) => void;
}

function Item({ one, waits, on, read, onSelect }: ItemProps) {
  const { item, rows } = one;
  const [row] = rows;
  const change = changeOf(item);
  return (
    <button
      type="button"
      className={on ? "list-row on" : "list-row"}
      aria-current={on}
      onClick={() => onSelect(item.hook)}
    >
      <HandlerIcon handler={row?.handler ?? "shell"} />
      <span className="grow">
        <span className="medium trunc block">{oneLine(row?.label ?? item.label, 80)}</span>
        <span className="mono text-tiny dim trunc block">{rows.length > 0 ? eventsOf(rows) : item.event}</span>
      </span>
      {waits && read ? (
        <span className="ink-allow">
          <Icon of={CircleCheck} size={14} />
          <span className="visually-hidden">{t("review.isRead")}</span>
        </span>
      ) : null}
      {waits ? (
        <span className={change === "new" ? "text-tiny ink-accent" : "text-tiny ink-late"}>
          {t(`review.change.${change}`)}
        </span>
      ) : null}
    </button>
  );
}

/** The events of a hook, on one line. */
function eventsOf(rows: readonly HookRow[]): string {
  const events = [...new Set(rows.flatMap((row) => row.serves ?? [row.event]))];
  return events.join(", ");
}
