use super::*;
use hookwright_model::matcher::PatternError;
use proptest::prelude::*;

#[track_caller]
fn refused(source: &str, code: &str) {
    match from_python(source, Anchor::Anywhere) {
        Ok(_) => panic!("{source} is accepted"),
        Err(words) => assert_eq!(words.code, code, "{source}: {words}"),
    }
}

#[track_caller]
fn matches(source: &str, anchor: Anchor, yes: &[&str], no: &[&str]) {
    let pattern = from_python(source, anchor).unwrap_or_else(|words| panic!("{words}"));
    for text in yes {
        assert_eq!(pattern.is_match(text), Some(true), "{source} should match {text:?}");
    }
    for text in no {
        assert_eq!(
            pattern.is_match(text),
            Some(false),
            "{source} should not match {text:?}"
        );
    }
}

#[test]
fn the_common_subset_is_accepted_and_means_what_python_means() {
    matches(
        "Edit|Write",
        Anchor::Whole,
        &["Edit", "Write"],
        &["NotebookEdit", "edit", "Edit\n"],
    );
    matches("mcp__.*", Anchor::Whole, &["mcp__a__b"], &["mcp_a"]);
    matches(r"\.py$", Anchor::Anywhere, &["a.py", "a.py\n"], &["a.pyc", "a.py\n\n"]);
    matches("(?m)^b$", Anchor::Anywhere, &["a\nb\nc"], &["ab"]);
    matches("(?i)bash", Anchor::Whole, &["BASH"], &["bash "]);
    matches("(?x) Ba sh # a [comment", Anchor::Whole, &["Bash"], &["Ba sh"]);
    matches("(?s)a.b", Anchor::Whole, &["a\nb"], &["ab"]);
    matches("(?i:b)ash", Anchor::Whole, &["Bash", "bash"], &["BASH"]);
    matches(
        r"curl\s+https?://(?!localhost)",
        Anchor::Anywhere,
        &["curl http://x"],
        &["curl http://localhost"],
    );
    matches(r"(?P<q>['\x22]).*(?P=q)", Anchor::Whole, &["'a'", "\"a\""], &["'a\""]);
    matches(r"(a)\1(?<!x)", Anchor::Whole, &["aa"], &["a"]);
    matches("a{2}b{1,}c{0,2}?", Anchor::Whole, &["aabb", "aabcc"], &["abc"]);
    matches("a(?#why)+", Anchor::Whole, &["aaa"], &["b"]);
    matches("[]a]x[^]]", Anchor::Whole, &["]xa", "axb"], &["axa]", "bx]"]);
}

#[test]
fn blanks_and_letters_without_case_are_those_of_python() {
    let separators = ["\u{1c}", "\u{1f}", " ", "\u{a0}", "\u{85}"];
    matches(r"^\s$", Anchor::Anywhere, &separators, &["a", "\u{200b}"]);
    matches(r"^\S$", Anchor::Anywhere, &["a"], &separators);
    matches(r"^[\sx]$", Anchor::Anywhere, &["\u{1d}", "x"], &["y"]);
    matches(r"^[\Sx]$", Anchor::Anywhere, &["a", "x"], &["\u{1d}"]);
    let letters = ["i", "I", "İ", "ı"];
    for pattern in ["(?i)^i$", "(?i)^I$", "(?i)^İ$", "(?i)^[a-z]$", "(?i)^[^x]$", "^(?i:i)$"] {
        matches(pattern, Anchor::Anywhere, &letters, &["", "ii"]);
    }
    matches("(?i)^[^i]$", Anchor::Anywhere, &["x"], &letters);
    matches("^(?i:a)i$", Anchor::Anywhere, &["Ai"], &["AI", "Aİ"]);
}

#[test]
fn letters_and_edges_of_words_are_those_of_python() {
    let letters = ["a", "é", "_", "1", "²", "½", "٣"];
    let others = ["\u{200d}", "\u{301}", "‿", "-", ""];
    for (is, is_not) in [(r"\w", r"\W"), (r"[\w]", r"[\W]"), (r"(?i)\w", r"(?i)\W")] {
        matches(is, Anchor::Whole, &letters, &others);
        matches(is_not, Anchor::Whole, &others[..4], &letters);
    }
    matches(r"a\b.", Anchor::Whole, &["a-", "a\u{301}"], &["a²", "aé"]);
    matches(r"a\B.", Anchor::Whole, &["a²"], &["a\u{200d}"]);
    matches(r"\B", Anchor::Anywhere, &["aa", "-"], &["", "a"]);
}

#[test]
fn rewriting_one_sign_keeps_the_meaning_of_its_neighbours() {
    matches(r"(?i)[\w-]", Anchor::Whole, &["-", "İ"], &["."]);
    matches("(?i)[-i]", Anchor::Whole, &["-", "I", "ı"], &["a"]);
    matches("(?i)(?x) a # c", Anchor::Whole, &["A"], &["a "]);
    matches("(?x) a \u{a0}", Anchor::Whole, &["a\u{a0}"], &["a"]);
}

#[test]
fn a_sign_without_case_is_the_same_however_it_is_written() {
    for pattern in [
        r"(?i)\x69",
        r"(?i)\x49",
        r"(?i)\u0131",
        r"(?i)\U00000130",
        r"(?i)\ı",
        r"(?i)[\x69]",
        r"(?i:\x69)",
    ] {
        matches(pattern, Anchor::Whole, &["i", "I", "İ", "ı"], &["j", "x"]);
    }
    matches(r"\x69", Anchor::Whole, &["i"], &["I", "ı"]);
    matches("(?x)a\\\u{a0}", Anchor::Whole, &["a\u{a0}"], &["a"]);
}

#[test]
fn a_form_of_iota_is_a_letter_only_where_iota_is_asked_for() {
    let letters = ["ι", "Ι", "\u{1fbe}", "a", "İ", "_"];
    for is in [r"(?i)[\w]", r"(?i)[^\W]", r"(?i)[\w-]", r"(?i)[\wa]", r"(?i)[^\W-]"] {
        matches(is, Anchor::Whole, &letters, &["\u{345}", "."]);
    }
    for is_not in [r"(?i)[\W]", r"(?i)[^\w]", r"(?i)[^\w-]", r"(?i)[^\wa]", r"(?i)[\W\s]"] {
        matches(is_not, Anchor::Whole, &["\u{345}", "."], &letters);
    }
    matches(r"(?i)[\wι]", Anchor::Whole, &["\u{345}", "a"], &["."]);
    matches(r"(?i)[\w.-]+@[^\w\s]", Anchor::Whole, &["A.b-c@!"], &["@!", "a@b"]);
}

#[test]
fn other_members_of_a_class_keep_their_meaning() {
    matches(r"(?i)[\w^]", Anchor::Whole, &["a", "^"], &["."]);
    matches(r"(?i)[&\w&]", Anchor::Whole, &["a", "&"], &["."]);
    matches(r"(?i)[\w\W]", Anchor::Whole, &["a", "\n", "\u{345}"], &[""]);
    matches(r"(?i)[a-b-\w]", Anchor::Whole, &["-", "z"], &["."]);
    matches(r"(?i)[^x\W]", Anchor::Whole, &["a"], &["X", "."]);
    refused(r"(?i)[a-\w]", "bad_pattern");
    refused(r"(?i)[\\-\w]", "bad_pattern");
}

#[test]
fn a_reference_without_case_is_read_only_where_there_are_no_letters() {
    for source in [
        r"(?i)(.)\1",
        r"(?i)(a)\1",
        r"(?i:(a)\1)",
        r"(a)(?i:\1)",
        r"(?i)(?P<n>\w)(?P=n)",
        r"(?i)([!-~])\1",
        r"(?i)([^'])\1",
    ] {
        refused(source, "pattern_dialect");
    }
    matches(r#"(?i)(["'])rm\1"#, Anchor::Whole, &["'RM'", "\"rm\""], &["'rm\""]);
    matches(r"(?i)(a)(?-i:\1)", Anchor::Whole, &["AA"], &["aA"]);
}

#[test]
fn literal_characters_match_themselves() {
    matches("a]b}c{d", Anchor::Whole, &["a]b}c{d"], &["abc"]);
    matches("a{x}", Anchor::Whole, &["a{x}"], &["a"]);
    matches(r"\<a\>\-\/", Anchor::Whole, &["<a>-/"], &["a-/"]);
    matches("\\中", Anchor::Whole, &["中"], &["\\中"]);
    matches(r"[\w.\-\]]+", Anchor::Whole, &["a.-]"], &["a b"]);
}

#[test]
fn what_two_engines_read_differently_is_refused() {
    for source in [
        r"a\Z",
        r"a\z",
        r"\h",
        r"\Ka",
        r"\G",
        r"\R",
        r"\N{DASH}",
        r"\p{L}",
        r"\P{L}",
        "[[:alpha:]]",
        "[a[b]]",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
        "a{,3}",
        "(?a)x",
        "(?L)x",
        "(?u)x",
        "x(?i)y",
        "(a|(?i)b)",
        "a*+",
        "a++",
        "a?+",
        "a{1,2}+",
        "(?>a)",
        "(a)(?(1)b|c)",
        "(?<n>a)",
        "(?R)",
        "(?P>n)",
        r"\x{41}",
        r"\u{41}",
        r"\0",
        r"\101",
        r"[\b]",
        "(?x)[a b]",
        r"\e",
        "(?=a)*b",
        "(?<=a{1,2})b",
    ] {
        refused(source, "pattern_dialect");
    }
}

#[test]
fn a_valid_pattern_of_any_size_is_no_bad_one() {
    let large = from_python(r"\w{300}", Anchor::Whole).unwrap_or_else(|words| panic!("{words}"));
    assert_eq!(large.unusable(), None);
    assert_eq!(large.compile(), Err(PatternError::TooComplex));
    let long = from_python(&"(".repeat(MAX_PATTERN_BYTES + 1), Anchor::Whole).unwrap_or_else(|words| panic!("{words}"));
    assert_eq!(long.unusable(), Some(&PatternError::TooLong(MAX_PATTERN_BYTES + 1)));
    assert_eq!(long.is_match(""), None);
}

#[test]
fn what_does_not_parse_is_no_pattern() {
    for source in [
        "(",
        ")",
        "[a",
        "*a",
        "a**",
        "a|*",
        "(?=a",
        "(?P<n",
        r"\",
        r"\q",
        r"\x4",
        "(?P<n>a)(?P<n>b)",
        r"(a)\2",
        "^*",
        "(?#a",
        "[b-a]",
        "a{3,2}",
        "a{99999999999}",
        r"\1(a)",
        r"(a\1)",
        r"(?<=(a)\1)b",
        "(?P=n)(?P<n>a)",
        "(?P<n>a(?P=n))",
        "(?P<1>a)",
        "(?P<>a)",
        "(?P<a b>a)",
        "(?-:a)",
        "(?i-i:a)",
        r"[\w-a]",
    ] {
        refused(source, "bad_pattern");
    }
}

#[test]
fn a_look_behind_of_no_fixed_length_is_refused() {
    refused("(?<=a{1,2})b", "pattern_dialect");
    refused("(?<!ab*)c", "pattern_dialect");
    refused("(?<=x(a+))c", "pattern_dialect");
    refused("(?<=ab|c)d", "pattern_dialect");
    refused("(?<!a(?:b|))c", "pattern_dialect");
    refused(r"(a|bc)(?<=\1)d", "pattern_dialect");
    matches("(?<=ab|cd)e", Anchor::Anywhere, &["abe", "cde"], &["be"]);
    matches(r"(a)(?<=x\1)b", Anchor::Anywhere, &["xab"], &["ab"]);
    matches("(?<=a{2})b", Anchor::Anywhere, &["aab"], &["ab"]);
}

#[test]
fn the_hint_says_what_to_write() {
    let message = from_python("a{,3}", Anchor::Whole).unwrap_err();
    assert_eq!(message.hint.as_deref(), Some("write the lower bound: `{0,3}`"));
}

proptest! {
    #[test]
    fn any_text_can_be_compiled_or_is_refused_with_a_code(source in r"[a-d|*+?(){}\[\]\\.^$:=!<>P#0-9, \-]{0,24}") {
        match from_python(&source, Anchor::Whole) {
            Ok(pattern) => prop_assert!(matches!(pattern.compile(), Ok(()) | Err(PatternError::TooComplex))),
            Err(words) => prop_assert!(["bad_pattern", "pattern_dialect"].contains(&words.code)),
        }
    }
}
