//! Fixed terms that fill a placeholder: what a value is, what it should be, what is wrong with a pattern.
//!
//! A message has both languages in its [`crate::MessageTemplate`]. A placeholder usually contains text of a user file.
//! If it contains a term of Hookwright instead, that term needs both languages too, and this module has them.
//! [`crate::term!`] accepts only terms of this module, so a term without a Chinese translation does not compile.

use crate::Bilingual;

/// A term in both languages.
const fn term(en: &'static str, zh: &'static str) -> Bilingual {
    Bilingual { en, zh }
}

/// Every term of Hookwright, in both languages.
#[rustfmt::skip]
pub const TERMS: &[Bilingual] = &[
    // Names that consist of ordinary words.
    term("Skill hooks", "Skill Hook"),
    // What a value is, or should be.
    term("array", "数组"),
    term("boolean", "布尔值"),
    term("float", "小数"),
    term("integer", "整数"),
    term("list", "列表"),
    term("mapping", "映射"),
    term("null", "null"),
    term("number", "数字"),
    term("object", "对象"),
    term("string", "字符串"),
    term("table", "表"),
    term("inline table", "行内表"),
    term("array of tables", "表的数组"),
    term("datetime", "日期时间"),
    term("whole number", "整数"),
    term("a boolean", "布尔值"),
    term("a list", "列表"),
    term("a list of other values", "其他值的列表"),
    term("a list of strings", "字符串列表"),
    term("a mapping", "映射"),
    term("a number", "数字"),
    term("a number of seconds", "秒数"),
    term("a string", "字符串"),
    term("a table", "表"),
    term("a whole number", "整数"),
    term("an array", "数组"),
    term("an array of strings", "字符串数组"),
    term("an object", "对象"),
    term("an object of strings", "值均为字符串的对象"),
    term("true or false", "true 或 false"),
    term("a value", "一个值"),
    term("allow or deny", "allow 或 deny"),
    term("allow, ask or deny", "allow、ask 或 deny"),
    term("block or approve", "block 或 approve"),
    term("allow, ask, deny or defer", "allow、ask、deny 或 defer"),
    term("not an object", "不是对象"),
    term("`role` is not a string", "`role` 不是字符串"),
    term("`content` is not a string", "`content` 不是字符串"),
    term("`tool_calls` is not an array", "`tool_calls` 不是数组"),
    term("`tool_call_id` is not a string", "`tool_call_id` 不是字符串"),
    term("belongs to another user", "属于其他用户"),
    term("can be written by other users", "可由其他用户写入"),
    term("it is a boolean", "这是布尔值"),
    term("it is a number", "这是数字"),
    term("it is a string", "这是字符串"),
    term("it is a link to a missing file", "这是指向不存在文件的链接"),
    term("it is an array", "这是数组"),
    term("it is an object", "这是对象"),
    term("it is null", "这是 null"),
    term("it is not a regular file", "不是普通文件"),
    term("it leads out of its folder", "通向其文件夹之外"),
    term("it has left", "已断开连接"),
    term("no response within 120 s", "120 秒内无响应"),
    term("nothing", "空"),
    term("string with a lone surrogate", "含不完整代理对的字符串"),
    term("what it does, in one sentence", "用一句话说明它做什么"),
    // What is wrong with a pattern.
    term("a backslash at the end", "末尾多出反斜杠"),
    term("a backslash before a letter that has no such meaning", "反斜杠后的字母没有这种含义"),
    term("a class `[` that is not closed", "`[` 没有闭合"),
    term("a closing bracket without an opening bracket", "有右括号而没有左括号"),
    term("a comment `(?#` that is not closed", "注释 `(?#` 没有闭合"),
    term("a group name that begins with `P`, as only Python writes it", "以 `P` 开头的分组名，仅 Python 使用"),
    term("flags for the whole pattern", "针对整个表达式的标志"),
    term("a group name that is not closed", "分组名没有闭合"),
    term("a repetition of a repetition", "对重复再次重复"),
    term("an escape that has no meaning inside brackets", "此转义在方括号中没有含义"),
    term("an escape with too few digits", "转义的数字位数不足"),
    term("an invalid group name", "分组名无效"),
    term("a range that begins with a character class", "范围不能以字符类开头"),
    term("a reference to a group of the same look-behind", "引用了同一后行断言中的分组"),
    term("a reference to a group that is not defined before it", "引用的分组未在它之前定义"),
    term("a reference to a group that is still open", "引用的分组尚未闭合"),
    term("a repetition count that is too large", "重复次数过大"),
    term("a repetition whose lower bound is above its upper one", "重复的下限大于上限"),
    term("flags that are empty or contradictory", "标志为空或自相矛盾"),
    term("no expression before the repetition", "重复符号之前没有内容"),
    term("two groups with the same name", "两个分组同名"),
];

/// Error texts of libraries and of the system, in both languages. A text that is missing here stays English. If a text
/// continues after a colon, only the part before the colon is listed.
#[rustfmt::skip]
pub const LIBRARY_ERRORS: &[Bilingual] = &[
    // The pattern engine.
    term("General parsing error", "解析出错"),
    term("look-around, including look-ahead and look-behind, is not supported", "不支持环视断言（前瞻与后顾）"),
    term("backreferences are not supported", "不支持反向引用"),
    term("unclosed group", "有左括号而没有右括号"),
    term("unopened group", "有右括号而没有左括号"),
    term("unclosed character class", "`[` 没有闭合"),
    term("repetition operator missing expression", "重复符号之前没有内容"),
    term("unrecognized escape sequence", "未知的转义"),
    term("unclosed counted repetition", "重复次数的 `{` 没有闭合"),
    term("invalid character class range, the start must be <= the end", "字符范围的起点大于终点"),
    term("unrecognized flag", "未知的标志"),
    term("Opening parenthesis without closing parenthesis", "有左括号而没有右括号"),
    term("Closing parenthesis without opening parenthesis", "有右括号而没有左括号"),
    term("Invalid repeat syntax", "重复的写法无效"),
    term("Pattern too deeply nested", "正则表达式嵌套太深"),
    term("Backslash without following character", "反斜杠之后没有字符"),
    term("Invalid escape", "无效的转义"),
    term("Unicode escape not closed", "Unicode 转义没有闭合"),
    term("Invalid hex escape", "无效的十六进制转义"),
    term("Invalid codepoint for hex or unicode escape", "转义的码位无效"),
    term("Invalid character class", "无效的字符类"),
    term("Unknown group flag", "未知的分组标志"),
    term("Disallowed group flag", "不允许的分组标志"),
    term("Invalid back reference", "无效的反向引用"),
    term("Could not parse group name", "无法解析分组名"),
    term("Invalid group name in back reference", "反向引用中的分组名无效"),
    term("Target of repeat operator is invalid", "重复的对象无效"),
    term("Unbalanced lookaround parentheses", "环视断言的括号不配对"),
    // The YAML parser.
    term("unexpected EOF while parsing a flow sequence", "方括号内的列表没有结束"),
    term("unexpected EOF while parsing a flow mapping", "花括号内的映射没有结束"),
    term("unexpected EOF while parsing a block sequence", "列表没有结束"),
    term("unexpected EOF while parsing a block mapping", "映射没有结束"),
    term("unexpected eof", "内容提前结束"),
    term("did not find expected <document start>", "此处应开始新的文档"),
    term("missing explicit document end marker before directive", "指令之前缺少文档结束标记"),
    term("while parsing a node, did not find expected node content", "此处缺少值"),
    term("unsupported YAML major version", "不支持的 YAML 主版本"),
    term("duplicate version directive", "重复的版本指令"),
    term("the handle wasn't declared", "标签的前缀没有声明"),
    term("invalid content after document end marker", "文档结束标记之后有多余内容"),
    term("a BOM must not appear inside a document", "文档内不能出现 BOM"),
    term("comment intercepting the multiline text", "多行文本被注释打断"),
    term("expected whitespace", "此处应为空白"),
    term("comments must be separated from other tokens by whitespace", "注释之前要有空白"),
    term("YAML directives are disallowed", "不允许使用 YAML 指令"),
    // The JSON parsers.
    term("Leading or trailing decimal points on numbers are not allowed", "数字不能以小数点开头或结尾"),
    term("Comments are not allowed", "不允许注释"),
    term("Expected digit", "此处应为数字"),
    term("Expected digit following negative sign", "负号之后应为数字"),
    term("Expected plus, minus, or digit in number literal", "数字中应为加号、减号或数字"),
    term("Expected value after colon in object property", "冒号之后缺少值"),
    term("Hexadecimal numbers are not allowed", "不允许十六进制数"),
    term("Infinity and NaN are not allowed", "不允许 Infinity 和 NaN"),
    term("Trailing commas are not allowed", "不允许末尾的逗号"),
    term("Unary plus on numbers is not allowed", "数字前不允许加号"),
    term("Unexpected colon", "多余的冒号"),
    term("Unexpected token", "无法识别的内容"),
    term("Unexpected token in object", "对象中有无法识别的内容"),
    term("EOF while parsing a value", "内容提前结束"),
    term("EOF while parsing an object", "对象没有结束"),
    term("EOF while parsing a list", "数组没有结束"),
    term("EOF while parsing a string", "字符串没有结束"),
    term("expected value", "此处缺少值"),
    term("expected ident", "无法识别的单词"),
    term("invalid number", "无效的数字"),
    term("number out of range", "数字超出范围"),
    term("trailing characters", "末尾有多余内容"),
    term("invalid escape", "无效的转义"),
    term("recursion limit exceeded", "嵌套太深"),
    // The system.
    term("No such file or directory (os error 2)", "文件或目录不存在（os error 2）"),
    term("Permission denied (os error 13)", "没有权限（os error 13）"),
    term("File exists (os error 17)", "文件已存在（os error 17）"),
    term("Not a directory (os error 20)", "不是目录（os error 20）"),
    term("Is a directory (os error 21)", "是目录（os error 21）"),
    term("Too many open files (os error 24)", "打开的文件过多（os error 24）"),
    term("No space left on device (os error 28)", "磁盘空间不足（os error 28）"),
    term("Read-only file system (os error 30)", "文件系统只读（os error 30）"),
    term("Text file busy (os error 26)", "文件正在被写入（os error 26）"),
    term("Exec format error (os error 8)", "无法识别的可执行格式（os error 8）"),
    term("Too many levels of symbolic links (os error 40)", "符号链接层数过多（os error 40）"),
    term("Broken pipe (os error 32)", "管道已断开（os error 32）"),
    term("Address already in use (os error 98)", "地址已被占用（os error 98）"),
    term("Argument list too long (os error 7)", "参数列表过长（os error 7）"),
];

/// Returns `en`, if it is one of the [`TERMS`].
///
/// # Panics
/// `en` has no Chinese translation here. [`crate::term!`] calls this function at compile time.
#[must_use]
pub const fn known(en: &'static str) -> &'static str {
    let mut at = 0;
    while at < TERMS.len() {
        if same(TERMS[at].en.as_bytes(), en.as_bytes()) {
            return en;
        }
        at += 1;
    }
    panic!("this word has no Chinese among the TERMS")
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// A term for a placeholder: `term!("a string")`. A term that is not in [`TERMS`] does not compile.
#[macro_export]
macro_rules! term {
    ($en:literal) => {
        const { $crate::glossary::known($en) }
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_term_is_listed_once_and_in_both_languages() {
        let mut seen = BTreeSet::new();
        for text in TERMS.iter().chain(LIBRARY_ERRORS) {
            assert!(seen.insert(text.en), "{} twice", text.en);
            assert!(!text.en.trim().is_empty() && !text.zh.trim().is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_listed_term_is_returned_unchanged() {
        assert_eq!(crate::term!("an array of strings"), "an array of strings");
    }
}
