/** Effective order: for each event the hooks of all sources as they run, and the conflicts between them. */

import { useEffect, useMemo, useRef, useState } from "react";
import { DataTable, Empty, type Group, Pane, Segmented, SizedPane, type TableHandle } from "@/components";
import { t } from "@/i18n";
import type { HooksDocument } from "@/ipc";
import { useScreenActions, useStepping } from "@/lib/actions";
import { useMedia } from "@/lib/media";
import { useLatest } from "@/lib/useLatest";
import type { HooksSearch } from "@/routes/search";
import { useEdits } from "../edits";
import RowDragging, { type DropTarget } from "../RowDragging";
import { Conflicts } from "./Conflicts";
import { LANE_IN_TWO_LINES, LaneHead, TWO_LINES } from "./LaneHead";
import { type LaneRow, lanesOf, rowsOf } from "./lanes";
import { useLaneColumns } from "./useLaneColumns";

interface OrderViewProps {
  document: HooksDocument;
  project: string;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

type Shown = "all" | "conflicts";

export default function OrderView({ document, project, search, onChange }: OrderViewProps) {
  const [shown, setShown] = useState<Shown>("all");
  const [target, setTarget] = useState<DropTarget | null>(null);
  const table = useRef<TableHandle>(null);
  const chosenRef = useLatest(search.hook);
  const edits = useEdits(
    project,
    () => chosenRef.current ?? null,
    (hook) => onChange({ hook: hook ?? undefined }),
  );
  const lanes = lanesOf(document);
  const rows = useMemo(
    () => rowsOf(shown === "all" ? lanes : lanes.filter((lane) => lane.conflicts.length > 0)),
    [lanes, shown],
  );
  const conflicts = lanes.flatMap((lane) => lane.conflicts);
  const columns = useLaneColumns(document);
  const groupOf = useLaneGroup();
  const selected = rows.find(
    ({ hook, lane }) => hook.hook === search.hook && (search.event === undefined || lane.event === search.event),
  );
  const select = ({ hook, lane }: LaneRow) => onChange({ hook: hook.hook, event: lane.event });
  const show = (hook: string, event: string) => {
    onChange({ hook, event });
    const row = rows.find((one) => one.hook.hook === hook && one.lane.event === event);
    if (row) table.current?.focusRow(row.key);
  };
  useStepping(rows, selected ? rows.indexOf(selected) : -1, (row) => {
    select(row);
    table.current?.focusRow(row.key);
  });
  const place = selected?.hook.in_list?.place;
  const shift = (by: -1 | 1) => (selected && place !== undefined ? () => edits.move(selected.hook, place + by) : null);
  useScreenActions({ "hook.moveUp": shift(-1), "hook.moveDown": shift(1) });
  const key = selected?.key;
  // The focus follows a hook that changes places.
  useEffect(() => {
    const row = globalThis.document.activeElement?.closest("[role=grid] tr");
    if (row && key !== undefined) table.current?.focusRow(key);
  }, [key]);
  if (lanes.length === 0) return <Empty title={t("order.none")} text={t("order.noneText")} />;
  return (
    <>
      <Pane label={t("order.table")}>
        <div className="pane-head">
          <Segmented<Shown>
            label={t("order.table")}
            value={shown}
            onChange={setShown}
            items={[
              { value: "all", label: t("order.all") },
              { value: "conflicts", label: t("order.withConflicts", { count: conflicts.length }) },
            ]}
          />
        </div>
        <DataTable
          ref={table}
          label={t("order.table")}
          className="[&_td:first-child]:relative [&_th:first-child]:pl-3 [&_td:first-child]:pl-3 [&_.grip]:z-4 [&_.switch::after]:left-0"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.key}
          rowHeight={44}
          groupOf={groupOf}
          selected={key ?? null}
          onSelect={select}
          onOpen={({ hook, lane }) => onChange({ view: undefined, hook: hook.hook, event: lane.event })}
          rowClass={(row) =>
            [row.place === null && "fade", target?.key === row.key && `drop-${target.side}`].filter(Boolean).join(" ")
          }
          empty={<p className="empty text-small ink-2">{t("order.noConflict")}</p>}
        />
        <RowDragging onOver={setTarget} onMove={edits.move} />
      </Pane>
      <SizedPane
        id="hooks.conflicts"
        label={t("order.conflicts")}
        className="max-paired:[.panes:has(>&)]:flex-col max-paired:[.panes>&]:w-auto! max-paired:[.panes>&]:flex-[0_1_40%]! max-paired:[.panes>&]:min-h-40 max-paired:[.panes>&]:border-t max-paired:[.panes>&]:border-line-2"
        width={340}
        min={260}
        max={560}
        split="left"
      >
        <Conflicts conflicts={conflicts} document={document} project={project} edits={edits} onHook={show} />
      </SizedPane>
    </>
  );
}

/** The head of a lane has the height that it needs at the width of the window. */
function useLaneGroup(): (row: LaneRow) => readonly Group[] {
  const height = useMedia(LANE_IN_TWO_LINES) ? TWO_LINES : undefined;
  return ({ lane }) => [{ key: lane.key, content: <LaneHead lane={lane} />, height }];
}
