import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { sessionsOf, turnsOfSession } from "./fromSession";

const event = (name: string, payload: Record<string, unknown>) => ({ event: name, payload_before: payload });
const row = (part: Partial<HistoryRow>) => part as HistoryRow;

describe("a scenario from a recorded session", () => {
  it("has the messages, tool calls and replies of j-cli", () => {
    const turns = turnsOfSession([
      event("session_start", { messages: [] }),
      event("pre_send_message", { user_input: "clean up" }),
      event("post_send_message", { user_input: "clean up" }),
      event("post_llm_response", { assistant_output: "I look first." }),
      event("pre_tool_execution", { tool_name: "Bash", tool_arguments: '{"command":"ls"}' }),
      event("post_tool_execution", { tool_name: "Bash", tool_result: "a.rs" }),
      event("pre_tool_execution", { tool_name: "Bash", tool_arguments: "not json" }),
      event("post_tool_execution_failure", { tool_name: "Bash", tool_error: "exit 1" }),
      event("post_llm_response", { assistant_output: "Done." }),
      event("pre_send_message", { user_input: "thanks" }),
    ]);
    expect(turns).toEqual([
      {
        user: "clean up",
        steps: [
          { reply: "I look first.", calls: [{ tool: "Bash", arguments: { command: "ls" }, result: "a.rs" }] },
          { calls: [{ tool: "Bash", arguments: "not json", error: "exit 1" }] },
          { reply: "Done." },
        ],
      },
      { user: "thanks", steps: [] },
    ]);
  });

  it("keeps calls that ran beside each other in one step", () => {
    const turns = turnsOfSession([
      event("UserPromptSubmit", { prompt: "read both" }),
      event("PreToolUse", { tool_name: "Read", tool_input: { file_path: "a" } }),
      event("PreToolUse", { tool_name: "Grep", tool_input: { q: "b" } }),
      event("PostToolUse", { tool_name: "Grep", tool_response: [1] }),
      event("PostToolUse", { tool_name: "Read", tool_response: "text" }),
      event("Stop", { last_assistant_message: "Both read." }),
    ]);
    expect(turns[0]?.steps).toEqual([
      {
        calls: [
          { tool: "Read", arguments: { file_path: "a" }, result: "text" },
          { tool: "Grep", arguments: { q: "b" }, result: [1] },
        ],
      },
      { reply: "Both read." },
    ]);
  });

  it("reads what a skill hook was given", () => {
    const messages = [
      { role: "user", content: "find it" },
      { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "grep", arguments: '{"q":"x"}' }] },
      { role: "tool", content: "3 hits", tool_call_id: "c1" },
    ];
    const turns = turnsOfSession([
      event("after_user_input", { messages: messages.slice(0, 1) }),
      event("after_tool_call", { messages, tool_name: "grep" }),
    ]);
    expect(turns).toEqual([
      { user: "find it", steps: [{ calls: [{ tool: "grep", arguments: { q: "x" }, result: "3 hits" }] }] },
    ]);
  });

  it("is nothing where no event has anything to say", () => {
    expect(turnsOfSession([event("session_start", {}), event("session_end", {})])).toEqual([]);
  });

  it("groups the history by session, and leaves out what was simulated", () => {
    const base = { dialect: "jcli", agent: "j-cli", origin: "agent" as const, at: "2026-11-20T14:00:00Z" };
    const sessions = sessionsOf([
      row({ ...base, trace: "3", session: "a" }),
      row({ ...base, trace: "2", session: "b", origin: "simulated" }),
      row({ ...base, trace: "1", session: "a" }),
      row({ ...base, trace: "0", session: null }),
    ]);
    expect(sessions).toEqual([{ dialect: "jcli", session: "a", agent: "j-cli", traces: ["1", "3"], at: base.at }]);
  });
});
