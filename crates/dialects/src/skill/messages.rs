//! Messages about the files and events of skills, in English and Chinese. The advice in [`super::lint`] has its own
//! list.

hookwright_model::messages! {
    /// The root of the file is not an object.
    FILE_TYPE = "wrong_type" / "skill_file" { "the file must be an object with `hooks`, found {found}", "文件应为含有 `hooks` 的对象，此处是 {found}" } hint { "write `{\"hooks\": [ … ]}`", "写成 `{\"hooks\": [ … ]}`" };
    /// The file is empty.
    EMPTY_FILE = "syntax" / "skill_empty" { "the file is empty; expected JSON", "文件为空；应为 JSON" } hint { "write `{\"hooks\": [ … ]}`", "写成 `{\"hooks\": [ … ]}`" };
    /// The file has no `hooks`.
    NO_HOOKS = "missing_field" / "skill_hooks" { "`hooks` is missing", "缺少 `hooks`" } hint { "write `{\"hooks\": [ … ]}`", "写成 `{\"hooks\": [ … ]}`" };
    /// The file of a plugin for another agent.
    PLUGIN = "file_not_read" / "skill_plugin" { "these are the hooks of a plugin, by event; as hooks of a skill nothing here runs", "这些是插件按事件编写的 Hook；作为 Skill 的 Hook 不会执行" } hint { "write an array of texts under `hooks` if the skill has hooks", "若此 Skill 有 Hook，在 `hooks` 下写文本的数组" };
    /// `hooks` is not an array.
    HOOKS_TYPE = "wrong_type" / "skill_hooks" { "`hooks` must be an array, found {found}", "`hooks` 应为数组，此处是 {found}" } hint { "put the entries between `[` and `]`", "把各项写在 `[` 与 `]` 之间" };
    /// The key `hooks` is repeated. The hooks of the second list are invalid.
    DUPLICATE_HOOKS = "duplicate_key" / "skill_hooks" { "duplicate key `hooks`: the hooks here are not inserted", "重复的键 `hooks`：此处的 Hook 不会插入" } hint { "move these hooks to the list at line {line}", "将这些 Hook 移到第 {line} 行的列表" };
    /// An entry of `hooks` is not an object.
    ENTRY_TYPE = "wrong_type" / "skill_entry" { "a hook must be an object, found {found}", "Hook 应为对象，此处是 {found}" } hint { "write `{\"name\": …, \"file\": …, \"timing\": …, \"role\": …, \"persistent\": …}`", "写成 `{\"name\": …, \"file\": …, \"timing\": …, \"role\": …, \"persistent\": …}`" };
    /// A key is repeated in one object.
    DUPLICATE_KEY = "duplicate_key" / "skill" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two", "只保留一个" };
    /// A required field is missing.
    MISSING = "missing_field" / "skill" { "a hook needs `{field}`", "Hook 缺少 `{field}`" } hint { "add `\"{field}\": {example}`", "添加 `\"{field}\": {example}`" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "skill_string" { "`{field}` must be a string, found {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "put it between double quotes", "用双引号括起" };
    /// `persistent` is not a boolean.
    FLAG_TYPE = "wrong_type" / "skill_flag" { "`{field}` must be true or false, found {found}", "`{field}` 应为 true 或 false，此处是 {found}" } hint { "write true or false, without quotes", "写 true 或 false，不加引号" };
    /// `tool_filter` is not an array of strings.
    FILTER_TYPE = "wrong_type" / "skill_filter" { "`tool_filter` must be an array of strings, found {found}", "`tool_filter` 应为字符串数组，此处是 {found}" } hint { "write the names of tools: `[\"read_file\"]`", "写上工具名：`[\"read_file\"]`" };
    /// An item of `tool_filter` is not a string.
    FILTER_ITEM = "wrong_type" / "skill_filter_item" { "an item of `tool_filter` must be a string, found {found}", "`tool_filter` 的各项应为字符串，此处是 {found}" } hint { "write the names of tools: `[\"read_file\"]`", "写上工具名：`[\"read_file\"]`" };
    /// `name` is blank.
    BLANK_NAME = "empty_field" / "skill_name" { "`name` is blank", "`name` 为空" } hint { "give the hook a name; the front end stores persistent texts under this name", "给 Hook 起一个名称；前端按名称保存持久文本" };
    /// The text is empty. It is inserted anyway.
    EMPTY_TEXT = "empty_field" / "skill_text" { "`{file}` is empty; an empty message is inserted", "`{file}` 为空；仍会插入一条空消息" } hint { "write the text, or remove the hook", "写上文本，或删除此 Hook" };
    /// The path of a text, as written, leads out of the skill's `hooks` folder.
    OUTSIDE = "file_outside" / "skill" { "`{file}` is outside the `hooks` folder", "`{file}` 在 `hooks` 文件夹之外" } hint { "put the text into `hooks/`, and write its path relative to that folder, without `..`", "把文本放进 `hooks/`，并写相对于该文件夹的路径，不含 `..`" };
    /// The text is a link that leads out of the skill's `hooks` folder.
    LINKED_OUT = "file_outside" / "skill_link" { "`{file}` is a link to {target}, outside the `hooks` folder", "`{file}` 是指向 `hooks` 文件夹之外的链接：{target}" } hint { "put the file itself into `hooks/`", "把文件本身放进 `hooks/`" };
    /// The file of the text does not exist.
    FILE_MISSING = "file_missing" / "skill" { "the `hooks` folder has no file `{file}`", "`hooks` 文件夹中没有文件 `{file}`" } hint { "create it, or name an existing file", "创建它，或写一个已有的文件" };
    /// The file of the text cannot be read.
    TEXT_UNREADABLE = "unreadable" / "skill" { "`{file}` cannot be read: {why}", "`{file}` 无法读取：{why}" } hint { "check its permissions, and that it is a file", "检查权限，并确认它是文件" };
    /// The text is not valid UTF-8.
    TEXT_NOT_UTF8 = "unreadable" / "skill_encoding" { "`{file}` is not UTF-8 at byte {offset}", "`{file}` 在第 {offset} 字节处不是 UTF-8" } hint { "save it as UTF-8", "保存为 UTF-8" };
    /// The text is longer than 256 KiB, the limit for a prompt.
    TEXT_TOO_LARGE = "too_large" / "skill" { "`{file}` is larger than 256 KiB", "`{file}` 超过 256 KiB" } hint { "shorten it: a text for a prompt can have at most 256 KiB", "缩短文本：插入提示词的文本最多 256 KiB" };
    /// The file name of the text does not end in `.md`.
    NOT_MD = "unknown_value" / "skill_ending" { "`{file}` does not end in .md", "`{file}` 不以 .md 结尾" } hint { "rename it so that it ends in `.md`", "改名为以 `.md` 结尾的文件" };
    /// `role` has an unknown value.
    UNKNOWN_ROLE = "unknown_value" / "skill_role" { "`role` cannot be {written}", "`role` 不能是 {written}" } hint { "write `\"system\"` or `\"user\"`", "写 `\"system\"` 或 `\"user\"`" };
    /// `timing` has an unknown value.
    UNKNOWN_TIMING = "unknown_event" / "skill" { "unknown timing {written}", "未知的检查点 {written}" } hint { "known timings: {known}", "可用的检查点：{known}" };
    /// `timing` has an unknown value that is spelled like a known one.
    UNKNOWN_TIMING_NEAR = "unknown_event" / "skill_near" { "unknown timing {written}", "未知的检查点 {written}" } hint { "did you mean `\"{nearest}\"`?", "是否想写 `\"{nearest}\"`？" };
    /// A name is repeated in one skill.
    DUPLICATE_NAME = "duplicate_name" / "skill" { "this skill already has a hook `{name}`, at line {line}", "该 Skill 在第 {line} 行已有 Hook `{name}`" } hint { "rename one of the two: the front end cannot distinguish their copies", "给其中一个改名：前端无法区分它们的副本" };
    /// `tool_filter` at a checkpoint that ignores it.
    FILTER_ELSEWHERE = "no_effect" / "skill_timing" { "`tool_filter` has an effect only at after_tool_call, not at {timing}", "`tool_filter` 只在 after_tool_call 生效，此处是 {timing}" } hint { "remove it, or use the timing after_tool_call", "删除它，或改用 after_tool_call" };
    /// An empty `tool_filter`, which has no effect.
    FILTER_EMPTY = "no_effect" / "skill_empty" { "an empty `tool_filter` has no effect", "空的 `tool_filter` 不起作用" } hint { "name the tools, or remove it", "写上工具名，或删除它" };
    /// An unknown key, which is ignored.
    UNKNOWN_FIELD = "unknown_field" / "skill" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "known fields: {known}", "可用字段：{known}" };
    /// An unknown key that is spelled like a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "skill_near" { "unknown field `{field}` is ignored", "未知字段 `{field}` 会被忽略" } hint { "did you mean `{nearest}`?", "是否想写 `{nearest}`？" };
    /// A skill of the same name is in an earlier root.
    SHADOWED = "shadowed" / "skill" { "the skill {skill} is found in {first} first; its hooks here are ignored", "Skill {skill} 先在 {first} 中找到；此处的 Hook 会被忽略" } hint { "remove one of the two, or rename the folder", "删除其中一个，或给文件夹改名" };
    /// The project has a skill of the same name. It replaces the user's skill after all its hooks are approved.
    SHADOWED_ONCE_APPROVED = "shadowed" / "skill_once_approved" { "the project also has a skill {skill}, in {first}; it replaces this one once all its hooks are approved", "项目的 {first} 中也有 Skill {skill}，其 Hook 全部获批准后会取代此处的 Skill" } hint { "rename the folder to keep both", "若要保留两者，给文件夹改名" };
}

/// Messages about events.
pub mod events {
    hookwright_model::messages! {
        /// `messages` is not a list of messages.
        BAD_MESSAGES = "skill_messages" { "`messages` must be an array of objects with `role` and `content`", "`messages` 应为含有 `role` 与 `content` 的对象数组" };
        /// `enabled_skills` is not a list of names.
        BAD_SKILLS = "skill_skills" { "`enabled_skills` must be an array of strings", "`enabled_skills` 应为字符串数组" };
        /// `tool_name` is missing or not a string.
        NO_TOOL = "skill_tool" { "after_tool_call needs `tool_name`, a string", "after_tool_call 需要字符串 `tool_name`" } hint { "add `tool_name`", "添加 `tool_name`" };
        /// The hook's skill is not in the event's `enabled_skills`.
        NOT_ENABLED = "skill_not_enabled" { "`enabled_skills` does not contain the skill {skill}", "`enabled_skills` 中没有 Skill {skill}" };
        /// The event does not name the enabled skills, so all that are found are used.
        NO_ENABLED_SKILLS = "skill_nobody_named" { "the payload names no enabled skills, so all skills found are used, by name: {names}", "载荷未指明启用哪些 Skill，因此按名称使用找到的全部：{names}" };
        /// No message in the list has this reference.
        NO_SUCH_REF = "skill_no_such_ref" { "no message {ref} to remove; nothing was changed", "没有可移除的消息 {ref}；未作任何更改" };
    }
}
