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
    /// A comment, which JSON does not have.
    MISTAKE_COMMENT = "output_mistake" / "comment" { "stdout is not JSON: line {line}, byte {byte} begins a comment", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处是注释" } hint { "remove the comment: JSON has none", "删除注释：JSON 不支持注释" };
    /// A comma before a closing bracket.
    MISTAKE_TRAILING_COMMA = "output_mistake" / "trailing_comma" { "stdout is not JSON: line {line}, byte {byte} is a comma with nothing after it", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处的逗号之后没有内容" } hint { "remove this comma", "删除这个逗号" };
    /// A line break inside a string.
    MISTAKE_LINE_BREAK = "output_mistake" / "line_break" { "stdout is not JSON: line {line}, byte {byte} is a line break inside a string", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处是字符串中的换行" } hint { "write `\\n`, or build the object with `jq -n --arg`, `json.dumps` or `JSON.stringify`", "写成 `\\n`，或用 `jq -n --arg`、`json.dumps` 或 `JSON.stringify` 生成对象" };
    /// A tab or another control character inside a string.
    MISTAKE_CONTROL = "output_mistake" / "control" { "stdout is not JSON: line {line}, byte {byte} is a tab or another control character inside a string", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处是字符串中的制表符或其他控制字符" } hint { "write `\\t`, or build the object with `jq -n --arg`, `json.dumps` or `JSON.stringify`", "写成 `\\t`，或用 `jq -n --arg`、`json.dumps` 或 `JSON.stringify` 生成对象" };
    /// A quote inside a string, which ends the string.
    MISTAKE_QUOTE_INSIDE = "output_mistake" / "quote_inside" { "stdout is not JSON: line {line}, byte {byte} is a quote inside a string, which ends the string", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处是字符串中的引号，字符串在此结束" } hint { "write `\\\"`, or build the object with `jq -n --arg`, `json.dumps` or `JSON.stringify`", "写成 `\\\"`，或用 `jq -n --arg`、`json.dumps` 或 `JSON.stringify` 生成对象" };
    /// A string without its closing quote.
    MISTAKE_QUOTE_MISSING = "output_mistake" / "quote_missing" { "stdout is not JSON: the string that begins at line {line}, byte {byte} has no closing quote", "stdout 不是 JSON：从第 {line} 行、第 {byte} 字节处开始的字符串缺少结尾引号" } hint { "write the closing quote", "补上结尾引号" };
    /// A key without quotes.
    MISTAKE_KEY = "output_mistake" / "key" { "stdout is not JSON: the key `{name}` at line {line}, byte {byte} has no quotes", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处的键 `{name}` 没有引号" } hint { "write `\"{name}\"`; in JavaScript print `JSON.stringify(…)`", "写成 `\"{name}\"`；在 JavaScript 中输出 `JSON.stringify(…)`" };
    /// A text without quotes.
    MISTAKE_WORD = "output_mistake" / "word" { "stdout is not JSON: the value `{name}` at line {line}, byte {byte} has no quotes", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处的值 `{name}` 没有引号" } hint { "write text in double quotes", "文本用双引号括起来" };
    /// `True`, `False` or `None`.
    MISTAKE_PYTHON_WORD = "output_mistake" / "python_word" { "stdout is not JSON: `{name}` at line {line}, byte {byte} is a word of Python", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处的 `{name}` 是 Python 的写法" } hint { "write the object with `print(json.dumps(…))`", "用 `print(json.dumps(…))` 输出对象" };
    /// Single quotes around a key or a value.
    MISTAKE_SINGLE_QUOTES = "output_mistake" / "single_quotes" { "stdout is not JSON: line {line}, byte {byte} is a single quote, and JSON has only double quotes", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处是单引号，JSON 只用双引号" } hint { "write double quotes, or build the object with `jq -n --arg`, `json.dumps` or `JSON.stringify`", "改用双引号，或用 `jq -n --arg`、`json.dumps` 或 `JSON.stringify` 生成对象" };
    /// Typographic quotes around a key or a value.
    MISTAKE_CURLY_QUOTES = "output_mistake" / "curly_quotes" { "stdout is not JSON: line {line}, byte {byte} is a typographic quote", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处是弯引号" } hint { "write `\"`", "改用 `\"`" };
    /// No comma between two values.
    MISTAKE_COMMA_MISSING = "output_mistake" / "comma_missing" { "stdout is not JSON: a comma is missing before line {line}, byte {byte}", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节之前缺少逗号" } hint { "write a comma between two fields", "在两个字段之间写逗号" };
    /// No colon behind a key.
    MISTAKE_COLON_MISSING = "output_mistake" / "colon_missing" { "stdout is not JSON: the colon after a key is missing before line {line}, byte {byte}", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节之前的键后面缺少冒号" } hint { "write `\"key\": value`", "写成 `\"键\": 值`" };
    /// A backslash before a character that needs none.
    MISTAKE_ESCAPE = "output_mistake" / "escape" { "stdout is not JSON: line {line}, byte {byte} is a backslash before a character that JSON does not escape", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处的反斜杠之后不是 JSON 的转义字符" } hint { "remove the backslash, or write two", "删除反斜杠，或写两个" };
    /// Something else that JSON does not have.
    MISTAKE_SIGN = "output_mistake" / "sign" { "stdout is not JSON: line {line}, byte {byte} is not expected there", "stdout 不是 JSON：第 {line} 行、第 {byte} 字节处的内容不应出现" } hint { "build the object with `jq -n --arg`, `json.dumps` or `JSON.stringify`", "用 `jq -n --arg`、`json.dumps` 或 `JSON.stringify` 生成对象" };
    /// An object as JavaScript writes it in a text.
    OBJECT_AS_TEXT = "output_object_as_text" { "stdout contains `[object Object]`: JavaScript wrote an object as text", "stdout 包含 `[object Object]`：JavaScript 把对象写成了文本" } hint { "print `JSON.stringify(…)`", "输出 `JSON.stringify(…)`" };
    /// A JSON string that contains the object as JSON.
    ENCODED_TWICE = "output_encoded_twice" { "stdout is a JSON string that contains the object: it was encoded twice", "stdout 是包含该对象的 JSON 字符串：编码了两次" } hint { "encode the object once", "只对对象编码一次" };
    /// Text in UTF-16, as Windows PowerShell writes it.
    UTF_16 = "output_utf_16" { "stdout is UTF-16, not UTF-8", "stdout 是 UTF-16，不是 UTF-8" } hint { "write UTF-8: in PowerShell set `[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)` first", "以 UTF-8 输出：在 PowerShell 中先设置 `[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)`" };
}
