/** Two small schemas of hook files, as the engine describes them: a list for each event, and groups. */
import type { ChoiceInfo, Definition, DefinitionField, DefinitionValue } from "@/ipc/types";

type Text = ChoiceInfo["label"];

const text = (en: string, zh = en): Text => ({ en, zh });
const NONE = text("");

function value(form: DefinitionValue["form"], part: Partial<DefinitionValue> = {}): DefinitionValue {
  return {
    form,
    choices: [],
    placeholders: [],
    fields: [],
    open: false,
    inner: null,
    unit: null,
    least: null,
    most: null,
    fractions: false,
    ...part,
  };
}

function field(
  name: string,
  label: Text,
  about: Text,
  of: DefinitionValue,
  part: Partial<DefinitionField> = {},
): DefinitionField {
  return { name, label, about, required: false, only: null, defaults: [], role: "plain", value: of, ...part };
}

const isType = (is: string) => ({ field: "type", value: is });

const FIELDS: DefinitionField[] = [
  field(
    "type",
    text("Runs", "执行方式"),
    text("What the hook runs: a shell command or a model prompt.", "Hook 执行的内容：shell 命令或模型提示词。"),
    value("choice", {
      choices: [
        { value: "bash", label: text("Command", "命令") },
        { value: "llm", label: text("Model prompt", "模型提示词") },
      ],
    }),
    { defaults: [{ value: "bash", only: null }], role: "handler" },
  ),
  field(
    "command",
    text("Command", "命令"),
    text("The shell command. It gets the event as JSON on stdin.", "shell 命令，从 stdin 接收事件的 JSON。"),
    value("command"),
    { required: true, only: isType("bash") },
  ),
  field(
    "prompt",
    text("Prompt", "提示词"),
    text("The text that the model gets.", "发送给模型的文本。"),
    value("prompt", { placeholders: ["event", "tool_name"] }),
    { required: true, only: isType("llm") },
  ),
  field(
    "timeout",
    text("Time limit", "时限"),
    text("The hook is stopped after this many seconds.", "超过此秒数后终止 Hook。"),
    value("number", { unit: "s", least: 1, most: 3600 }),
    {
      defaults: [
        { value: 30, only: isType("llm") },
        { value: 10, only: null },
      ],
      role: "time_limit",
    },
  ),
  field(
    "on_error",
    text("If it fails", "失败时"),
    text("What happens after the last failed attempt.", "最后一次尝试失败后的处理方式。"),
    value("choice", {
      choices: [
        { value: "skip", label: text("Continue", "继续执行") },
        { value: "abort", label: text("Stop the chain", "终止链") },
        { value: "stop", label: NONE },
      ],
    }),
    { defaults: [{ value: "skip", only: null }], role: "failure" },
  ),
  field(
    "filter",
    text("Filter", "匹配条件"),
    text("The hook runs only if every condition matches.", "所有条件都匹配时，才会执行此 Hook。"),
    value("filter", {
      fields: [
        field(
          "tool_name",
          text("Tool", "工具"),
          text("The exact name of the tool.", "工具的完整名称。"),
          value("text"),
        ),
        field(
          "tool_matcher",
          text("Tools", "多个工具"),
          text("Exact names of tools, separated by `|`.", "工具的完整名称，用 `|` 分隔。"),
          value("text"),
        ),
      ],
    }),
  ),
];

const EVENTS: ChoiceInfo[] = [
  { value: "stop", label: text("when the model is about to end its response", "LLM 即将结束回复时") },
  { value: "pre_tool_execution", label: text("before a tool runs", "工具执行前") },
];

/** As `hooks.yaml`. */
export const LISTED: Definition = {
  dialect: "jcli",
  format: "yaml",
  root: value("by_event", { choices: EVENTS, inner: value("list", { inner: value("hook", { fields: FIELDS }) }) }),
  outside: [],
};

const MATCHER = field(
  "matcher",
  text("Matcher", "匹配条件"),
  text("A regular expression for the whole name of the tool.", "匹配完整工具名的正则表达式。"),
  value("pattern"),
);

/** As `settings.json`. */
export const GROUPED: Definition = {
  dialect: "qoder",
  format: "json",
  root: value("mapping", {
    open: true,
    fields: [
      field(
        "hooks",
        text("Hooks", "Hook"),
        text("Hooks by event.", "按事件列出的 Hook。"),
        value("by_event", {
          choices: [{ value: "Stop", label: text("when the agent is about to stop", "Agent 即将停止时") }],
          inner: value("list", {
            inner: value("mapping", {
              fields: [
                MATCHER,
                field(
                  "hooks",
                  text("Hooks", "Hook"),
                  text("The hooks that share the matcher.", "共用此匹配条件的 Hook。"),
                  value("list", { inner: value("hook", { fields: FIELDS.slice(0, 4) }) }),
                  { required: true },
                ),
              ],
            }),
          }),
        }),
      ),
    ],
  }),
  outside: [MATCHER],
};
