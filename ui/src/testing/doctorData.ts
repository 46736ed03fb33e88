/** A hook whose output cannot be read, a script that cannot start, and hooks that are in the way of each other. */
import type { Problem, Reply, Trace } from "@/ipc/types";
import type { Script } from "@/testing/fakeEngine";
import { changesOf } from "./changes";
import { HOOKS, PROJECT, PROJECT_FILE } from "./sampleHooks";
import { TRACE } from "./sampleTraces";

const STDOUT = 'Welcome to staging-7\n{"action":"skip"}\n';

export const POLLUTED: Trace = {
  ...TRACE,
  steps: TRACE.steps.map((step, index) =>
    index === 1
      ? {
          ...step,
          reason: "stdout is not one JSON object",
          code: "not_one_object",
          args: {},
          attempts: step.attempts.map((attempt) => ({
            ...attempt,
            code: 0,
            stdout: STDOUT,
            stderr: "",
            output_problems: [
              {
                code: "output_text_before",
                message: "stdout contains 20 bytes of text before the JSON object",
                hint: "write that text to stderr: `>&2`",
                args: { bytes: 20 },
                stream: "stdout" as const,
                marks: [{ start: 0, end: 20 }],
              },
            ],
          })),
        }
      : step,
  ),
};

const SCRIPT = `${PROJECT}/.jcli/hooks/guard_shell.py`;

export const NOT_EXECUTABLE: Problem = {
  code: "fails_open",
  severity: "hint",
  path: PROJECT_FILE,
  line: 8,
  column: 5,
  message: "`guard_shell.py` is not executable: the hook fails and the agent continues",
  hint: "run `chmod +x .jcli/hooks/guard_shell.py`, or start it by its interpreter",
  hook: "jcli:project:pre_tool_execution:1",
  args: { case: "not_executable", name: "guard_shell.py", file: ".jcli/hooks/guard_shell.py" },
  fixes: [{ fix: "make_executable", path: SCRIPT }],
};

export const CONFLICTS: Problem[] = [
  NOT_EXECUTABLE,
  {
    code: "drops_changes",
    severity: "hint",
    path: PROJECT_FILE,
    line: 12,
    column: 14,
    message: "if this hook stops or skips, the changes made by jcli:user:pre_tool_execution:0 are discarded",
    hint: "move the guard to the front",
    hook: "jcli:project:pre_tool_execution:2",
    args: { other: "jcli:user:pre_tool_execution:0" },
  },
  {
    code: "duplicate_hook",
    severity: "hint",
    path: PROJECT_FILE,
    line: 8,
    column: 14,
    message:
      "jcli:user:pre_tool_execution:1 runs the same command at pre_tool_execution from another file, so it runs twice",
    hint: "remove one of the two",
    hook: "jcli:project:pre_tool_execution:1",
    args: { other: "jcli:user:pre_tool_execution:1", event: "pre_tool_execution" },
  },
];

/** What a fix of the mode would change, or has changed. */
export function fixedMode(written: boolean): Reply<"edit.fix"> {
  const diff = `--- ${SCRIPT}\n+++ ${SCRIPT}\nold mode 0644\nnew mode 0755\n`;
  return {
    hook: NOT_EXECUTABLE.hook,
    moved: {},
    path: SCRIPT,
    diff,
    changes: changesOf(diff),
    written,
    problems: [],
    edit: written ? "E9" : null,
    undo: written ? "E9" : null,
    trashed: null,
  };
}

export const DOCTOR_STORY: Script = {
  "hooks.list": { hooks: HOOKS, problems: CONFLICTS, sources: [] },
  fire: POLLUTED,
  "history.show": POLLUTED,
  "edit.fix": ({ dry_run }) => fixedMode(dry_run !== true),
};
