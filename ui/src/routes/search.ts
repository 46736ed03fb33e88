/**
 * What each screen keeps in its address: typed, so that filters and selections survive a reload and can be linked to.
 */

/** How far back the figures of the overview reach. */
export const OVERVIEW_RANGES = ["15m", "1h", "24h", "7d"] as const;
export type OverviewRange = (typeof OVERVIEW_RANGES)[number];

export interface OverviewSearch {
  /** Absent for an hour. */
  range?: OverviewRange;
  /** Which recent events; absent for those with a hook. */
  rows?: "decided" | "all";
}

export type HooksBy = "dialect" | "source" | "event";
export type HooksTab = "summary" | "source" | "explain" | "runs";

export const HOOKS_SORTS = ["-p95", "p95"] as const;
export type HooksSort = (typeof HOOKS_SORTS)[number];

export interface HooksSearch {
  view?: "list" | "order" | "lifecycle" | "problems" | "edits";
  by?: HooksBy;
  /** Tree node, after `by`: a system, a system and a layer (`system/project`), a path, or a system and an event. */
  node?: string;
  hook?: string;
  tab?: HooksTab;
  /** The file that the source tab opens, and the line in it; absent for the hook's definition. */
  file?: string;
  line?: number;
  q?: string;
  /** Slowest or quickest first; absent for the run order. */
  sort?: HooksSort;
  /** Chosen row of the problems view: the name of a problem, as of `problemKey`. */
  problem?: string;
  /** Chosen row of the list of edits. */
  edit?: string;
  /** Whose life the map shows. */
  dialect?: string;
  /** Which events the map shows; absent for all. */
  events?: "hooked";
  /** Chosen node of the map, or the chosen hook's event where it has several. */
  event?: string;
}

export interface FireSearch {
  dialect?: string;
  event?: string;
  fixture?: string;
  /** Takes event and payload from this recorded trace. */
  trace?: string;
  /** Chooses this hook's step. */
  hook?: string;
  /** The session of the agent that the event is fired at; absent for the engine alone. */
  agent?: string;
}

export const HISTORY_SORTS = ["event", "-event", "took", "-took"] as const;
/** A minus begins with the largest. */
export type HistorySort = (typeof HISTORY_SORTS)[number];

export interface HistorySearch {
  /** Filter tokens, as in the query language. */
  q?: string;
  trace?: string;
  step?: number;
  tab?: string;
  /** The chain that `trace` is compared with; the same while the other one is still to be chosen. */
  with?: string;
  /** Only from here on, RFC 3339. */
  since?: string;
  /** Only before, RFC 3339. */
  until?: string;
  /** Absent for the newest first. */
  sort?: HistorySort;
  /** Absent while events in which no hook ran are folded. */
  rows?: "all";
}

export interface ExplainSearch {
  /** Explains this recorded trace; otherwise `event` with the payload of the fixture. */
  trace?: string;
  dialect?: string;
  event?: string;
  fixture?: string;
  hook?: string;
}

export interface TrustSearch {
  /** Absent for what waits, unless the chosen hook is approved or denied. */
  tab?: "waiting" | "approved" | "denied";
  hook?: string;
}

export const METRICS_RANGES = ["15m", "1h", "24h", "7d", "30d", "90d"] as const;
export type MetricsRange = (typeof METRICS_RANGES)[number];

export const METRICS_SORTS = ["change", "budget", "runs", "p95", "failed", "blocked"] as const;
export type MetricsSort = (typeof METRICS_SORTS)[number];

export interface MetricsSearch {
  /** Absent for 24 hours. */
  range?: MetricsRange;
  /** Hooks of all projects; absent for those of the open one and the user's own. */
  projects?: "all";
  agent?: string;
  session?: string;
  /** Absent while every figure is compared with the period before. */
  compare?: "none";
  /** Absent for the change since the period before. The largest comes first. */
  sort?: MetricsSort;
  /** The key of the chosen row. The charts show its hook. */
  row?: string;
  /** Absent for charts. */
  as?: "tables";
}

export const AGENTS_TABS = ["protocol", "runs", "hooks"] as const;
export type AgentsTab = (typeof AGENTS_TABS)[number];

export interface AgentsSearch {
  /** Absent for the first session of the list. */
  session?: string;
  /** Two dialects may have a session of one id, and two projects too. */
  dialect?: string;
  project?: string;
  tab?: AgentsTab;
}

export interface SimulatorSearch {
  /** `file/PATH`, `sample/DIALECT/NAME`, `new/DIALECT` or `session/DIALECT/ID`; absent while none is chosen. */
  scenario?: string;
  /** From 1; absent for the first. */
  turn?: number;
  /** Column of the turn, from 0. */
  call?: number;
  /** Chosen event, as an index of all. */
  event?: number;
}

export type SettingsSection = "general" | "model" | "history" | "redaction" | "watching" | "notifications" | "about";

export interface SettingsSearch {
  section?: SettingsSection;
}

type Raw = Record<string, unknown>;

function text(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" ? String(value) : undefined;
}

function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function time(value: unknown): string | undefined {
  return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

function oneOf<V extends string>(value: unknown, allowed: readonly V[]): V | undefined {
  return allowed.find((one) => one === value);
}

export function overviewSearch(raw: Raw): OverviewSearch {
  return { range: oneOf(raw.range, OVERVIEW_RANGES), rows: oneOf(raw.rows, ["decided", "all"] as const) };
}

export function hooksSearch(raw: Raw): HooksSearch {
  return {
    view: oneOf(raw.view, ["list", "order", "lifecycle", "problems", "edits"] as const),
    by: oneOf(raw.by, ["dialect", "source", "event"] as const),
    node: text(raw.node),
    hook: text(raw.hook),
    tab: oneOf(raw.tab, ["summary", "source", "explain", "runs"] as const),
    file: text(raw.file),
    line: whole(raw.line),
    q: text(raw.q),
    sort: oneOf(raw.sort, HOOKS_SORTS),
    problem: text(raw.problem),
    edit: text(raw.edit),
    dialect: text(raw.dialect),
    events: oneOf(raw.events, ["hooked"] as const),
    event: text(raw.event),
  };
}

export function fireSearch(raw: Raw): FireSearch {
  return {
    dialect: text(raw.dialect),
    event: text(raw.event),
    fixture: text(raw.fixture),
    trace: text(raw.trace),
    hook: text(raw.hook),
    agent: text(raw.agent),
  };
}

export function historySearch(raw: Raw): HistorySearch {
  const since = time(raw.since);
  return {
    q: text(raw.q),
    trace: text(raw.trace),
    step: whole(raw.step),
    tab: text(raw.tab),
    with: text(raw.with),
    since,
    until: since === undefined ? undefined : time(raw.until),
    sort: oneOf(raw.sort, HISTORY_SORTS),
    rows: oneOf(raw.rows, ["all"] as const),
  };
}

export function explainSearch(raw: Raw): ExplainSearch {
  return {
    trace: text(raw.trace),
    dialect: text(raw.dialect),
    event: text(raw.event),
    fixture: text(raw.fixture),
    hook: text(raw.hook),
  };
}

export function trustSearch(raw: Raw): TrustSearch {
  return { tab: oneOf(raw.tab, ["waiting", "approved", "denied"] as const), hook: text(raw.hook) };
}

export function metricsSearch(raw: Raw): MetricsSearch {
  return {
    range: oneOf(raw.range, METRICS_RANGES),
    projects: oneOf(raw.projects, ["all"] as const),
    agent: text(raw.agent),
    session: text(raw.session),
    compare: oneOf(raw.compare, ["none"] as const),
    sort: oneOf(raw.sort, METRICS_SORTS),
    row: text(raw.row),
    as: oneOf(raw.as, ["tables"] as const),
  };
}

export function agentsSearch(raw: Raw): AgentsSearch {
  return {
    session: text(raw.session),
    dialect: text(raw.dialect),
    project: text(raw.project),
    tab: oneOf(raw.tab, AGENTS_TABS),
  };
}

export function simulatorSearch(raw: Raw): SimulatorSearch {
  return { scenario: text(raw.scenario), turn: whole(raw.turn), call: whole(raw.call), event: whole(raw.event) };
}

export function settingsSearch(raw: Raw): SettingsSearch {
  return {
    section: oneOf(raw.section, [
      "general",
      "model",
      "history",
      "redaction",
      "watching",
      "notifications",
      "about",
    ] as const),
  };
}

/** The screens by their path, each with the reader of its parameters. */
export const READERS = {
  "/overview": overviewSearch,
  "/hooks": hooksSearch,
  "/fire": fireSearch,
  "/history": historySearch,
  "/history/explain": explainSearch,
  "/metrics": metricsSearch,
  "/agents": agentsSearch,
  "/trust": trustSearch,
  "/simulator": simulatorSearch,
  "/settings": settingsSearch,
} as const;

export type Path = keyof typeof READERS;
export type SearchOf<P extends Path> = ReturnType<(typeof READERS)[P]>;
