/** An invented simulation of skill hooks in two requests, for tests and stories. */
import type {
  Dialect,
  EventInfo,
  HookRow,
  LlmCall,
  Reply,
  ScenarioReading,
  SeenMessage,
  SimulateDocument,
  Step,
  Trace,
} from "@/ipc/types";
import type { Script } from "./fakeEngine";
import type { Rows } from "./listed";
import { EVENTS, PROJECT, sampleReplies, TRACE } from "./sampleData";

const SKILL_EVENTS = [
  "after_user_input",
  "before_planning",
  "before_each_agent",
  "before_first_agent",
  "after_tool_call",
] as const;

type SkillEvent = (typeof SKILL_EVENTS)[number];

export const SCENARIO_TEXT = `# Two requests, one with a tool call.
dialect: skill
enabled_skills: [house, tone]
turns:
  - user: Compare the two cart papers.
    steps:
      - calls: [{tool: read_file, arguments: {path: a.md}, result: Carts}]
      - reply: Done.
  - user: Thanks!
    enable_tools: false
    steps: [{reply: Welcome.}]
`;

const idOf = (name: string) => `skill:skill:own:${name}`;

function inserting(name: string, by: string | null): Step {
  return {
    hook: idOf(name),
    label: name,
    position: 1,
    source: { layer: "skill", path: `${PROJECT}/skills/own/hooks/hooks.json`, line: 3 },
    handler: "insert",
    outcome: "changed",
    reason: null,
    order: 1,
    gates: [],
    edits: [{ field: "messages", before: null, after: { role: "system", content: name }, truncated: false }],
    ignored: [],
    attempts: [],
    mode: "await",
    ...(by === null ? {} : { removed: [{ ref: `${name}.1`, at: TRACE.at, by }] }),
  } as unknown as Step;
}

function trace(index: number, event: SkillEvent, hooks: [name: string, by: string | null][], persist?: string): Trace {
  return {
    ...TRACE,
    trace: `01SIM${index}`,
    dialect: "skill",
    event,
    origin: "simulated",
    session: "demo",
    took_ms: 0.4,
    verdict: { kind: "proceed", reason: null, feedback: null, by: null, code: null, args: {} },
    notices: [],
    payload_before: { messages: [] },
    payload_after: { messages: [] },
    reply: { json: { persist: persist === undefined ? [] : [{ name: persist }] }, exit_code: 0, stderr: "" },
    steps: hooks.map(([name, by]) => inserting(name, by)),
  };
}

const PROMPT: SeenMessage = { role: "system", content: "[planning_prompt]", origin: "prompt", hook: null };

const said = (role: string, content: string, origin: SeenMessage["origin"]): SeenMessage => ({
  role,
  content,
  origin,
  hook: null,
});

const LIFETIMES: Record<SkillEvent, NonNullable<EventInfo["lifetime"]>> = {
  after_user_input: "request",
  before_planning: "planning_call",
  before_each_agent: "step",
  before_first_agent: "loop",
  after_tool_call: "next_call",
};

const EVENT_OF: Record<string, SkillEvent> = {
  house: "after_user_input",
  tone: "after_user_input",
  plan: "before_planning",
  each: "before_each_agent",
  hint: "after_tool_call",
};

const lifetimeOf = (name: string) => LIFETIMES[EVENT_OF[name] ?? "after_user_input"];

const hooked = (name: string, insertion: number, origin: SeenMessage["origin"] = "hook"): SeenMessage => ({
  role: "system",
  content: `Text of ${name}`,
  origin,
  hook: idOf(name),
  label: name,
  lifetime: lifetimeOf(name),
  insertion,
});

const inserted = (name: string, event: number, turn: number, removedBy: string | null) => ({
  hook: idOf(name),
  label: name,
  event,
  turn,
  lifetime: lifetimeOf(name),
  persistent: name === "tone",
  removed_by: removedBy,
});

const INSERTIONS: SimulateDocument["insertions"] = [
  inserted("house", 0, 1, null),
  inserted("tone", 0, 1, null),
  inserted("plan", 1, 1, "remove(before_planning)"),
  inserted("each", 2, 1, "remove(before_each_agent)"),
  inserted("hint", 3, 1, "remove(after_tool_call)"),
  inserted("hint", 4, 1, "remove(after_tool_call)"),
  inserted("each", 5, 1, null),
  inserted("house", 6, 2, null),
  inserted("tone", 6, 2, null),
];

const USER = said("user", "Compare the two cart papers.", "user");
const CALLING: SeenMessage = {
  ...said("assistant", "", "assistant"),
  tool_calls: [
    { id: "call_1", name: "read_file", arguments: "{}" },
    { id: "call_2", name: "read_file", arguments: "{}" },
  ],
};
const RESULTS = [said("tool", "Carts", "tool"), said("tool", "Wheels", "tool")];

const call = (turn: number, label: string, events: number, messages: SeenMessage[]): LlmCall => ({
  turn,
  label,
  events,
  messages,
});

const STEP_2 = [
  USER,
  hooked("house", 0),
  hooked("tone", 1),
  CALLING,
  ...RESULTS,
  hooked("hint", 4),
  hooked("hint", 5),
  hooked("each", 6),
];
const SECOND = [
  said("user", "Compare the two cart papers.", "history"),
  hooked("tone", 1, "history"),
  said("user", "Thanks!", "user"),
  hooked("house", 7),
  hooked("tone", 8),
];

/** House rules for the request, tone persistent, a plan, a reminder for each step, and a hint for each tool call. */
export const SIMULATION: SimulateDocument = {
  turns: [0, 6],
  traces: [
    trace(
      0,
      "after_user_input",
      [
        ["house", null],
        ["tone", null],
      ],
      "tone",
    ),
    trace(1, "before_planning", [["plan", "remove(before_planning)"]]),
    trace(2, "before_each_agent", [["each", "remove(before_each_agent)"]]),
    trace(3, "after_tool_call", [["hint", "remove(after_tool_call)"]]),
    trace(4, "after_tool_call", [["hint", "remove(after_tool_call)"]]),
    trace(5, "before_each_agent", [["each", null]]),
    trace(
      6,
      "after_user_input",
      [
        ["house", null],
        ["tone", null],
      ],
      "tone",
    ),
  ],
  llm_calls: [
    call(1, "planning", 2, [USER, hooked("house", 0), hooked("tone", 1), hooked("plan", 2), PROMPT]),
    call(1, "step 1", 3, [USER, hooked("house", 0), hooked("tone", 1), hooked("each", 3)]),
    call(1, "step 2", 6, STEP_2),
    call(2, "direct", 7, SECOND),
  ],
  persisted: [],
  final_messages: SECOND,
  insertions: INSERTIONS,
  notices: [],
};

export const READING: ScenarioReading = {
  text: SCENARIO_TEXT,
  scenario: {
    dialect: "skill",
    session: null,
    model: "",
    system_prompt: "",
    enabled_skills: ["house", "tone"],
    prompts: { planning: null, first_step: null, agent_loop: null },
    messages: [],
    turns: [
      {
        user: "Compare the two cart papers.",
        enable_tools: true,
        need_tool: true,
        steps: [
          { calls: [{ tool: "read_file", arguments: { path: "a.md" }, result: "Carts", error: null }], reply: null },
          { calls: [], reply: "Done." },
        ],
      },
      { user: "Thanks!", enable_tools: false, need_tool: true, steps: [{ calls: [], reply: "Welcome." }] },
    ],
  },
  problem: null,
};

const BROKEN: ScenarioReading = {
  text: "turns: 1",
  scenario: null,
  problem: { line: 1, field: "scenario", why: "missing field `dialect`" },
};

export const SCENARIO_FILE = "tests/hooks/carts.scenario.yaml";

const scenarios: Reply<"scenarios"> = {
  scenarios: [
    { name: "house-rules", path: null, dialect: "skill", text: SCENARIO_TEXT, hash: null },
    { name: "stop-gate", path: null, dialect: "qoder", text: "dialect: qoder\nturns: []\n", hash: null },
    { name: SCENARIO_FILE, path: `${PROJECT}/${SCENARIO_FILE}`, dialect: "skill", text: SCENARIO_TEXT, hash: "aa" },
  ],
};

function withSkill(): Reply<"dialects"> {
  const { dialects } = sampleReplies().dialects as Reply<"dialects">;
  const [base] = dialects as [Dialect];
  const [event] = EVENTS as [Dialect["events"][number]];
  const events = SKILL_EVENTS.map((name) => ({
    ...event,
    name,
    notify_only: false,
    verdicts: [],
    lifetime: LIFETIMES[name],
  }));
  const about = { en: "Texts for the message list.", zh: "插入消息列表的文本。" };
  return { dialects: [...dialects, { ...base, id: "skill", name: "Skill hooks", tag: "sk", about, events }] };
}

/** The hooks of the simulation. */
function skillHooks([base]: readonly HookRow[]): HookRow[] {
  if (base === undefined) return [];
  const row = (name: string, event: SkillEvent, persistent: boolean): HookRow => ({
    ...base,
    hook: idOf(name),
    label: name,
    event,
    dialect: "skill",
    layer: "skill",
    path: `${PROJECT}/skills/${name}/hooks/hooks.json`,
    handler: "insert",
    definition: { name, persistent },
  });
  return [
    row("house", "after_user_input", false),
    row("tone", "after_user_input", true),
    row("plan", "before_planning", false),
    row("each", "before_each_agent", false),
    row("hint", "after_tool_call", false),
  ];
}

/** A project with hooks of j-cli and skills, a saved scenario, and its simulation. */
export function simulatorStory(): Script {
  const list = sampleReplies()["hooks.list"] as (params: { project?: string | null }) => Rows;
  return {
    dialects: withSkill(),
    "hooks.list": (params) => {
      const { hooks, ...rest } = list(params);
      return { ...rest, hooks: [...hooks, ...skillHooks(hooks)] };
    },
    scenarios,
    "scenarios.read": ({ text, changes }) =>
      text.includes("dialect")
        ? { ...READING, text: changes === undefined ? text : `${text}# changed\n` }
        : { ...BROKEN, text },
    "scenarios.save": ({ path }) => ({
      hook: null,
      moved: {},
      path: `${PROJECT}/${path}`,
      diff: "",
      written: true,
      problems: [],
      edit: "01ED",
      undo: "01ED",
      trashed: null,
      notices: [],
    }),
    simulate: SIMULATION,
  };
}
