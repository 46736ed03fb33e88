/** The lines of a table: its rows, heads of groups, and folds that stand for several rows. */
import type { ReactNode } from "react";

/** A line between rows that heads a group. */
export interface Group {
  key: string;
  content: ReactNode;
  /** In px, where it says more than a name. */
  height?: number;
}

/** Rows that one line stands for until it is opened. */
export interface Fold<R> {
  folds: (row: R) => boolean;
  /** What the line says of so many rows. */
  text: (count: number) => string;
}

export type Line<R> =
  | { kind: "group"; group: Group; key: string }
  | { kind: "fold"; rows: readonly string[]; isOpen: boolean; key: string }
  | { kind: "row"; row: R; key: string };

interface LinesOf<R> {
  rows: readonly R[];
  rowKey: (row: R) => string;
  groupOf: ((row: R) => readonly Group[]) | undefined;
  fold: Fold<R> | undefined;
  selected: string | null;
  /** The keys of rows whose folds were opened. */
  opened: ReadonlySet<string>;
}

export function linesOf<R>({ rows, rowKey, groupOf, fold, selected, opened }: LinesOf<R>): Line<R>[] {
  const lines: Line<R>[] = [];
  // Where the rows are not in the order of their groups, one comes several times.
  const times = new Map<string, number>();
  let current: readonly string[] = [];
  let folded: (Line<R> & { kind: "row" })[] = [];
  const closeFold = () => {
    const last = folded.at(-1);
    if (last === undefined) return;
    const keys = folded.map(({ key }) => key);
    const isOpen = keys.some((key) => key === selected || opened.has(key));
    // Newer rows come above the run: its last row names it.
    lines.push({ kind: "fold", rows: keys, isOpen, key: `fold ${last.key}` });
    if (isOpen) lines.push(...folded);
    folded = [];
  };
  for (const row of rows) {
    const groups = groupOf?.(row) ?? [];
    const keys = groups.map(({ key }) => key);
    const changed = keys.findIndex((key, level) => key !== current[level]);
    if (changed >= 0 || keys.length !== current.length) closeFold();
    for (const group of changed < 0 ? [] : groups.slice(changed)) {
      const time = (times.get(group.key) ?? 0) + 1;
      times.set(group.key, time);
      lines.push({ kind: "group", group, key: `group ${time} ${group.key}` });
    }
    current = keys;
    const line = { kind: "row" as const, row, key: rowKey(row) };
    if (fold?.folds(row)) folded.push(line);
    else {
      closeFold();
      lines.push(line);
    }
  }
  closeFold();
  return lines;
}
