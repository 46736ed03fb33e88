use std::path::PathBuf;

use hookwright_model::{Layer, Root};
use proptest::prelude::*;

use super::*;

fn read(front: &str) -> Parsed {
    let root = Root::file(Layer::User, PathBuf::from("/h/a/HOOK.md"), None);
    parse(&SourceTree::with_text(root, Ok(format!("---\n{front}---\n\nBody\n"))))
}

/// `code line:column` of each problem, except those about entry scripts.
fn problems_of(front: &str) -> Vec<String> {
    let parsed = read(front);
    let of = |problem: &Problem| {
        let place = problem.line.zip(problem.column).expect("a place");
        format!("{} {}:{}", problem.code.as_str(), place.0, place.1)
    };
    let problems = parsed.problems.iter().map(of);
    problems.filter(|line| !line.starts_with("entry_")).collect()
}

const OK: &str = "name: a\ndescription: d\ntrigger: before_tool\n";

#[test]
fn numbers_are_whole_and_in_range() {
    for (value, want) in [
        ("1", "out_of_range 5:10"),
        ("0", "out_of_range 5:10"),
        ("-5", "out_of_range 5:10"),
        ("1.5", "wrong_type 5:10"),
        ("1e3", "wrong_type 5:10"),
        ("'5000'", "wrong_type 5:10"),
        ("true", "wrong_type 5:10"),
        ("[1]", "wrong_type 5:10"),
        ("99999999999999999999", "out_of_range 5:10"),
    ] {
        assert_eq!(
            problems_of(&format!("{OK}timeout: {value}\n")),
            [want],
            "timeout: {value}"
        );
    }
    for value in ["100", "600000", "~"] {
        assert!(
            problems_of(&format!("{OK}timeout: {value}\n")).is_empty(),
            "timeout: {value}"
        );
    }
    let rank = |value: &str| read(&format!("{OK}priority: {value}\n")).hooks[0].rank;
    assert_eq!(rank("999"), Some(999));
    assert_eq!(rank("99999999999999999999"), Some(1000));
    assert_eq!(rank("-99999999999999999999"), Some(0));
    assert_eq!(rank("high"), Some(100));
}

#[test]
fn the_definitions_text_does_not_depend_on_the_order_of_lines() {
    let one = read(&format!("{OK}timeout: 500\n")).hooks.remove(0);
    let other = read(&format!("timeout: 500 # quick\n{OK}")).hooks.remove(0);
    assert_eq!(one.definition_text, other.definition_text);
    assert_ne!(one.definition_text, read(OK).hooks[0].definition_text);
}

#[test]
fn an_approval_covers_the_folder() {
    assert_eq!(read(OK).hooks[0].approval_scope, ApprovalScope::Folder("/h/a".into()));
}

#[test]
fn crlf_line_ends_and_a_byte_order_mark_are_accepted() {
    let root = Root::file(Layer::User, PathBuf::from("/h/a/HOOK.md"), None);
    let text = "\u{feff}---\r\nname: a\r\ndescription: d\r\ntrigger: nothing\r\n---\r\n";
    let parsed = parse(&SourceTree::with_text(root, Ok(text.to_owned())));
    let wrong = parsed
        .problems
        .iter()
        .find(|problem| problem.code.as_str() == "unknown_event")
        .unwrap();
    assert_eq!((wrong.line, wrong.column), (Some(4), Some(10)));
    assert_eq!(parsed.hooks[0].label, "a");
}

#[test]
fn a_file_that_is_no_definition_is_broken_as_a_whole() {
    for text in ["", "x", "---\n", "---\n- a\n---\n", "---\nname: [\n---\n"] {
        let root = Root::file(Layer::User, PathBuf::from("/h/a/HOOK.md"), None);
        let parsed = parse(&SourceTree::with_text(root, Ok(text.to_owned())));
        assert_eq!((parsed.hooks.len(), parsed.broken.len()), (0, 1), "{text:?}");
        assert_eq!(parsed.problems[0].code.as_str(), "syntax", "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "(?s).{0,200}") {
        let root = Root::file(Layer::User, PathBuf::from("/h/a/HOOK.md"), None);
        let _ = parse(&SourceTree::with_text(root, Ok(text)));
    }

    #[test]
    fn every_problem_of_a_front_matter_points_into_the_file(lines in proptest::collection::vec(
        r#"(name|description|trigger|matcher|timeout|async|priority|metadata|[a-z_]{1,6}): ?[a-z0-9"'{}\[\]&*|>.$(^-]{0,10}|  +(tool|pattern): ?[a-z0-9"'{}$(`]{0,8}"#, 0..10))
    {
        let front = lines.join("\n") + "\n";
        let count = u32::try_from(front.lines().count()).unwrap() + 4;
        for problem in read(&front).problems {
            prop_assert!(problem.line.is_none_or(|line| line <= count), "{problem:?}");
        }
    }
}
