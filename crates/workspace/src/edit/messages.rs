//! Messages of more than one kind of edit.

hookwright_model::messages! {
    /// The hook is not defined in a file.
    NO_FILE = "edit_no_file" { "{hook} is not in a file: it was registered for one session", "{hook} 不在任何文件中：它只为一次会话注册" } hint { "let the agent that registered it remove it, or run `hookwright mute {hook}` to leave it out", "由注册它的 Agent 移除，或执行 `hookwright mute {hook}` 跳过它" };
    /// Hookwright does not edit the files of this dialect.
    NO_EDITOR = "edit_not_for_dialect" { "Hookwright cannot edit {dialect} files", "Hookwright 无法编辑 {dialect} 的文件" } hint { "edit the file by hand", "手工编辑文件" };
    /// The planned files do not define the hooks that the plan expects.
    DIFFERS_FROM_PLAN = "edit_differs" / "hooks" { "the edited file would not define the requested hooks", "修改后的文件所定义的 Hook 与请求不符" } hint { "edit the file by hand; nothing was changed", "手工编辑文件；未作任何更改" };
    /// The change would cause an error.
    WOULD_BE_INVALID = "edit_would_be_wrong" { "this edit would cause an error: {message}", "此编辑会导致错误：{message}" } hint { "{hint}", "{hint}" };
    /// The hook is unknown, and a file that may define it does not parse.
    IN_BROKEN = "edit_in_broken_file" { "unknown hook {hook}: {path}:{line} has an error: {why}", "未知的 Hook {hook}：{path}:{line} 有错误：{why}" } hint { "correct it first; nothing was changed", "先更正；未作任何更改" };
    /// The request contains no change.
    NOTHING_ASKED = "edit_nothing_asked" { "no change was requested", "没有请求任何更改" } hint { "use `--set FIELD=VALUE`, `--unset FIELD`, `--move-to N`, `--to-layer L` or `--duplicate`", "使用 `--set FIELD=VALUE`、`--unset FIELD`、`--move-to N`、`--to-layer L` 或 `--duplicate`" };
    /// No dialect has this layer.
    UNKNOWN_LAYER = "edit_unknown_layer" { "unknown layer {layer}", "未知的层级 {layer}" } hint { "known layers: {known}", "可用的层级：{known}" };
    /// The definition is not a JSON object.
    BAD_DEFINITION = "edit_bad_definition" { "the definition must be one JSON object: {why}", "定义必须是一个 JSON 对象：{why}" } hint { "write it as `{\"command\": \"…\"}`", "写成 `{\"command\": \"…\"}`" };
    /// A project hook that is not approved would become a user hook, which needs no approval.
    UNREVIEWED = "edit_unreviewed" { "{hook} is not approved; in the user layer it would run without a review", "{hook} 未获批准；移到用户层后会不经审阅直接执行" } hint { "run `hookwright trust {hook}` to review it first; nothing was changed", "先执行 `hookwright trust {hook}` 审阅；未作任何更改" };
    /// The id now belongs to another hook.
    IS_ANOTHER_HOOK = "edit_another" { "{hook} now refers to another hook; reload the list", "{hook} 现在指向另一个 Hook；重新加载列表" } hint { "check the list and try again; nothing was changed", "查看列表后重试；未作任何更改" };
    /// The text does not name a field and a value.
    BAD_SET = "edit_bad_set" { "`{text}` does not set a field", "`{text}` 没有设置任何字段" } hint { "write it as `FIELD=VALUE`", "写成 `FIELD=VALUE`" };
}
