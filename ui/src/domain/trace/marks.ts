/**
 * The chains of the last minute as marks of lanes, kept outside the components: a lane has one cell for each tenth of a
 * second, so that memory stays the same whatever comes. The live feed and pages of the history are added to it.
 */
import type { HistoryRow } from "@/ipc";
import { quietness, rowOutcome } from "./verdict";

/** How far back the marks reach. */
export const MARKS_MS = 60_000;
/** Chains of a lane that began within one cell share a mark. */
export const CELL_MS = 100;
/** A little more than a minute, so that a view that moves in steps finds its oldest marks. */
const CELLS = (MARKS_MS + 10_000) / CELL_MS;
/** So many traces of a cell are told apart; of more it is known that there were more. */
export const CELL_TRACES = 16;
/** A lane that was quiet for longest is forgotten first. */
export const MOST_LANES = 64;

export interface Cell {
  /** When it begins, in `CELL_MS` since 1970. */
  slot: number;
  traces: string[];
  /** There were more than `CELL_TRACES`. */
  more: boolean;
  /** The loudest chain, of equals the latest. */
  row: HistoryRow;
}

export interface MarkLane {
  key: string;
  /** Absolute path; null for events without a project. */
  project: string | null;
  /** Null for what this machine fired: commands, window and simulator. */
  agent: { dialect: string; session: string | null; name: string } | null;
  /** By slot modulo their number. */
  cells: (Cell | undefined)[];
  /** Slot of the latest mark. */
  last: number;
}

const lanes = new Map<string, MarkLane>();

/** The lane of an event within its project: the agent's session, or the empty word for this machine. */
export function laneName(row: Pick<HistoryRow, "origin" | "dialect" | "session" | "agent">): string {
  const isAgent = row.origin === "agent" || row.origin === "reported";
  return isAgent ? `${row.dialect} ${row.session ?? row.agent ?? ""}` : "";
}

function laneOf(row: HistoryRow): MarkLane {
  const name = laneName(row);
  const key = `${row.project ?? ""}\n${name}`;
  const known = lanes.get(key);
  if (known !== undefined) return known;
  const { dialect, session } = row;
  const agent = name === "" ? null : { dialect, session, name: row.agent ?? "" };
  const lane: MarkLane = { key, project: row.project, agent, cells: new Array(CELLS), last: 0 };
  lanes.set(key, lane);
  if (lanes.size > MOST_LANES) {
    const quietest = [...lanes.values()].filter((one) => one !== lane).sort((a, b) => a.last - b.last)[0];
    if (quietest !== undefined) lanes.delete(quietest.key);
  }
  return lane;
}

/** Adds chains in any order. One that is added again replaces its earlier version. */
export function addMarks(rows: readonly HistoryRow[]): void {
  for (const row of rows) {
    const slot = Math.floor(Date.parse(row.at) / CELL_MS);
    if (Number.isNaN(slot)) continue;
    const lane = laneOf(row);
    const index = slot % CELLS;
    const cell = lane.cells[index];
    // What is older than the ring would replace something newer.
    if (cell !== undefined && cell.slot > slot) continue;
    lane.last = Math.max(lane.last, slot);
    if (cell === undefined || cell.slot < slot) {
      lane.cells[index] = { slot, traces: [row.trace], more: false, row };
      continue;
    }
    if (!cell.traces.includes(row.trace)) {
      if (cell.traces.length < CELL_TRACES) cell.traces.push(row.trace);
      else cell.more = true;
    }
    if (cell.row.trace === row.trace || quietness(rowOutcome(row)) <= quietness(rowOutcome(cell.row))) cell.row = row;
  }
}

/** The lanes of a project and of events without one. */
export function markLanes(project: string): MarkLane[] {
  return [...lanes.values()].filter((lane) => lane.project === project || lane.project === null);
}

/** Its cells from `from` on and before `to`, in ms since 1970, oldest first. */
export function cellsBetween(lane: MarkLane, from: number, to: number): Cell[] {
  const found: Cell[] = [];
  const end = Math.min(Math.floor(to / CELL_MS), lane.last);
  for (let slot = Math.max(Math.ceil(from / CELL_MS), end - CELLS + 1); slot <= end; slot += 1) {
    const cell = lane.cells[slot % CELLS];
    if (cell?.slot === slot) found.push(cell);
  }
  return found;
}

/** Forgets all marks; tests only. */
export function clearMarks(): void {
  lanes.clear();
}
