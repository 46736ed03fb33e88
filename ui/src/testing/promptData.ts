/** Prompts as the engine fills them, and as an invented model answers. */
import type { Params, Reply } from "@/ipc/types";
import type { Script } from "./fakeEngine";

type Answer = Reply<"prompt.run">["answers"][number];
type Part = Reply<"prompt.render">["parts"][number];

const VALUES: Readonly<Record<string, string>> = {
  event: "pre_tool_execution",
  tool_name: "Bash",
  tool_arguments: '{"command":"psql $STAGING"}',
  cwd: "/home/me/code/orchard-api",
};
const NAMES = ["event", "user_input", "assistant_output", "tool_name", "tool_arguments", "tool_result", "model", "cwd"];
/** The event can have them, and this one has none. */
const UNFILLED = ["model"];
const INSTRUCTIONS = `---
Answer with exactly one JSON object and nothing else.
- "action" (string): "skip" leaves this call out, its siblings go on
{} means that nothing is to be changed.
`;

function partOf(written: string): Part {
  const name = /^\{\{([\w.-]+)\}\}$/.exec(written)?.[1] ?? null;
  if (name === null) return { kind: "text", written, text: written, name: null, nearest: null };
  if (!NAMES.includes(name)) return { kind: "unknown", written, text: written, name, nearest: "tool_arguments" };
  const text = VALUES[name] ?? "";
  return { kind: text === "" ? "empty" : "value", written, text, name, nearest: null };
}

function rendered({ template, trace }: Params<"prompt.render">): Reply<"prompt.render"> {
  const parts = template
    .split(/(\{\{[\w.-]+\}\})/)
    .filter((written) => written !== "")
    .map(partOf);
  const tokens = (text: string) => Math.ceil(text.length / 4);
  const read = tokens(parts.map(({ text }) => text).join(""));
  return {
    parts,
    variables: NAMES.map((name) => ({
      name,
      is_set: name in VALUES || UNFILLED.includes(name),
      value: VALUES[name] ?? null,
    })),
    instructions: INSTRUCTIONS,
    system: "",
    recorded: typeof trace === "string",
    template_tokens: tokens(template),
    rendered_tokens: read,
    total_tokens: read + tokens(INSTRUCTIONS),
  };
}

/** The answers to one event: most of them skip the call, every fifth changes nothing. */
export function answersTo(times: number): Answer[] {
  return Array.from({ length: times }, (_, index): Answer => {
    const isEmpty = index % 5 === 2;
    return {
      index,
      end: "replied",
      valid: true,
      outcome: isEmpty ? "no_opinion" : "denied",
      verdict: isEmpty ? "proceed" : "skip",
      fields: [],
      reason: null,
      text: isEmpty ? "{}" : '{\n  "action": "skip",\n  "system_message": "Drops a table on staging."\n}',
      error: null,
      took_ms: 1840 - 70 * index,
      input_tokens: 402,
      output_tokens: isEmpty ? 2 : 29,
      cached: false,
    };
  });
}

export const PROMPT_REPLIES: Script = {
  "prompt.render": rendered,
  "prompt.run": ({ times }) => ({ answers: answersTo(times), times, replied: times, agreed: times - 1, valid: times }),
};
