/** Invented agents and their messages, for tests and stories. */
import type { AgentAnswer, AgentLogLine, AgentRow, Reply } from "@/ipc/types";
import type { Script } from "./fakeEngine";
import { HOOKS, NOW, PROJECT, TRACE } from "./sampleData";

export const SOCKET = "/run/user/1000/hookwright/agent.sock";

const at = (ago: number) => new Date(NOW - ago).toISOString();

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
    native: false,
    connected: true,
    connections: [{ agent: { name: "j-cli", version: "12.9.8", pid: 48213 }, offers: ["fire", "model"] }],
    session_hooks: [{ hook: "jcli:session:stop:0", label: "note-turn.sh", event: "stop", trusted: false }],
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
