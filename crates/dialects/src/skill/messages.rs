//! Messages about the files and events of skills, in English and Chinese. The advice in [`super::lint`] has its own
//! list.

hookwright_model::messages! {
    /// The root of the file is not an object.
    FILE_TYPE = "wrong_type" / "skill_file" { "the file must be an object with `hooks`, this is {found}", "文件应为含有 `hooks` 的对象，此处是 {found}" } hint { "write {\"hooks\": [ … ]}", "写成 {\"hooks\": [ … ]}" };
    /// The file is empty.
    EMPTY_FILE = "syntax" / "skill_empty" { "the file is empty, which is no JSON", "文件为空，不是 JSON" } hint { "write {\"hooks\": [ … ]}", "写成 {\"hooks\": [ … ]}" };
    /// The file has no `hooks`.
    NO_HOOKS = "missing_field" / "skill_hooks" { "the file has no `hooks`", "文件缺少 `hooks`" } hint { "write {\"hooks\": [ … ]}", "写成 {\"hooks\": [ … ]}" };
    /// `hooks` is not an array.
    HOOKS_TYPE = "wrong_type" / "skill_hooks" { "`hooks` must be an array, this is {found}", "`hooks` 应为数组，此处是 {found}" } hint { "put the entries between [ and ]", "把各项写在 [ 与 ] 之间" };
    /// The key `hooks` is repeated. The hooks of the second list are invalid.
    DUPLICATE_HOOKS = "duplicate_key" / "skill_hooks" { "`hooks` stands a second time; its hooks here are not inserted", "`hooks` 第二次出现；此处的 hook 不会插入" } hint { "put both lists under the one at line {line}", "把两个列表合并到第 {line} 行" };
    /// An entry of `hooks` is not an object.
    ENTRY_TYPE = "wrong_type" / "skill_entry" { "a hook must be an object, this is {found}", "hook 应为对象，此处是 {found}" } hint { "write {\"name\": …, \"file\": …, \"timing\": …, \"role\": …, \"persistent\": …}", "写成 {\"name\": …, \"file\": …, \"timing\": …, \"role\": …, \"persistent\": …}" };
    /// A key is repeated in one object.
    DUPLICATE_KEY = "duplicate_key" / "skill" { "`{key}` stands twice in one object", "`{key}` 在同一对象中出现两次" } hint { "keep one of the two", "只保留一个" };
    /// A required field is missing.
    MISSING = "missing_field" / "skill" { "a hook needs `{field}`", "hook 缺少 `{field}`" } hint { "write \"{field}\": {example}", "写上 \"{field}\": {example}" };
    /// A field is not a string.
    STRING_TYPE = "wrong_type" / "skill_string" { "`{field}` must be a string, this is {found}", "`{field}` 应为字符串，此处是 {found}" } hint { "put it between double quotes", "用双引号括起" };
    /// `persistent` is not a boolean.
    FLAG_TYPE = "wrong_type" / "skill_flag" { "`{field}` must be true or false, this is {found}", "`{field}` 应为 true 或 false，此处是 {found}" } hint { "write true or false, without quotes", "写 true 或 false，不加引号" };
    /// `tool_filter` is not an array of strings.
    FILTER_TYPE = "wrong_type" / "skill_filter" { "`tool_filter` must be an array of strings, this is {found}", "`tool_filter` 应为字符串数组，此处是 {found}" } hint { "write the names of tools: [\"read_file\"]", "写上工具名：[\"read_file\"]" };
    /// An item of `tool_filter` is not a string.
    FILTER_ITEM = "wrong_type" / "skill_filter_item" { "an item of `tool_filter` is {found}, not a string", "`tool_filter` 中有一项是 {found}，不是字符串" } hint { "write the names of tools: [\"read_file\"]", "写上工具名：[\"read_file\"]" };
    /// `name` is blank.
    BLANK_NAME = "empty_field" / "skill_name" { "`name` is blank", "`name` 为空" } hint { "give the hook a name; the front end keeps persistent texts under it", "给 hook 起个名字；前端按它保存持久文本" };
    /// The text is empty. It is inserted anyway.
    EMPTY_TEXT = "empty_field" / "skill_text" { "`{file}` is empty; an empty message is inserted", "`{file}` 为空；仍会插入一条空消息" } hint { "write the text, or remove the hook", "写上文本，或删除这个 hook" };
    /// The path of a text, as written, leads out of the skill's `hooks` folder.
    OUTSIDE = "file_outside" / "skill" { "`{file}` leads out of the hooks folder", "`{file}` 指向 hooks 文件夹之外" } hint { "put the text into hooks/ and name it relative to that folder, without ..", "把文本放进 hooks/，并写相对路径，不含 .." };
    /// The text is a link that leads out of the skill's `hooks` folder.
    LINKED_OUT = "file_outside" / "skill_link" { "`{file}` is a link that leads out of the hooks folder, to {target}", "`{file}` 是指向 hooks 文件夹之外的链接：{target}" } hint { "put the file itself into hooks/", "把文件本身放进 hooks/" };
    /// The file of the text does not exist.
    FILE_MISSING = "file_missing" / "skill" { "there is no file `{file}` in the hooks folder", "hooks 文件夹中没有文件 `{file}`" } hint { "make it, or name one that is there", "创建它，或写一个已有的文件" };
    /// The file of the text cannot be read.
    TEXT_UNREADABLE = "unreadable" / "skill" { "`{file}` cannot be read: {why}", "`{file}` 无法读取：{why}" } hint { "check its permissions, and that it is a file", "检查权限，并确认它是文件" };
    /// The text is not valid UTF-8.
    TEXT_NOT_UTF8 = "unreadable" / "skill_encoding" { "`{file}` is not UTF-8 at byte {offset}", "`{file}` 在第 {offset} 字节处不是 UTF-8" } hint { "save it as UTF-8", "请存为 UTF-8" };
    /// The text is longer than 256 KiB, the limit for a prompt.
    TEXT_TOO_LARGE = "too_large" / "skill" { "`{file}` has more than 256 KiB", "`{file}` 超过 256 KiB" } hint { "a text that is put into a prompt may have 256 KiB", "插入提示词的文本最多 256 KiB" };
    /// The file name of the text does not end in `.md`.
    NOT_MD = "unknown_value" / "skill_ending" { "`{file}` does not end in .md", "`{file}` 不以 .md 结尾" } hint { "texts of hooks are .md files", "hook 文本应为 .md 文件" };
    /// `role` has an unknown value.
    UNKNOWN_ROLE = "unknown_value" / "skill_role" { "`role` cannot be {written}", "`role` 不能是 {written}" } hint { "write \"system\" or \"user\"", "写 \"system\" 或 \"user\"" };
    /// `timing` has an unknown value.
    UNKNOWN_TIMING = "unknown_event" / "skill" { "there is no timing {written}", "没有检查点 {written}" } hint { "the timings are {known}", "可用的检查点：{known}" };
    /// `timing` has an unknown value that is spelled like a known one.
    UNKNOWN_TIMING_NEAR = "unknown_event" / "skill_near" { "there is no timing {written}", "没有检查点 {written}" } hint { "write \"{nearest}\"", "写成 \"{nearest}\"" };
    /// A name is repeated in one skill.
    DUPLICATE_NAME = "duplicate_name" / "skill" { "this skill has a hook `{name}` already, at line {line}", "该 Skill 在第 {line} 行已有 hook `{name}`" } hint { "give each its own name: the front end cannot tell their copies apart", "请各取其名：前端无法区分它们的副本" };
    /// `tool_filter` at a checkpoint that ignores it.
    FILTER_ELSEWHERE = "no_effect" / "skill_timing" { "`tool_filter` is looked at only at after_tool_call, this is {timing}", "`tool_filter` 只在 after_tool_call 时生效，此处是 {timing}" } hint { "take it away, or use the timing after_tool_call", "删去它，或改用 after_tool_call" };
    /// An empty `tool_filter`, which has no effect.
    FILTER_EMPTY = "no_effect" / "skill_empty" { "an empty `tool_filter` is no filter", "空的 `tool_filter` 等于没有过滤" } hint { "name the tools, or take it away", "写上工具名，或删去它" };
    /// An unknown key, which is ignored.
    UNKNOWN_FIELD = "unknown_field" / "skill" { "`{field}` is not read", "`{field}` 不会被读取" } hint { "known are {known}", "可用字段：{known}" };
    /// An unknown key that is spelled like a known one.
    UNKNOWN_FIELD_NEAR = "unknown_field" / "skill_near" { "`{field}` is not read", "`{field}` 不会被读取" } hint { "write `{nearest}`", "写成 `{nearest}`" };
    /// A skill of the same name is in an earlier root.
    SHADOWED = "shadowed" / "skill" { "the skill {skill} is found in {first} first; its hooks here are not used", "Skill {skill} 先在 {first} 中找到；此处的 hook 不会使用" } hint { "remove one of the two, or give the folder another name", "删除其一，或给文件夹改名" };
    /// The project has a skill of the same name. It replaces the user's skill after all its hooks are approved.
    SHADOWED_ONCE_APPROVED = "shadowed" / "skill_once_approved" { "the project has a skill {skill} too, in {first}; it replaces this one once all its hooks are approved", "项目的 {first} 中也有 Skill {skill}，其 Hook 全部获批准后会取代此处的 Skill" } hint { "give the folder another name to keep both", "若要保留两者，给文件夹改名" };
}

/// Messages about events.
pub mod events {
    hookwright_model::messages! {
        /// `messages` is not a list of messages.
        BAD_MESSAGES = "skill_messages" { "`messages` must be an array of objects with `role` and `content`", "`messages` 应为含有 `role` 与 `content` 的对象数组" };
        /// `enabled_skills` is not a list of names.
        BAD_SKILLS = "skill_skills" { "`enabled_skills` must be an array of strings", "`enabled_skills` 应为字符串数组" };
        /// `tool_name` is missing or not a string.
        NO_TOOL = "skill_tool" { "after_tool_call needs `tool_name`, a string", "after_tool_call 需要字符串 `tool_name`" };
        /// The hook's skill is not in the event's `enabled_skills`.
        NOT_ENABLED = "skill_not_enabled" { "the skill {skill} is not among enabled_skills", "Skill {skill} 不在 enabled_skills 之中" };
        /// The event does not name the enabled skills, so all that are found are used.
        NO_ENABLED_SKILLS = "skill_nobody_named" { "nobody said which skills are enabled, so all that are found count, by name: {names}", "没有指明启用哪些 Skill，因此按名称使用找到的全部：{names}" };
        /// No message in the list has this reference.
        NO_SUCH_REF = "skill_no_such_ref" { "there is no message {ref} to take out; nothing happened", "没有可拔出的消息 {ref}；未做任何改动" };
    }
}
