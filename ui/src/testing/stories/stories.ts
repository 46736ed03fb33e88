/** States that are hard to bring about with a real engine, as changes of the invented project. */
import type { Push, Reply } from "@/ipc";
import { Fault } from "@/ipc/fault";
import { AGENT_STORY, programStory, SOCKET } from "@/testing/agentData";
import { DOCTOR_STORY } from "@/testing/doctorData";
import { checked, NOTHING_MATCHED } from "@/testing/editReplies";
import type { Script } from "@/testing/fakeEngine";
import { matchEvents } from "@/testing/filterData";
import { GONE_PROJECT } from "@/testing/goneData";
import { BROKEN_FILE, CANNOT_START, statusOf } from "@/testing/healthData";
import { METRICS_STORY, NO_METRICS_STORY } from "@/testing/metricsData";
import { overviewStory, wellStory } from "@/testing/overviewData";
import {
  BIG_PAYLOAD,
  EVENTS,
  HOOKS,
  historyRows,
  LONG_TRACE,
  OWN_LIST,
  PROBLEMS,
  PROJECT,
  PROJECT_LIST,
  REVIEW,
  STATE,
  TEXTS,
  TRACE,
  WAITING,
} from "@/testing/sampleData";
import { SIMULATION, simulatorStory } from "@/testing/simulatorData";

function refuse(code: string, message: string, hint: string): never {
  throw new Fault({ code, message, hint });
}

const QUEUED = ["pre_tool_execution:0", "pre_tool_execution:1", "post_tool_execution:0", "stop:0"].map(
  (place) => `jcli:project:${place}`,
);
const FOUND: typeof REVIEW.found = [
  { kind: "network", word: "urlopen", path: "/home/ann/orchard-api/.jcli/hooks/redact.py", line: 2, new: true },
  {
    kind: "network",
    word: "paste.example.net",
    path: "/home/ann/orchard-api/.jcli/hooks/redact.py",
    line: 9,
    new: true,
  },
  { kind: "file", word: "open('log', 'a'", path: "/home/ann/orchard-api/.jcli/hooks/redact.py", line: 12, new: false },
];
/** The last three events were held back from the hook, and one of them was not for it. */
export const HELD: Reply<"history.match"> = {
  ...NOTHING_MATCHED,
  looked_at: 4,
  matches: 3,
  events: [12, 9, 4, 0].map((minute, index) => ({
    trace: `HELD${index}`,
    at: `2026-11-20T14:${String(minute + 11).padStart(2, "0")}:03Z`,
    outcome: index === 3 ? "no_opinion" : "skipped",
    reason: index === 3 ? null : 0,
  })),
  cells: [true, false, true, true].map((matches, index) => ({
    trace: `HELD${index}`,
    at: TRACE.at,
    matches,
    near_miss: null,
    tool: "Bash",
  })),
  reasons: [{ gate: "trusted", pass: false, why: null, near_miss: null, code: null, args: {} }],
};
const labelOf = (hook: string) => HOOKS.find((row) => row.hook === hook)?.label ?? hook;

/** Four hooks that wait: three are new, one changed. */
function queue(part: Partial<typeof TEXTS> = {}): Script {
  const isNew = (hook: string) => hook !== REVIEW.hook;
  return {
    state: { ...STATE, pending: QUEUED.length },
    "history.match": ({ hook }) => (hook === REVIEW.hook ? HELD : NOTHING_MATCHED),
    "hooks.list": {
      hooks: HOOKS.map((row) => (QUEUED.includes(row.hook) ? { ...row, trusted: false, position: null } : row)),
      problems: [],
      sources: [],
    },
    "trust.list": {
      pending: QUEUED.map((hook) => ({ ...WAITING, hook, old: isNew(hook) ? null : WAITING.old })),
      approved: [],
      denied: [],
    },
    "trust.review": ({ hook }) => ({
      ...REVIEW,
      hook,
      label: labelOf(hook),
      fingerprint: `${hook.length}${REVIEW.fingerprint}`,
      found: FOUND,
      old: isNew(hook) ? null : REVIEW.old,
    }),
    "trust.texts": ({ hook }) => ({
      ...TEXTS,
      ...part,
      hook,
      ...(isNew(hook)
        ? {
            at: null,
            definition: { ...TEXTS.definition, approved: null },
            inherited: { approved: null, present: "", changed: false },
            files: TEXTS.files.map((file) => ({ ...file, approved: null })),
          }
        : {}),
    }),
  };
}

/** Hooks that are edited, with a wrong value. */
const EDITED = HOOKS.filter((row) => row.layer === "project").map((row) => ({
  ...row,
  definition: { command: row.runs, timeout: 1, on_error: "ignore", filter: row.filter },
}));
const WRONG_VALUE = {
  severity: "error" as const,
  code: "unknown_value" as const,
  column: 15,
  message: "`on_error` cannot be `ignore`",
  hint: "write `skip` or `abort`",
  args: { case: "on_error", written: "ignore" },
};

export const STORIES: Record<string, Script> = {
  form: {
    "edit.check": ({ path, base }) => {
      const doc = checked(path, EDITED, base ?? null);
      const lines = doc.lines.map((one) => ({
        ...one,
        fields: [
          { field: "command", line: one.line, column: 14 },
          { field: "on_error", line: one.line + 2, column: 15 },
        ],
      }));
      const wrong = EDITED.filter(({ label }) => label === "guard-shell");
      const problems = wrong.map(({ hook, line }) => ({ ...WRONG_VALUE, path, hook, line: line + 2 }));
      return { ...doc, lines, problems };
    },
  },
  default: { "history.match": matchEvents(Date.now()) },
  /** With a model that can be asked. */
  prompts: {
    "history.match": matchEvents(Date.now()),
    state: { ...STATE, model: { configured: true, why: null, code: null, args: {} } },
  },
  notified: {},
  first: { state: { ...STATE, projects: [], project: null, first_start: true, pending: 0 } },
  firstempty: {
    state: { ...STATE, projects: [], project: null, first_start: true, pending: 0 },
    "hooks.list": { hooks: [], problems: [], sources: [] },
  },
  firstbroken: {
    state: { ...STATE, projects: [], project: null, first_start: true, pending: 0 },
    "hooks.list": {
      ...OWN_LIST,
      problems: PROBLEMS.slice(0, 1).map((problem) => ({
        ...problem,
        path: OWN_LIST.sources[0]?.path ?? "",
        args: { case: "on_error", written: "ignore" },
      })),
    },
  },
  empty: {
    state: { ...STATE, pending: 0 },
    overview: { verdict: { code: "no_hooks", args: {} }, needs: [], counts: {} },
    "hooks.list": {
      hooks: [],
      problems: [],
      sources: [
        {
          dialect: "jcli",
          layer: "user",
          path: "/home/me/.jdata/agent/hooks.yaml",
          exists: false,
          hooks: 0,
          last_good: false,
          last_good_since: null,
          definitions: 0,
          events: [],
          health: { state: "ready", code: null, args: {}, at: null },
        },
        {
          dialect: "jcli",
          layer: "project",
          path: `${PROJECT}/.jcli/hooks.yaml`,
          exists: true,
          hooks: 0,
          last_good: false,
          last_good_since: null,
          definitions: 0,
          events: [],
          health: { state: "ready", code: null, args: {}, at: null },
        },
      ],
    },
    "history.page": { traces: [], next: null },
  },
  fault: {
    "hooks.list": () =>
      refuse(
        "store_unreadable",
        "the data folder cannot be read",
        "Check the permissions of ~/.local/share/hookwright.",
      ),
  },
  notlive: {
    state: {
      ...STATE,
      watching: {
        sources: 2,
        there: 2,
        live: false,
        why: "too many folders are watched on this system; files are checked every 5 s",
        code: "not_live",
        args: { case: "too_many", seconds: 5 },
      },
      store: {
        traces: 0,
        bytes: 0,
        ok: false,
        why: "the database is from a newer Hookwright",
        code: null,
        args: {},
        dropped_bodies: 0,
        dropped_traces: 0,
      },
      redaction: false,
    },
  },
  many: {
    "hooks.list": {
      hooks: Array.from({ length: 1000 }, (_, index) => {
        const base = HOOKS[index % HOOKS.length] as (typeof HOOKS)[number];
        return { ...base, hook: `${base.hook}:${index}`, label: `${base.label}-${index}` };
      }),
      problems: [],
      sources: [],
    },
  },
  /** What is wide, long, twice there, or has a time in it. */
  edges: {
    "hooks.list": {
      ...PROJECT_LIST,
      hooks: HOOKS.map((row, index) => ({
        ...row,
        ...(index === 1 || index === 3 ? { label: "echo" } : {}),
        ...(row.muted ? { muted_until: new Date(Date.now() + 26 * 3_600_000).toISOString() } : {}),
      })),
      problems: PROBLEMS.map((problem) => ({
        ...problem,
        path: `${PROJECT}/packages/checkout/services/cart/configuration/.jcli/hooks.yaml`,
        line: 1022,
      })),
    },
    "history.moments": {
      moments: EVENTS.map(({ name }, index) => ({ event: name, traces: 1234 - index, held: index * 60, last: null })),
    },
    "history.page": {
      traces: historyRows(12).map((row, index) => ({
        ...row,
        about: `Bash printf 'one\ntwo\tthree' ${index}`,
      })),
      next: null,
    },
  },
  /** Two chains whose first step came to something else. */
  compared: {
    "history.show": ({ trace }) =>
      trace === TRACE.trace
        ? TRACE
        : {
            ...TRACE,
            trace,
            at: new Date(Date.parse(TRACE.at) - 60_000).toISOString(),
            steps: TRACE.steps.map((step, index) =>
              index === 0
                ? {
                    ...step,
                    outcome: "denied" as const,
                    edits: [],
                    attempts: step.attempts.map((one) => ({ ...one, stdout: '{"action":"skip"}', took_ms: 840 })),
                  }
                : step,
            ),
          },
  },
  long: { fire: LONG_TRACE, "history.show": LONG_TRACE },
  big: { fixtures: { fixtures: [BIG_PAYLOAD], problems: [] } },
  trust: queue(),
  notkept: queue({
    files: TEXTS.files.map((file) => ({ ...file, approved: { hash: "77d0", text: null, missing: "not_kept" } })),
  }),
  gone: GONE_PROJECT,
  nothingwaits: { state: { ...STATE, pending: 0 }, "trust.list": { pending: [], approved: [], denied: [] } },
  rejected: {
    "hooks.list": {
      hooks: HOOKS,
      problems: [
        {
          ...(PROBLEMS[0] as (typeof PROBLEMS)[number]),
          message: "`on_error` cannot be `ignore`",
          hint: "write `skip` (continue) or `abort` (block); until then j-cli rejects the whole file",
          args: { case: "on_error", written: "ignore" },
        },
      ],
      sources: [],
    },
  },
  waitingonly: {
    fire: {
      ...TRACE,
      verdict: { kind: "proceed", reason: null, feedback: null, by: null, code: null, args: {} },
      notices: [],
      took_ms: 0.4,
      steps: TRACE.steps.map((step, index) => ({
        ...step,
        outcome: index === 4 ? ("not_matched" as const) : ("skipped" as const),
        reason: index === 4 ? null : "untrusted",
        position: null,
        attempts: [],
        edits: [],
      })),
    },
  },
  overview: overviewStory(Date.now),
  /** Two guards cannot start. */
  cannotstart: { "hooks.list": CANNOT_START, overview: statusOf(CANNOT_START) },
  /** A file does not parse, and its agent runs none of its hooks. */
  brokenfile: { "hooks.list": BROKEN_FILE, overview: statusOf(BROKEN_FILE) },
  well: wellStory(),
  nothingrecorded: { "history.page": { traces: [], next: null } },
  agents: AGENT_STORY,
  /** Trust and Agents: a session hook waits, and its agent can be always allowed. */
  program: programStory(),
  noagent: { "agents.list": { agents: [], socket: SOCKET } },
  nosocket: { "agents.list": { agents: [], socket: null } },
  agentsfault: { "agents.list": () => refuse("engine_stopped", "the engine stopped", "start it again") },
  agentgone: {
    ...AGENT_STORY,
    "agents.fire": () => refuse("agent_failed", "j-cli did not process the event: it has left", ""),
  },
  doctor: DOCTOR_STORY,
  metrics: METRICS_STORY,
  nometrics: NO_METRICS_STORY,
  metricsfault: { stats: () => refuse("no_history", "the history cannot be read: disk is full", "free some space") },
  simulator: simulatorStory(),
  simulatorwaits: {
    ...simulatorStory(),
    simulate: {
      ...SIMULATION,
      traces: SIMULATION.traces.map((trace) => ({
        ...trace,
        steps: trace.steps.map((step) => ({ ...step, outcome: "skipped" as const, reason: "untrusted", edits: [] })),
      })),
    },
  },
  simulatorruns: { ...simulatorStory(), simulate: () => new Promise<never>(() => undefined) },
  simulatorfault: {
    ...simulatorStory(),
    simulate: () => {
      throw new Fault({
        code: "bad_scenario",
        message: "scenario:4: turns[0]: missing field `user`",
        hint: "write `dialect` and `turns`, and in each turn `user` and `steps`",
        args: { path: "scenario", line: 4, field: "turns[0]", why: "missing field `user`" },
      });
    },
  },
  noedits: { "edit.list": { edits: [], next: null, problems: [] } },
  running: { fire: () => new Promise<never>(() => undefined) },
  /** Press Edit in the source of a hook: the text does not parse, and the file changed on disk. */
  editing: {
    "edit.check": ({ path }) => ({
      ...checked(path, [], "f".repeat(64)),
      parses: false,
      problems: PROBLEMS.filter((problem) => problem.severity === "error"),
      same_base: false,
    }),
  },
  /** Ask for a new hook: its name is taken. */
  taken: {
    "edit.add": () => refuse("edit_name_taken", "`guard` already exists in hooks.yaml", "choose another name"),
  },
  needslink: { state: () => refuse("ui_needs_link", "This window needs its own link.", "") },
  signedout: { state: () => refuse("ui_session_over", "This page is signed out.", "") },
};

/** What the engine of a story says unasked. */
export const PUSHES: Record<string, readonly Push[]> = {
  notified: [
    {
      kind: "notice",
      reason: "failed_open",
      code: "notice_failed_open",
      text: "guard guard_shell.sh failed at pre_tool_execution; the agent continued",
      args: { case: "failed", hook: "guard_shell.sh", event: "pre_tool_execution" },
      to: `/history?trace=${TRACE.trace}&step=0`,
      project: PROJECT,
    },
    {
      kind: "notice",
      reason: "waits_for_approval",
      code: "notice_waits_for_approval",
      text: "4 hooks wait for approval",
      args: { case: "many", count: 4 },
      to: "/trust",
      project: PROJECT,
    },
  ],
};
