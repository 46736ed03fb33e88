/** Where the marks of the live strip lie: lanes from the top, the newest chain at the right. */
import type { GlyphKind } from "@/components";
import { CELL_MS, type Cell, cellsBetween, laneName, MARKS_MS, type MarkLane } from "@/domain/trace/marks";
import { isWithoutHook, quietness, rowOutcome } from "@/domain/trace/verdict";
import type { AgentRow, HistoryRow } from "@/ipc";

/** Chains that would lie closer than this share a mark, in px. */
export const MARK_PX = 4;
/** Lanes that are drawn; more agents share the last one. */
export const SHOWN_LANES = 6;

export interface PlacedMark {
  /** From the left edge, in px. */
  x: number;
  kind: GlyphKind;
  /** The loudest of its chains. */
  row: HistoryRow;
  count: number;
  /** There are more than `count`. */
  more: boolean;
  /** When its chains began, in ms since 1970; `to` is not part of it. */
  from: number;
  to: number;
}

/** When an agent left, RFC 3339 or null where it is not known, and where that lies, in px. */
export interface AgentLeft {
  at: string | null;
  x: number;
}

export interface StripLane {
  key: string;
  /** Null for this machine, and for what shares the last lane. */
  agent: { dialect: string; name: string; session: string } | null;
  /** How many agents or sessions share this lane. */
  sessions: number;
  /** Where the agent left, whose session is kept; null while it is connected. */
  left: AgentLeft | null;
  marks: PlacedMark[];
  /** How many more events fired in the minute, in which no hook ran. */
  bare: number;
}

/** The marks of cells in the minute before `now`, at most one for every `MARK_PX`, left to right. */
export function placeMarks(cells: readonly Cell[], now: number, width: number): PlacedMark[] {
  const marks: PlacedMark[] = [];
  // Columns lie in time and not on the screen, so that what shares a mark keeps sharing it while the strip moves.
  const columnMs = Math.max(CELL_MS, (MARKS_MS * MARK_PX) / Math.max(1, width));
  let column = -1;
  for (const { slot, traces, more, row } of cells) {
    const at = Math.min(1, Math.max(0, 1 - (now - Date.parse(row.at)) / MARKS_MS));
    const begin = slot * CELL_MS;
    const own = Math.floor(begin / columnMs);
    const mark = {
      x: at * width,
      kind: rowOutcome(row),
      row,
      count: traces.length,
      more,
      from: begin,
      to: begin + CELL_MS,
    };
    const before = marks.at(-1);
    if (own !== column || before === undefined) {
      marks.push(mark);
      column = own;
      continue;
    }
    const louder = quietness(mark.kind) <= quietness(before.kind) ? mark : before;
    const both = { count: before.count + mark.count, more: before.more || more, from: before.from, to: mark.to };
    marks[marks.length - 1] = { ...louder, ...both };
  }
  return marks;
}

function byTime(lanes: readonly MarkLane[], now: number): Cell[] {
  const all = lanes.flatMap((lane) => cellsBetween(lane, now - MARKS_MS, now));
  return lanes.length > 1 ? all.sort((a, b) => a.slot - b.slot) : all;
}

const laneOfAgent = ({ dialect, session }: Pick<AgentRow, "dialect" | "session">) =>
  laneName({ origin: "agent", dialect, session, agent: null });

function leftAt(row: AgentRow, now: number, width: number): AgentLeft | null {
  if (row.connected) return null;
  const at = row.left_at ?? null;
  const part = at === null ? 0 : 1 - (now - Date.parse(at)) / MARKS_MS;
  return { at, x: Math.min(1, Math.max(0, part)) * width };
}

/** A connected agent by name, or null where it has none or several of its sessions are connected. */
function byAgent(agents: readonly AgentRow[]): Map<string, string> {
  const lanes = new Map<string, string | null>();
  for (const row of agents) {
    if (!row.connected || row.agent.name === "") continue;
    const agent = `${row.dialect} ${row.agent.name}`;
    lanes.set(agent, lanes.has(agent) ? null : laneOfAgent(row));
  }
  return new Map([...lanes].filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The recorded lanes by the name of the lane that shows them: an agent goes on in its lane when it begins a session. */
function groupLanes(recorded: readonly MarkLane[], agents: readonly AgentRow[]): Map<string, MarkLane[]> {
  const known = new Set(agents.map(laneOfAgent));
  const connected = byAgent(agents);
  const groups = new Map<string, MarkLane[]>();
  for (const lane of recorded) {
    const name = lane.key.slice(lane.key.indexOf("\n") + 1);
    const agent = lane.agent === null || lane.agent.name === "" ? null : `${lane.agent.dialect} ${lane.agent.name}`;
    const shown = agent === null || known.has(name) ? name : (connected.get(agent) ?? `ended ${agent}`);
    groups.set(shown, [...(groups.get(shown) ?? []), lane]);
  }
  return groups;
}

/**
 * This machine first, then the agents in the order in which their sessions began, connected or not, then agents whose
 * sessions have ended. An agent of another project has a lane only if it fired an event in this one.
 */
export function stripLanes(
  recorded: readonly MarkLane[],
  agents: readonly AgentRow[],
  project: string,
  now: number,
  width: number,
): StripLane[] {
  const groups = groupLanes(recorded, agents);
  const take = (name: string): Pick<StripLane, "marks" | "bare"> => {
    const cells = byTime(groups.get(name) ?? [], now);
    groups.delete(name);
    // The row of a cell is its loudest: where no hook ran for it, none ran for the others.
    const bare = cells.filter((cell) => isWithoutHook(cell.row));
    return {
      marks: placeMarks(
        cells.filter((cell) => !isWithoutHook(cell.row)),
        now,
        width,
      ),
      bare: bare.reduce((sum, { traces }) => sum + traces.length, 0),
    };
  };
  const machine: StripLane = { key: "", agent: null, sessions: 0, left: null, ...take("") };
  const lanes: StripLane[] = [];
  for (const row of agents) {
    const key = laneOfAgent(row);
    if (row.cwd !== project && !groups.has(key)) continue;
    const agent = { dialect: row.dialect, name: row.agent.name, session: row.session };
    lanes.push({ key, agent, sessions: 1, left: leftAt(row, now, width), ...take(key) });
  }
  for (const [key, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const newest = group.reduce((one, other) => (other.last > one.last ? other : one));
    const { dialect = "", name = "", session = null } = newest.agent ?? {};
    const own = take(key);
    if (own.marks.length + own.bare > 0)
      lanes.push({ key, agent: { dialect, name, session: session ?? "" }, sessions: 1, left: null, ...own });
  }
  if (machine.marks.length + machine.bare > 0 || lanes.length === 0) lanes.unshift(machine);
  return lanes.length <= SHOWN_LANES ? lanes : shared(lanes);
}

/** The lanes below the last one that has room, in one. */
function shared(lanes: readonly StripLane[]): StripLane[] {
  const kept = lanes.slice(0, SHOWN_LANES - 1);
  const rest = lanes.slice(SHOWN_LANES - 1);
  const marks = rest.flatMap((lane) => lane.marks).sort((a, b) => a.x - b.x);
  const thin: PlacedMark[] = [];
  for (const mark of marks) {
    const before = thin.at(-1);
    if (before === undefined || Math.floor(before.x / MARK_PX) !== Math.floor(mark.x / MARK_PX)) {
      thin.push(mark);
      continue;
    }
    const louder = quietness(mark.kind) <= quietness(before.kind) ? mark : before;
    thin[thin.length - 1] = {
      ...louder,
      count: before.count + mark.count,
      more: before.more || mark.more,
      from: Math.min(before.from, mark.from),
      to: Math.max(before.to, mark.to),
    };
  }
  return [
    ...kept,
    {
      key: "rest",
      agent: null,
      sessions: rest.length,
      left: null,
      marks: thin,
      bare: rest.reduce((sum, lane) => sum + lane.bare, 0),
    },
  ];
}

/** A mark by the keys: the next one in its lane, or the nearest in a lane above or below that has any. */
export function markBeside(
  lanes: readonly StripLane[],
  at: { lane: number; mark: PlacedMark },
  key: string,
): { lane: number; mark: PlacedMark } | null {
  const own = lanes[at.lane]?.marks ?? [];
  const place = own.indexOf(at.mark);
  const inLane = (mark: PlacedMark | undefined) => (mark === undefined ? null : { lane: at.lane, mark });
  switch (key) {
    case "ArrowLeft":
      return inLane(own[place - 1]);
    case "ArrowRight":
      return inLane(own[place + 1]);
    case "Home":
      return inLane(own[0]);
    case "End":
      return inLane(own.at(-1));
    case "ArrowUp":
    case "ArrowDown": {
      const by = key === "ArrowUp" ? -1 : 1;
      for (let lane = at.lane + by; lane >= 0 && lane < lanes.length; lane += by) {
        const mark = nearestMark(lanes[lane]?.marks ?? [], at.mark.x);
        if (mark !== null) return { lane, mark };
      }
      return null;
    }
    default:
      return null;
  }
}

/** The mark nearest to a place, at most `reach` px away. */
export function nearestMark(
  marks: readonly PlacedMark[],
  x: number,
  reach = Number.POSITIVE_INFINITY,
): PlacedMark | null {
  let found: PlacedMark | null = null;
  for (const mark of marks) {
    const isNearer = found === null || Math.abs(mark.x - x) < Math.abs(found.x - x);
    if (isNearer && Math.abs(mark.x - x) <= reach) found = mark;
  }
  return found;
}
