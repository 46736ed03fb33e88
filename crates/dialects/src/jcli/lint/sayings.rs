//! Advice about j-cli's hooks (`jcli.md` §11), in both languages.

hookwright_model::sayings! {
    /// `on_error: abort` where j-cli does not look.
    STOP_ABORT = "stop_not_honoured" / "abort" { "Hookwright ends the step when this hook fails; j-cli 12.9.8 does not look at it at {event}", "此 hook 失败时 Hookwright 会结束该步骤；j-cli 12.9.8 在 {event} 不理会它" } hint { "let the command catch its own failures and answer skip at pre_tool_execution, which j-cli does look at", "让命令自行捕获失败，并在 pre_tool_execution 返回 skip；j-cli 会理会它" };
    /// A stop where j-cli does not look.
    STOP_LITERAL = "stop_not_honoured" / "stop" { "it answers stop; Hookwright ends the step, j-cli 12.9.8 does not look at it at {event}", "它返回 stop；Hookwright 会结束该步骤，j-cli 12.9.8 在 {event} 不理会它" } hint { "answer skip at pre_tool_execution; after the fact j-cli holds nothing", "请在 pre_tool_execution 返回 skip；事后 j-cli 拦不住任何东西" };
    /// A skip where nothing can be skipped.
    SKIP = "skip_no_effect" { "it answers skip, which holds nothing at {event}", "它返回 skip，但在 {event} 拦不住任何东西" } hint { "answer stop to hold; skip is for pre_tool_execution", "要拦住请返回 stop；skip 只用于 pre_tool_execution" };
    /// Nobody to hold.
    ABORT = "abort_no_hold" { "`on_error: abort` holds nobody at {event}: the event only tells", "`on_error: abort` 在 {event} 拦不住谁：该事件仅通知" } hint { "take it away, or move the hook to an event before the fact", "删去它，或把 hook 移到事前的事件" };
    /// An answer nobody reads.
    RETURNS = "returns_ignored" { "it prints an answer, and {event} ignores every answer", "它输出了结果，而 {event} 忽略一切返回值" } hint { "move it to an event that accepts the field; messages are injected at pre_llm_request", "移到接受该字段的事件；注入消息请用 pre_llm_request" };
    /// A guard that lets pass when it breaks.
    FAILS_OPEN = "fails_open" { "this hook can hold, and lets everything pass when it fails", "这个 hook 能拦截，但自身失败时会放行一切" } hint { "write `on_error: abort`", "写上 `on_error: abort`" };
    /// A model outage holds the agent.
    FAILS_CLOSED = "fails_closed" { "when the model does not answer, every {event} is held", "模型没有回答时，每一次 {event} 都会被拦下" } hint { "write `on_error: skip`, or put a command in front that decides the clear cases", "写 `on_error: skip`，或先用命令判断明确的情形" };
    /// A filter part without its field.
    NEVER = "never_matches" { "{event} has no `{payload}`, so `{field}` never holds", "{event} 没有 `{payload}`，`{field}` 永远不成立" } hint { "take it away", "删去它" };
    /// Names that look like a pattern.
    NO_REGEX = "not_a_regex" { "`tool_matcher` compares whole names; {sign} is taken as it is", "`tool_matcher` 按完整名称比较；{sign} 只作普通字符" } hint { "write the names with | between them", "写出各个名称，用 | 分隔" };
    /// A matcher beside a name.
    MATCHER = "no_effect" / "matcher" { "`tool_name` stands beside it, so `tool_matcher` is not looked at", "同时有 `tool_name`，`tool_matcher` 不会被理会" } hint { "take one of the two away", "删去其中一个" };
    /// A retry of what cannot fail.
    RETRY = "no_effect" / "retry" { "the command always ends with success, so it is never tried again", "命令总以成功结束，因此不会重试" } hint { "take `{tail}` or `retry` away", "删去 `{tail}` 或 `retry`" };
    /// One hook and its attempts.
    BUDGET_ONE = "over_budget" { "{attempts} × {timeout} s do not fit into the {budget} s of a chain", "{attempts} × {timeout} 秒超出一条链的 {budget} 秒预算" } hint { "write a smaller `timeout` or `retry`", "减小 `timeout` 或 `retry`" };
    /// All hooks of an event.
    BUDGET_ALL = "over_budget" / "sum" { "the hooks of {event} up to this one may take {sum} s, a chain has {budget} s", "{event} 的 hook 到此处最多需 {sum} 秒，而一条链只有 {budget} 秒" } hint { "write smaller timeouts, or what comes last is cut or not run", "减小各个 timeout，否则靠后的会被截断或不运行" };
    /// Milliseconds by mistake.
    UNIT = "unit_suspect" { "`timeout` is {written} seconds", "`timeout` 为 {written} 秒" } hint { "the unit is seconds, not milliseconds: {seconds}?", "单位是秒而不是毫秒：{seconds}？" };
    /// A variable nobody sets.
    UNSET = "unset_variable" { "nobody sets `${name}`", "没有谁设置 `${name}`" } hint { "the event comes as JSON on stdin; set are JCLI_HOOK_EVENT and JCLI_CWD", "事件以 JSON 从 stdin 传入；已设置的有 JCLI_HOOK_EVENT 和 JCLI_CWD" };
    /// A script found only from one directory.
    RELATIVE = "not_portable" / "relative" { "{path} is looked for in the agent's working directory, which differs from project to project", "{path} 会在 Agent 的工作目录中查找，而它随项目而变" } hint { "write the whole path, for example ~/.jdata/agent/hooks/{name}", "写完整路径，例如 ~/.jdata/agent/hooks/{name}" };
    /// A path of one machine.
    ABSENT = "not_portable" / "absent" { "{path} is not there on this machine", "本机没有 {path}" } hint { "write a path relative to the project", "写相对于项目的路径" };
    /// A path of one person.
    HOME = "not_portable" / "home" { "{path} lies in one person's home or drive", "{path} 位于某个人的主目录或磁盘" } hint { "write a path relative to the project", "写相对于项目的路径" };
    /// What only bash understands.
    BASHISM = "not_portable" / "shell" { "`{sign}` is not known to every `sh`", "并非每个 `sh` 都认识 `{sign}`" } hint { "write `bash -c '…'`, or a script that begins with #!/usr/bin/env bash", "写成 `bash -c '…'`，或以 #!/usr/bin/env bash 开头的脚本" };
    /// A later hook's context holds.
    LAST = "last_wins" { "{other} also gives `additional_context`, and the last one holds", "{other} 也给出 `additional_context`，只有最后一个生效" } hint { "give it in one of the two", "只在其中一个给出" };
    /// A halt throws edits away.
    DROPS = "drops_changes" { "when it stops or skips, what {other} changed before it is dropped", "它 stop 或 skip 时，之前 {other} 所做的改动会被丢弃" } hint { "put the hook that holds first", "把负责拦截的 hook 放在前面" };
    /// Outside text talks to the judge.
    PAYLOAD = "payload_in_prompt" { "{written} brings text from outside into the prompt of a judge", "{written} 把外来文本带进了裁决者的提示词" } hint { "tell the model that this text is data and no instruction, and let a command decide the clear cases", "告诉模型这段文本是数据而非指令，并先用命令判断明确的情形" };
    /// A template in a command.
    TEMPLATE = "template_in_command" { "{written} is not expanded in a command", "{written} 在命令中不会展开" } hint { "the event comes as JSON on stdin", "事件以 JSON 从 stdin 传入" };
}
