/** Invented agents and their messages, for tests and stories. */
import type { AgentAnswer, AgentLogLine, AgentProgram, AgentRow, Reply, TrustItem } from "@/ipc/types";
import type { Script } from "./fakeEngine";
import { HOOKS, NOW, PROJECT, REVIEW, TEXTS, TRACE, WAITING } from "./sampleData";

export const SOCKET = "/run/user/1000/hookwright/agent.sock";

const at = (ago: number) => new Date(NOW - ago).toISOString();

/** It registered the session hook that waits. */
export const PROGRAM: AgentProgram = {
  id: "jcli:agent:j-cli",
  name: "j-cli",
  program: "/home/me/.local/bin/j",
  fingerprint: "b7".repeat(32),
  first: [
    {
      why: "once approved, every command that /home/me/.local/bin/j registers as j-cli runs without a review, in every project",
      code: "agent_program",
      args: { program: "/home/me/.local/bin/j", name: "j-cli" },
    },
    {
      why: "if /home/me/.local/bin/j runs scripts, each script can use this name",
      code: "agent_program",
      args: { case: "script", program: "/home/me/.local/bin/j" },
    },
  ],
  refused: null,
};

export const AGENTS: AgentRow[] = [
  {
    session: "4f21",
    dialect: "jcli",
    agent: { name: "j-cli", version: "12.9.8", pid: 48213 },
    offers: ["fire", "model"],
    cwd: PROJECT,
    since: at(46 * 60_000),
    events: 2211,
    events_last_minute: 18,
    hooks: 1,
    missing_programs: [{ program: "node", path: "/home/me/.nvm/bin/node", hooks: ["format.mjs"] }],
    native: false,
    connected: true,
    connections: [{ agent: { name: "j-cli", version: "12.9.8", pid: 48213 }, offers: ["fire", "model"] }],
    session_hooks: [
      { hook: "jcli:session:stop:0", label: "note-turn.sh", event: "stop", trusted: false, agent: PROGRAM },
    ],
  },
  {
    session: "cron",
    dialect: "jcli",
    agent: { name: "relay", version: "", pid: null },
    offers: [],
    cwd: PROJECT,
    since: at(90_000),
    events: 3,
    events_last_minute: 0,
    hooks: 0,
    missing_programs: [],
    native: true,
    connected: false,
    connections: [],
    session_hooks: [],
  },
];

function line(part: Partial<AgentLogLine> & Pick<AgentLogLine, "from" | "kind" | "text">, index: number): AgentLogLine {
  return {
    number: index + 1,
    at: at(10_000 - index * 100),
    method: null,
    id: null,
    took_ms: null,
    bytes: part.text.length,
    cut: false,
    redacted: false,
    ...part,
  };
}

export const LINES: AgentLogLine[] = [
  {
    from: "agent",
    kind: "request",
    method: "event.fire",
    id: "2207",
    text: '{"jsonrpc":"2.0","id":2207,"method":"event.fire","params":{"event":"pre_tool_execution","payload":{"token":"‹redacted›"}}}',
    redacted: true,
  },
  {
    from: "engine",
    kind: "result",
    method: "event.fire",
    id: "2207",
    took_ms: 1982,
    text: '{"jsonrpc":"2.0","id":2207,"result":{"verdict":{"kind":"skip"},"trace":"8f21c0"}}',
  },
  {
    from: "agent",
    kind: "request",
    method: "event.fire",
    id: "2208",
    text: '{"jsonrpc":"2.0","id":2208,"method":"event.fire","params":{"event":"pre_send_mesage"',
    cut: true,
    bytes: 39_014,
  },
  {
    from: "engine",
    kind: "error",
    method: "event.fire",
    id: "2208",
    took_ms: 0.4,
    text: '{"jsonrpc":"2.0","id":2208,"error":{"code":-32002,"message":"unknown event pre_send_mesage"}}',
  },
].map((part, index) => line(part, index));

export const ANSWER: AgentAnswer = {
  session: "4f21",
  agent: "j-cli",
  reply: { json: { action: "stop" }, exit_code: 0, stderr: "" },
  steps: [{ hook: HOOKS[0]?.hook ?? "", label: "guard", outcome: "denied" }],
  engine: TRACE,
  same: false,
  stopped: false,
};

const list: Reply<"agents.list"> = { agents: AGENTS, socket: SOCKET };

/** Two sessions, one of them kept. */
export const AGENT_STORY: Script = {
  "agents.list": list,
  "agents.log": ({ after }) => ({ lines: LINES.filter((one) => one.number > (after ?? 0)) }),
  "agents.disconnect": { agents: AGENTS.slice(1), socket: SOCKET },
  "agents.fire": ANSWER,
};

const SESSION_HOOK = "jcli:session:stop:0";

/** A session hook waits; after its agent is allowed, nothing does. */
export function programStory(): Script {
  const waiting: TrustItem = {
    ...WAITING,
    kind: "session_hook",
    hook: SESSION_HOOK,
    label: "note-turn.sh",
    event: "stop",
    definition: "command: ./note-turn.sh\n",
    files: [],
    old: null,
  };
  const allowed: TrustItem = { ...waiting, kind: "agent_program", hook: PROGRAM.id, definition: PROGRAM.program };
  let isAllowed = false;
  const agents = () =>
    AGENTS.map((row) => ({
      ...row,
      session_hooks: row.session_hooks.map((hook) => ({ ...hook, trusted: isAllowed })),
    }));
  return {
    ...AGENT_STORY,
    "agents.list": () => ({ agents: agents(), socket: SOCKET }),
    "trust.list": () => ({ pending: isAllowed ? [] : [waiting], approved: isAllowed ? [allowed] : [], denied: [] }),
    "trust.review": {
      ...REVIEW,
      hook: SESSION_HOOK,
      event: "stop",
      label: "note-turn.sh",
      path: "",
      line: 0,
      definition: waiting.definition,
      files: [],
      old: null,
      agent: PROGRAM,
    },
    "trust.texts": {
      ...TEXTS,
      hook: SESSION_HOOK,
      label: "note-turn.sh",
      at: null,
      definition: { approved: null, present: waiting.definition, changed: true },
      files: [],
    },
    "trust.approve": () => {
      isAllowed = true;
      return { pending: 0 };
    },
    "trust.revoke": () => {
      isAllowed = false;
      return { pending: 1 };
    },
  };
}
