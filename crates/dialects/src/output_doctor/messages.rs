//! The messages of the output doctor, in both languages.

hookwright_model::messages! {
    /// Text before the JSON object, such as the banner of a shell profile.
    TEXT_BEFORE = "output_text_before" { "stdout contains {bytes} bytes of text before the JSON object", "stdout 在 JSON 对象之前有 {bytes} 字节的文本" } hint { "write that text to stderr: `>&2`", "把这些文本写到 stderr：`>&2`" };
    /// The same for a login shell or an interactive one, which reads the user's profile.
    TEXT_BEFORE_PROFILE = "output_text_before" / "profile" { "stdout contains {bytes} bytes of text before the JSON object", "stdout 在 JSON 对象之前有 {bytes} 字节的文本" } hint { "remove `{flag}`, which reads the shell profile, or print in the profile only if `[ -t 1 ]`", "删除会读取 shell 配置的 `{flag}`，或仅在 `[ -t 1 ]` 时在配置中输出" };
    /// Text after the JSON object, such as a log line.
    TEXT_AFTER = "output_text_after" { "stdout contains {bytes} bytes of text after the JSON object", "stdout 在 JSON 对象之后有 {bytes} 字节的文本" } hint { "write that text to stderr: `>&2`", "把这些文本写到 stderr：`>&2`" };
    /// Several JSON objects, one after another.
    SEVERAL_OBJECTS = "output_several_objects" { "stdout contains {count} JSON objects, where one is expected", "stdout 包含 {count} 个 JSON 对象，而只应有一个" } hint { "write one object with all fields", "把所有字段写在一个对象中" };
    /// A byte-order mark before the JSON object.
    BYTE_ORDER_MARK = "output_byte_order_mark" { "stdout begins with a byte-order mark, which is not JSON", "stdout 以字节顺序标记（BOM）开头，它不属于 JSON" } hint { "write UTF-8 without a byte-order mark", "以不带 BOM 的 UTF-8 输出" };
    /// Colours of a terminal.
    COLOURS = "output_colours" { "stdout contains terminal codes (ANSI colours), which are not JSON: {count}", "stdout 包含 {count} 个终端控制码（ANSI 颜色），它们不属于 JSON" } hint { "remove the colours: set `NO_COLOR=1`, or use an option such as `--color=never`", "去掉颜色：设置 `NO_COLOR=1`，或使用 `--color=never` 之类的选项" };
    /// A JSON object that ends too early.
    CUT_OFF = "output_cut_off" { "the JSON object on stdout is not complete: it ends too early", "stdout 上的 JSON 对象不完整：过早结束" } hint { "check whether the hook ends before it wrote the whole object", "检查 Hook 是否在写完整个对象之前就结束了" };
    /// The hook prints its own input.
    ECHO = "output_echo" { "stdout repeats the input of the hook", "stdout 重复了 Hook 的输入" } hint { "remove what copies stdin to stdout, such as `cat` or `tee`", "删除把 stdin 复制到 stdout 的命令，例如 `cat` 或 `tee`" };
    /// The JSON object is on the wrong stream.
    ON_STDERR = "output_on_stderr" { "the JSON object is on stderr, where it has no effect", "JSON 对象写到了 stderr，在那里不起作用" } hint { "write it to stdout", "写到 stdout" };
    /// Line ends of Windows.
    CARRIAGE_RETURNS = "output_carriage_returns" { "lines of stdout that end with a carriage return (CRLF): {count}", "stdout 有 {count} 行以回车符结尾（CRLF）" } hint { "remove the carriage returns, for example with `tr -d '\\r'`", "删除回车符，例如用 `tr -d '\\r'`" };
    /// A JSON object in a Markdown code fence.
    CODE_FENCE = "output_code_fence" { "the JSON object on stdout is inside a Markdown code fence", "stdout 上的 JSON 对象在 Markdown 代码块中" } hint { "write the object without the lines of backticks", "输出对象时去掉反引号所在的行" };
    /// A dictionary as Python prints it.
    PYTHON_DICTIONARY = "output_python_dictionary" { "stdout contains a Python dictionary, which is not JSON", "stdout 包含 Python 字典，它不是 JSON" } hint { "write it with `print(json.dumps(…))`", "用 `print(json.dumps(…))` 输出" };
}
