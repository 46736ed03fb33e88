/** A table with a sticky head, roving focus, grouped rows and only the rows in view in the page. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, FoldVertical, UnfoldVertical } from "lucide-react";
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { useView } from "@/lib/view";
import { Icon } from "./Icon";
import { Tooltip } from "./Tooltip";
import { type Fold, type Group, linesOf } from "./tableLines";

export interface Column<R> {
  id: string;
  head: ReactNode;
  /** Explains the head on hover and focus; drawn only then. */
  about?: ReactNode;
  /** Read instead of an empty head. */
  headLabel?: string;
  /** CSS width; columns without one share the rest. */
  width?: string;
  align?: "right";
  /** Left out below 1120 px. */
  wide?: boolean;
  /** The arrow in the head. */
  sorted?: "up" | "down";
  onSort?: () => void;
  /** Depends on nothing but the row; columns are made anew when anything else changes. */
  cell: (row: R) => ReactNode;
}

export interface TableHandle {
  scrollToTop(): void;
  /** True while the first row is in view. */
  atTop(): boolean;
  focusRow(key: string): void;
}

interface DataTableProps<R> {
  label: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  rowKey: (row: R) => string;
  /** Row height in px. */
  rowHeight: number;
  /** Rows may be higher than that. */
  grows?: boolean;
  /** The groups that a row is in, from the outer to the inner. */
  groupOf?: (row: R) => readonly Group[];
  /** Rows of it that follow each other are one line; those around the selected row are always open. */
  fold?: Fold<R>;
  selected: string | null;
  onSelect: (row: R, by: "pointer" | "key") => void;
  /** Rows that are chosen beside it. */
  also?: ReadonlySet<string>;
  /** `Ctrl` with a click or with `Space` chooses a row beside it, or takes it off. */
  onSecond?: (row: R) => void;
  /** Enter or double click. */
  onOpen?: (row: R) => void;
  rowClass?: (row: R) => string;
  className?: string;
  /** Called when fewer than 20 rows remain below the view. */
  onNearEnd?: () => void;
  /** Where it was scrolled to when it was last shown, in px. */
  initialOffset?: number;
  onScroll?: (offset: number, atTop: boolean) => void;
  ref?: Ref<TableHandle>;
  empty?: ReactNode;
}

const GROUP_HEIGHT = 28;
const inTextSize = (px: number) => `calc(${px}px * var(--ts))`;
/** Of the sticky head, in px. */
const HEAD_HEIGHT = 29;
/** Lines drawn above and below the view. */
const OVERSCAN = 12;
/** Assumed until the table is laid out, in px. */
const UNKNOWN_HEIGHT = 800;
const NEAR_END = 20;

interface CellsProps {
  row: unknown;
  columns: readonly Column<unknown>[];
}

/** The cells of a row. Drawn again only for another row or other columns, not while the table scrolls past. */
const Cells = memo(function Cells({ row, columns }: CellsProps) {
  return columns.map((column) => (
    <td key={column.id} className={[column.align, column.wide && "wide"].filter(Boolean).join(" ")}>
      {column.cell(row)}
    </td>
  ));
});

/** The rows in view, and what scrolls and focuses them. */
function useTableWindow<R>(props: DataTableProps<R>) {
  // The virtualizer stays the same object while what it returns changes.
  "use no memo";
  const { rows, rowKey, groupOf, fold, selected, onNearEnd, initialOffset, ref } = props;
  const scale = useView((view) => view.textSize) / 100;
  const rowHeight = props.rowHeight * scale;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const lines = useMemo(
    () => linesOf({ rows, rowKey, groupOf, fold, selected, opened }),
    [rows, rowKey, groupOf, fold, selected, opened],
  );
  const toggle = (keys: readonly string[]) =>
    setOpened((before) => {
      const after = new Set(before);
      const isOpen = keys.some((key) => before.has(key));
      for (const key of keys) {
        if (isOpen) after.delete(key);
        else after.add(key);
      }
      return after;
    });
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const line = lines[index];
      if (line?.kind === "group") return (line.group.height ?? GROUP_HEIGHT) * scale;
      return line?.kind === "fold" ? GROUP_HEIGHT * scale : rowHeight;
    },
    // Another function means other heights.
    getItemKey: useCallback((index: number) => lines[index]?.key ?? index, [lines]),
    overscan: OVERSCAN,
    // A row that is not laid out has no height yet.
    measureElement: (row) => row.getBoundingClientRect().height || rowHeight,
    initialOffset,
    initialRect: { width: 0, height: UNKNOWN_HEIGHT },
    scrollPaddingEnd: HEAD_HEIGHT,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size of text means other heights
  useEffect(() => virtualizer.measure(), [scale]);
  const drawn = virtualizer.getVirtualItems();
  const first = drawn.at(0);
  const last = drawn.at(-1);
  const end = last === undefined ? 0 : last.index + 1;
  useEffect(() => {
    if (lines.length > 0 && end > lines.length - NEAR_END) onNearEnd?.();
  }, [end, lines.length, onNearEnd]);
  const focusLine = (index: number) => {
    virtualizer.scrollToIndex(index);
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-line="${index}"]`)?.focus());
  };
  useImperativeHandle(ref, () => ({
    scrollToTop: () => virtualizer.scrollToOffset(0),
    atTop: () => (scroller.current?.scrollTop ?? 0) < rowHeight,
    focusRow: (key) => {
      const index = lines.findIndex((line) => line.kind === "row" && line.key === key);
      if (index >= 0) focusLine(index);
    },
  }));
  const before = first?.start ?? 0;
  const after = virtualizer.getTotalSize() - (last?.end ?? 0);
  return {
    scroller,
    body,
    lines,
    first: first?.index ?? 0,
    end,
    before,
    after,
    focusLine,
    toggle,
    measure: virtualizer.measureElement,
  };
}

type TableWindow<R> = ReturnType<typeof useTableWindow<R>>;
type RowKeys<R> = (event: KeyboardEvent<HTMLElement>, index: number, row: R | null) => void;

/** The keys of a row: they choose another one, or open it. */
function useRowKeys<R>(props: DataTableProps<R>, shown: TableWindow<R>, rowLines: readonly number[]): RowKeys<R> {
  const { rowHeight, onSelect, onOpen, onSecond } = props;
  const { scroller, lines, focusLine } = shown;
  const last = rowLines.length - 1;
  return (event, index, row) => {
    if (event.key === " " && event.ctrlKey && row !== null && onSecond !== undefined) {
      event.preventDefault();
      onSecond(row);
      return;
    }
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? rowHeight * 10) / rowHeight) - 1);
    const at = rowLines.indexOf(index);
    const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, PageDown: at + page, PageUp: at - page }[
      event.key
    ];
    const place = event.key === "Home" ? 0 : event.key === "End" ? last : to;
    if (place !== undefined) {
      const next = rowLines[Math.min(last, Math.max(0, place))];
      const line = next === undefined ? undefined : lines[next];
      if (line?.kind === "row") onSelect(line.row, "key");
      if (next !== undefined) focusLine(next);
    } else if (event.key === "Enter" && row !== null) {
      onSelect(row, "key");
      onOpen?.(row);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, rowHeight, fold, selected, className, onScroll, empty, onSecond } = props;
  const shown = useTableWindow(props);
  const { scroller, body, lines, first, end, before, after, toggle } = shown;
  const rowLines = lines.flatMap((line, index) => (line.kind === "group" ? [] : [index]));
  const onKeys = useRowKeys(props, shown, rowLines);
  const hasSelected = selected !== null && lines.some((line) => line.kind === "row" && line.key === selected);
  return (
    <div
      ref={scroller}
      className="pane-body scroll"
      onScroll={({ currentTarget: { scrollTop } }) => onScroll?.(scrollTop, scrollTop < rowHeight)}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are chosen with the arrow keys
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={onSecond ? true : undefined}
        className={className}
      >
        <Head columns={columns} />
        <tbody ref={body}>
          <Pad height={before} columns={columns.length} />
          {lines.slice(first, end).map((line, place) => {
            const index = first + place;
            if (line.kind === "group") {
              return <GroupLine key={line.key} group={line.group} columns={columns.length} />;
            }
            if (line.kind === "fold") {
              return (
                <FoldLine
                  key={line.key}
                  text={fold?.text(line.rows.length)}
                  isOpen={line.isOpen}
                  index={index}
                  columns={columns.length}
                  isFirst={!hasSelected && index === rowLines[0]}
                  onToggle={() => toggle(line.rows)}
                  onKeys={(event) => onKeys(event, index, null)}
                />
              );
            }
            return (
              <RowLine
                key={line.key}
                table={props}
                line={line}
                index={index}
                measure={props.grows ? shown.measure : undefined}
                isFirst={!hasSelected && index === rowLines[0]}
                onKeys={onKeys}
              />
            );
          })}
          <Pad height={after} columns={columns.length} />
        </tbody>
      </table>
      {rows.length === 0 ? empty : null}
    </div>
  );
}

function Head<R>({ columns }: { columns: readonly Column<R>[] }) {
  return (
    <>
      <colgroup>
        {columns.map((column) => (
          <col
            key={column.id}
            className={column.wide ? "wide" : undefined}
            style={{ width: column.width && `calc(${column.width} * var(--ts))` }}
          />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.id}
              scope="col"
              className={[column.align, column.wide && "wide"].filter(Boolean).join(" ")}
              aria-sort={column.sorted === "up" ? "ascending" : column.sorted === "down" ? "descending" : undefined}
            >
              {column.onSort ? (
                <Tooltip text={column.about}>
                  <button type="button" onClick={column.onSort}>
                    {column.head}
                    {column.sorted ? <Icon of={column.sorted === "up" ? ArrowUp : ArrowDown} size={12} /> : null}
                  </button>
                </Tooltip>
              ) : (
                column.head
              )}
              {column.headLabel ? <span className="visually-hidden">{column.headLabel}</span> : null}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

/** The room of the rows that are not in the page. */
function Pad({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr className="pad" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

function GroupLine({ group, columns }: { group: Group; columns: number }) {
  return (
    <tr className="group-row">
      <td colSpan={columns} style={{ paddingLeft: "var(--s-3)", height: inTextSize(group.height ?? GROUP_HEIGHT) }}>
        {group.content}
      </td>
    </tr>
  );
}

interface FoldLineProps {
  text: string | undefined;
  isOpen: boolean;
  /** Among all lines. */
  index: number;
  columns: number;
  isFirst: boolean;
  onToggle: () => void;
  onKeys: (event: KeyboardEvent<HTMLElement>) => void;
}

function FoldLine({ text, isOpen, index, columns, isFirst, onToggle, onKeys }: FoldLineProps) {
  return (
    <tr aria-rowindex={index + 2} style={{ height: inTextSize(GROUP_HEIGHT) }}>
      <td colSpan={columns}>
        <button
          type="button"
          data-line={index}
          tabIndex={isFirst ? 0 : -1}
          aria-expanded={isOpen}
          className="row w-full gap-2 text-tiny text-ink-3 hover:text-ink-1 after:h-0 after:flex-1 after:border-0 after:border-t after:border-dashed after:border-line-2"
          onClick={onToggle}
          onKeyDown={onKeys}
        >
          <Icon of={isOpen ? FoldVertical : UnfoldVertical} size={14} />
          {text}
        </button>
      </td>
    </tr>
  );
}

interface RowLineProps<R> {
  table: DataTableProps<R>;
  line: { row: R; key: string };
  /** Among all lines. */
  index: number;
  measure: ((row: HTMLTableRowElement | null) => void) | undefined;
  /** It is reached by Tab where no row is chosen. */
  isFirst: boolean;
  onKeys: RowKeys<R>;
}

function RowLine<R>({ table, line, index, measure, isFirst, onKeys }: RowLineProps<R>) {
  const { columns, rowHeight, rowClass, selected, also, onSelect, onSecond, onOpen } = table;
  const { row, key } = line;
  const on = key === selected;
  const beside = also?.has(key) ?? false;
  return (
    <tr
      ref={measure}
      data-index={index}
      data-line={index}
      aria-selected={on || beside}
      aria-rowindex={index + 2}
      tabIndex={on || isFirst ? 0 : -1}
      className={[(on || beside) && "on", rowClass?.(row)].filter(Boolean).join(" ")}
      style={{ height: inTextSize(rowHeight) }}
      onClick={(event) => {
        if (onSecond && (event.ctrlKey || event.metaKey)) onSecond(row);
        else onSelect(row, "pointer");
      }}
      onDoubleClick={() => onOpen?.(row)}
      onKeyDown={(event) => onKeys(event, index, row)}
    >
      <Cells row={row} columns={columns as readonly Column<unknown>[]} />
    </tr>
  );
}
