//! Finds what a script prints, as far as its lines show it: output that is ignored, and the keys of printed objects.

use super::exit_code;
use crate::script_scan;

/// Which part of the output an exit code makes ineffective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredPart {
    /// All of stdout, because the hook exits with 2.
    Anything,
    /// A decision, because the hook exits with another code than 0 and 2.
    Decision,
}

/// A print statement whose output is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IgnoredPrint {
    /// The exit code that follows the print statement.
    pub code: i32,
    /// The ignored part of the output.
    pub part: IgnoredPart,
    /// Line of the text, from 1.
    pub line: u32,
}

/// Finds the first print statement whose output is ignored because of the exit after it.
///
/// With exit code 2, a print after a line that writes to stderr is not reported: stderr has the reason already.
#[must_use]
pub fn find_ignored_prints(text: &str) -> Vec<IgnoredPrint> {
    let all: Vec<(u32, &str)> = (1..)
        .zip(text.lines().map(str::trim))
        .filter(|(_, line)| is_code(line))
        .collect();
    let find = |at: usize| {
        let (line, printed) = all[at];
        // An exit before the print, such as that of `grep … && exit 2; echo …`, does not end this way.
        let from = printer_places(printed).last().filter(|_| writes_to_stdout(printed))?;
        let last = statement_end(&all, at);
        let code = exit_behind(&printed[from..])
            .or_else(|| exit_at_start(all.get(last + 1)?.1))
            .filter(|code| *code != 0)?;
        let has_reason = code == 2 && (at > 0 && writes_to_stderr(all[at - 1].1) || writes_to_stderr(&printed[..from]));
        if has_reason {
            return None;
        }
        let statement: Vec<&str> = all[at..=last].iter().map(|(_, line)| *line).collect();
        let statement = statement.join("\n");
        let decides = ["decision", "permissionDecision", "behavior"]
            .iter()
            .any(|field| script_scan::writes(&statement, field));
        match (decides, code) {
            (_, 2) => Some(IgnoredPart::Anything),
            (true, _) => Some(IgnoredPart::Decision),
            (false, _) => None,
        }
        .map(|part| IgnoredPrint { code, part, line })
    };
    (0..all.len()).filter_map(find).collect()
}

fn is_code(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#') && !line.starts_with("//")
}

/// Returns the index of the line on which a statement ends. A statement continues while its brackets are open.
fn statement_end(lines: &[(u32, &str)], at: usize) -> usize {
    let mut depth = 0_i32;
    for (index, (_, line)) in lines.iter().enumerate().skip(at).take(20) {
        let count = |characters: [char; 3]| i32::try_from(line.matches(characters).count()).unwrap_or(0);
        depth += count(['(', '{', '[']) - count([')', '}', ']']);
        if depth <= 0 {
            return index;
        }
    }
    at
}

/// Beginnings of statements that write to stdout.
const PRINTERS: [&str; 8] = [
    "echo ",
    "printf ",
    "print(",
    "console.log(",
    "sys.stdout.write(",
    "process.stdout.write(",
    "jq -n",
    "jq ",
];

/// The code of the exit with which a line begins. One behind a condition perhaps does not come.
fn exit_at_start(line: &str) -> Option<i32> {
    const BEGINS: [&str; 8] = [
        "exit",
        "sys.exit",
        "os._exit",
        "raise SystemExit",
        "quit",
        "process.exit",
        "Deno.exit",
        "return",
    ];
    let begins = BEGINS.iter().any(|begin| line.starts_with(begin));
    exit_code(line).filter(|_| begins && !line.contains(" if ") && !line.contains(" unless "))
}

/// The code of the exit that directly follows a statement on its line.
fn exit_behind(statement: &str) -> Option<i32> {
    let ends = outside_quotes(statement).find_map(|(at, sign)| match sign {
        ';' => Some(at + 1),
        '&' if statement[at..].starts_with("&&") => Some(at + 2),
        _ => None,
    });
    exit_at_start(statement[ends?..].trim_start())
}

/// The characters of a line that are not in quotes, with their places.
fn outside_quotes(line: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut quote = None;
    let mut signs = line.char_indices();
    std::iter::from_fn(move || {
        loop {
            let (at, sign) = signs.next()?;
            match (quote, sign) {
                (Some('\''), '\\') | (None, '\\') | (Some('"' | '`'), '\\') => drop(signs.next()),
                (Some(open), _) if open == sign => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') => quote = Some(sign),
                (None, _) => return Some((at, sign)),
            }
        }
    })
}

/// Where statements that print begin in a line, in order.
fn printer_places(line: &str) -> impl Iterator<Item = usize> + '_ {
    let begins_statement = |at: usize| {
        let before = line[..at].trim_end();
        let has_blank = before.len() < at;
        let is_behind = before.ends_with([';', '{', ')', '&', ':'])
            || ["||", "then", "do", "else"].iter().any(|word| before.ends_with(word));
        // In a bracket it may be a part whose output is read, or whose exit ends only that part.
        let is_inside = before.matches('(').count() > before.matches(')').count();
        before.is_empty() || has_blank && is_behind && !is_inside
    };
    outside_quotes(line).filter_map(move |(at, _)| {
        let begins = PRINTERS.iter().any(|word| line[at..].starts_with(word));
        (begins && begins_statement(at)).then_some(at)
    })
}

/// Whether the output of a line, or the rest of it, goes into another command.
fn goes_into_pipe(line: &str) -> bool {
    outside_quotes(line)
        .any(|(at, sign)| sign == '|' && !line[at..].starts_with("||") && !line[..at].ends_with(['|', '>']))
}

/// Whether the line writes to stderr.
fn writes_to_stderr(line: &str) -> bool {
    ["&2", "stderr", "console.error"]
        .iter()
        .any(|character| line.contains(character))
}

/// Whether the line writes to stdout.
fn writes_to_stdout(line: &str) -> bool {
    let Some(first) = printer_places(line).next() else {
        return false;
    };
    let elsewhere = ["&2", "stderr", "/dev/null", ">>", "> \"", "> $", "printf -v "]
        .iter()
        .any(|character| line.contains(character));
    // A file behind the last quote: `echo '{"a": 1}' > state.json`.
    let behind = line.rsplit(['"', '\'']).next().unwrap_or_default();
    let to_file = ["echo ", "printf ", "jq "].iter().any(|word| line.contains(word)) && behind.contains('>');
    !elsewhere && !to_file && !goes_into_pipe(&line[first..])
}

/// An object that a script prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedObject {
    /// Line of the text, from 1.
    pub line: u32,
    /// The fields of the object itself.
    pub fields: Vec<PrintedField>,
    /// The fields of the object in the field that the caller asked for; empty if there is none.
    pub nested: Vec<PrintedField>,
}

/// A field of a printed object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedField {
    /// Its key.
    pub name: String,
    /// Whether its value is written as a text.
    pub is_text: bool,
    /// That text, if it is one word.
    pub word: Option<String>,
}

/// Finds the objects that a script prints, each with its fields and with the fields of the object at `nested_key`.
#[must_use]
pub fn printed_objects(text: &str, nested_key: &str) -> Vec<PrintedObject> {
    let mut out = Vec::new();
    let mut from = 0;
    for (line, written) in (1..).zip(text.split_inclusive('\n')) {
        if writes_to_stdout(written.trim())
            && let indent = written.len() - written.trim_start().len()
            && let Some(first) = printer_places(written.trim()).next()
            && let Some(at) = written[indent + first..].find('{').map(|at| indent + first + at)
            && !written[..at].ends_with('$')
        {
            let object = &text[from + at..];
            let found = object_keys(object);
            let inner = found
                .iter()
                .find(|(key, _)| key == nested_key)
                .map(|(_, at)| &object[*at..]);
            let inner = inner.map(str::trim_start).filter(|inner| inner.starts_with('{'));
            if !found.is_empty() {
                out.push(PrintedObject {
                    line,
                    fields: printed_fields(object, found),
                    nested: inner
                        .map(|inner| printed_fields(inner, object_keys(inner)))
                        .unwrap_or_default(),
                });
            }
        }
        from += written.len();
    }
    out
}

fn printed_fields(object: &str, found: Vec<(String, usize)>) -> Vec<PrintedField> {
    let field = |(name, at): (String, usize)| {
        let value = object[at..].trim_start_matches(|sign: char| sign.is_whitespace() || sign == '\\');
        let inside = value.strip_prefix(['"', '\'']);
        let word = inside.and_then(|inside| {
            let end = inside.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_')?;
            let closes = inside[end..].starts_with(['"', '\'', '\\']);
            closes.then(|| inside[..end].to_owned())
        });
        PrintedField {
            name,
            is_text: inside.is_some(),
            word,
        }
    };
    found.into_iter().map(field).collect()
}

/// Finds the keys of the object with which this text begins, each with the index of its value in the text.
///
/// A key is written as `"a": 1`, `a: 1` or `'a': 1`. `a` alone is a key if other keys have values.
fn object_keys(text: &str) -> Vec<(String, usize)> {
    /// Longer objects are not read, in characters.
    const MAX_OBJECT_CHARS: usize = 4_000;
    let mut out: Vec<(String, usize)> = Vec::new();
    let mut bare_names: Vec<(String, usize)> = Vec::new();
    let (mut depth, mut word, mut fresh) = (0_u32, String::new(), false);
    let mut characters = text
        .char_indices()
        .take(MAX_OBJECT_CHARS)
        .filter(|(_, character)| *character != '\\');
    while let Some((at, character)) = characters.next() {
        let is_end = depth == 1 && matches!(character, ',' | '}');
        if is_end && fresh && !word.is_empty() {
            bare_names.push((std::mem::take(&mut word), at));
        }
        match character {
            '{' | '[' | '(' => {
                depth += 1;
                fresh = depth == 1;
                word.clear();
            }
            '}' | ']' | ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    // Names alone are not an object: they are a placeholder in a text, or a set.
                    let is_object = !out.is_empty();
                    out.extend(bare_names.into_iter().filter(|_| is_object));
                    return out;
                }
            }
            ',' if depth == 1 => {
                fresh = true;
                word.clear();
            }
            ':' if depth == 1 && fresh => {
                fresh = false;
                let name = std::mem::take(&mut word);
                out.extend(Some((name, at + 1)).filter(|(name, _)| !name.is_empty()));
            }
            '"' | '\'' | '`' => {
                let inside = characters.by_ref().map(|(_, inside)| inside);
                let inside: String = inside.take_while(|inside| *inside != character).collect();
                if depth == 1 && fresh && word.is_empty() {
                    word = inside;
                }
            }
            _ if depth == 1 && fresh && (character.is_ascii_alphanumeric() || character == '_') => word.push(character),
            _ if depth == 1 && !character.is_whitespace() => fresh = false,
            _ => {}
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_before_a_block_is_not_read() {
        let found = |text| {
            find_ignored_prints(text)
                .into_iter()
                .next()
                .map(|one| (one.code, one.part, one.line))
        };
        for text in [
            "case $X in *rm*) printf '%s' '{\"decision\": \"deny\"}'; exit 1;; esac\nexit 0",
            "if (bad) { console.log(JSON.stringify({decision: 'deny'})); process.exit(1); }",
            "grep -q rm && echo '{\"decision\": \"deny\"}' && exit 1",
            "if bad: print(json.dumps({'decision': 'deny'})); sys.exit(1)",
        ] {
            assert_eq!(found(text), Some((1, IgnoredPart::Decision, 1)), "{text}");
        }
        let all = find_ignored_prints("if a; then\n  echo one\n  exit 2\nfi\necho two\nexit 2\n");
        assert_eq!(all.iter().map(|one| one.line).collect::<Vec<_>>(), [2, 5]);
        assert_eq!(found("echo blocked\nexit 2\n"), Some((2, IgnoredPart::Anything, 1)));
        assert_eq!(
            found("echo '{\"decision\": \"allow\"}'; exit 2"),
            Some((2, IgnoredPart::Anything, 1))
        );
        assert_eq!(
            found("x\nprint(json.dumps({\"decision\": \"deny\"}))\nsys.exit(1)"),
            Some((1, IgnoredPart::Decision, 2))
        );
        assert_eq!(
            found("console.log(JSON.stringify({\n  decision: 'block',\n  reason,\n}));\n\nprocess.exit(2);"),
            Some((2, IgnoredPart::Anything, 1))
        );
        for text in [
            "echo blocked >&2\nexit 2",
            "printf -v X %s y\nexit 2",
            "grep -q x && exit 2; echo '{\"decision\": \"block\"}'",
            "echo blocked >&2\necho '{\"decision\": \"block\"}'\nexit 2",
            "print(f\"x\", file=sys.stderr)\nsys.exit(2)",
            "echo '{\"decision\": \"deny\"}'\nexit 0",
            "echo failed\nexit 1",
            "echo hello\nsleep 1\nexit 2",
            "echo checking\n[ -f x ] && exit 2",
            "echo checking\ncase \"$X\" in *rm*) echo no >&2; exit 2;; esac",
            "echo x; grep -q y && exit 2",
            "echo x | tee log >/dev/null; exit 2",
            "print('x')\nif bad: sys.exit(2)",
            "X=$(cat && echo '{\"decision\": \"deny\"}'); exit 1",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    fn names(fields: &[PrintedField]) -> Vec<String> {
        fields.iter().map(|field| field.name.clone()).collect()
    }

    #[test]
    fn a_value_is_read_if_it_is_one_word() {
        for (text, is_text, word) in [
            ("echo '{\"a\": \"block\"}'", true, Some("block")),
            ("echo \"{\\\"a\\\": \\\"block\\\"}\"", true, Some("block")),
            ("print({'a': 'block'})", true, Some("block")),
            ("echo '{\"a\": \"not this\"}'", true, None),
            ("echo \"{\\\"a\\\": \\\"$X\\\"}\"", true, None),
            ("jq -n '{a: .b}'", false, None),
            ("print({'a': {'b': 1}})", false, None),
        ] {
            let field = &printed_objects(text, "")[0].fields[0];
            assert_eq!((field.is_text, field.word.as_deref()), (is_text, word), "{text}");
        }
    }

    #[test]
    fn what_is_written_to_a_file_is_not_printed() {
        assert!(printed_objects("echo '{\"a\": 1}' > state.json", "").is_empty());
        assert!(!printed_objects("echo '{\"a\": \"b > c\"}'", "").is_empty());
    }

    #[test]
    fn the_keys_of_a_printed_object_are_read_in_any_spelling() {
        for (text, want) in [
            ("echo '{\"a\": 1, \"b\": {\"c\": 2}}'", vec!["a", "b"]),
            ("echo \"{\\\"a\\\": \\\"x, y: z\\\"}\"", vec!["a"]),
            ("print(json.dumps({'a': f(1, 2), 'b': x}))", vec!["a", "b"]),
            ("console.log(JSON.stringify({\n  a: 'x',\n  b,\n}))", vec!["a", "b"]),
            ("jq -n --arg r \"$R\" '{feedback: $r}'", vec!["feedback"]),
        ] {
            let found: Vec<String> = printed_objects(text, "")
                .into_iter()
                .flat_map(|one| names(&one.fields))
                .collect();
            assert_eq!(found, want, "{text}");
        }
        for text in [
            "x=$(jq -r '{a: .b}')",
            "echo \"${A}\"",
            "echo '{\"a\": 1}' | curl x",
            "print(f\"{a}\")",
            "echo '{\"a\": 1}'|curl x",
        ] {
            assert_eq!(printed_objects(text, ""), [], "{text}");
        }
    }

    #[test]
    fn the_keys_of_an_object_in_it_are_read_too() {
        for text in [
            "jq -n '{x: 1, inner: {a: 1, b: \"x, y\"}}'",
            "echo '{\"inner\": {\"a\": {\"c\": 1}, \"b\": 1}}'",
            "console.log(JSON.stringify({\n  inner: {\n    a: 1,\n    b,\n  },\n}))",
        ] {
            let found = printed_objects(text, "inner");
            assert_eq!(names(&found[0].nested), ["a", "b"], "{text}");
        }
        assert!(
            printed_objects("echo '{\"inner\": [{\"a\": 1}]}'", "inner")[0]
                .nested
                .is_empty()
        );
    }
}
