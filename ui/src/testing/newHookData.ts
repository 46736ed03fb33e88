/** Samples and a guard for the invented project. */
import type { GuardDraft, HookTemplate, Reply, Sample } from "@/ipc/types";
import { edited, planned } from "./editReplies";
import type { Script } from "./fakeEngine";
import { TRACE } from "./sampleTraces";

const script = (path: string) => ({ path, text: "#!/usr/bin/env python3\n", executable: true });

export const SAMPLES: Sample[] = [
  {
    sample: "jcli/guard-shell",
    dialect: "jcli",
    name: "guard-shell",
    about: { en: "a guard that fails closed", zh: "失败即拦截的防护 Hook" },
    events: ["pre_tool_execution"],
    layers: ["project", "user"],
    hooks: [{ label: "guard_shell.py", events: ["pre_tool_execution"], definition: { command: "python3 x" } }],
    files: [script(".jcli/hooks/guard_shell.py")],
  },
  {
    sample: "qoder/stop-gate",
    dialect: "qoder",
    name: "stop-gate",
    about: { en: "a gate that cannot loop", zh: "不会无限循环的停止检查" },
    events: ["Stop"],
    layers: ["project"],
    hooks: [{ label: "stop_gate.sh", events: ["Stop"], definition: { command: "sh x" } }],
    files: [script(".qoder/hooks/stop_gate.sh")],
  },
];

const GUARD_PATH = ".jcli/hooks/guard_bash_f842fb40.py";
/** What the engine writes, without the functions that are in every guard. */
const GUARD_SCRIPT = `#!/usr/bin/env python3
"""Blocks \`pre_tool_execution\` if \`tool_arguments.command\` is the value below."""
import json
import sys

FIELD = ("tool_arguments", "command",)
BLOCKED = "rm -rf /tmp/x"


def main():
    found = value_at(json.load(sys.stdin.buffer), FIELD)
    return block() if found == BLOCKED else 0
`;

export const GUARD: GuardDraft = {
  definition: { command: `python3 ${GUARD_PATH}`, timeout: 5, filter: { tool_name: "Bash" } },
  script: { ...script(GUARD_PATH), text: GUARD_SCRIPT },
  field: "tool_arguments.command",
  value: "rm -rf /tmp/x",
  masked: false,
};

const filter = { tool_matcher: "@tool@" };

/** What a new hook can begin with before a tool runs. */
export const TEMPLATES: HookTemplate[] = [
  {
    kind: "guard",
    fields: [
      { field: "tool", value: "Bash|Shell" },
      { field: "command", value: 'case "$(cat)" in *rm*) exit 1 ;; esac' },
    ],
    definition: { command: "@command@", timeout: 5, on_error: "abort", filter },
  },
  {
    kind: "prompt",
    fields: [
      { field: "tool", value: "Bash|Shell" },
      { field: "prompt", value: "Is this safe?\ntool_name: {{tool_name}}" },
    ],
    definition: { type: "llm", prompt: "@prompt@", timeout: 15, filter },
  },
  {
    kind: "record",
    fields: [{ field: "command", value: "cat >> .jcli/events.jsonl" }],
    definition: { command: "@command@", timeout: 5 },
  },
];

export function newHookReplies(): Script {
  return {
    "templates.list": { templates: TEMPLATES },
    "samples.list": { samples: SAMPLES },
    "samples.add": ({ sample, layer, dry_run }): Reply<"samples.add"> => {
      const id = `jcli:${layer}:pre_tool_execution:9`;
      const diff = `--- /dev/null\n+++ /home/me/${sample}.py\n@@ -0,0 +1 @@\n+print("${sample}")\n`;
      return dry_run ? planned(id, diff) : edited(id);
    },
    "guards.draft": { can_block: true, guard: GUARD },
    "hooks.try": TRACE,
  };
}
