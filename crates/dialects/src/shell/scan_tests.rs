use proptest::prelude::*;

use super::*;

fn words(text: &str) -> Vec<Vec<String>> {
    scan(text)
        .commands
        .iter()
        .map(|command| command.words.iter().map(|word| word.text.clone()).collect())
        .collect()
}

#[track_caller]
fn unset(text: &str) -> Vec<String> {
    let script = scan(text);
    script
        .uses
        .iter()
        .filter(|one| !script.sets.contains(&one.name))
        .map(|one| one.name.clone())
        .collect()
}

#[test]
fn commands_are_split_as_a_shell_does() {
    assert_eq!(
        words("python3 ~/a.py 'b c' \"d $E\""),
        [["python3", "~/a.py", "b c", "d $E"]]
    );
    assert_eq!(
        words("a && b || c; d | e & f\ng"),
        [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]
    );
    assert_eq!(words("a 2>/dev/null >out b # c d"), [["a", "b"]]);
    assert_eq!(words("a \\\n b\\ c"), [["a", "b c"]]);
    assert_eq!(
        words("x=$(cat; sed s/a/b/) y"),
        [vec!["cat"], vec!["sed", "s/a/b/"], vec!["x=$(cat; sed s/a/b/)", "y"]]
    );
    assert_eq!(words("diff <(a b) /c"), [vec!["a", "b"], vec!["diff", "<()", "/c"]]);
    assert_eq!(words("cat <<'E'\n$NOT {\nE\nb"), [["cat"], ["b"]]);
}

#[test]
fn a_variable_is_unset_when_nothing_gives_it_a_value() {
    let table: [(&str, &[&str]); 17] = [
        ("echo $A ${B} \"$C\"", &["A", "B", "C"]),
        ("echo '$A' \\$B $1 $@ $? $$", &[]),
        ("A=1 cmd; echo $A", &[]),
        ("export A=1 && echo $A", &[]),
        ("if A=$(cat); then echo $A; fi", &[]),
        ("while ! A=$(cat); do B=1; done; echo $A $B", &[]),
        ("case $1 in a) A=1 ;; *) B=2 ;; esac; echo $A $B", &[]),
        ("read -r A B; echo $A $B", &[]),
        ("for A in 1 2; do echo $A; done", &[]),
        ("echo ${A:-x} ${B-$C} ${D:?no}", &["C"]),
        (": ${A:=1}; echo $A", &[]),
        ("x=$(echo $A); echo $x", &["A"]),
        ("echo `echo $A`", &["A"]),
        ("cat <<E\n$A\nE\n", &["A"]),
        ("cat <<'E'\n$A\nE\n", &[]),
        ("echo $((1 + $A))", &["A"]),
        ("echo ${#A} ${A%%/*}", &["A"]),
    ];
    for (text, want) in table {
        assert_eq!(unset(text), want, "{text}");
    }
}

#[track_caller]
fn characters(text: &str) -> Vec<&'static str> {
    scan(text).bashisms.iter().map(|one| one.character).collect()
}

#[test]
fn a_quoted_value_is_assigned_and_a_quoted_name_is_a_program() {
    for text in [
        "A=\"x y\"; echo $A",
        "A='x' B=\"$(date)\"\necho $A $B",
        "A+=\"x\"; echo $A",
    ] {
        assert_eq!(unset(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(unset("\"A=1\"; echo $A"), ["A"]);
    let script = scan("NAME=\"a b\" guard.sh");
    assert_eq!(
        script.programs().next().map(|words| words[0].text.as_str()),
        Some("guard.sh")
    );
}

#[test]
fn what_is_quoted_or_a_comment_closes_no_bracket() {
    for text in [
        "E=(\n  \"a\"   # Don't trigger )\n  \"it's\" 'b)'\n)\nfor A in x; do echo $A; done",
        "N=\"$(echo \"it's #1) \" | wc -l)\"; A=1; echo $A $N",
        "N=$(cat \"$(pwd)/a #b\" # isn't )\n); A=1; echo $A",
        "N=${B:-\"}\"}; A=1; echo $A",
    ] {
        assert_eq!(unset(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_variable_that_is_only_asked_for_being_empty_or_compared_is_a_switch() {
    for text in [
        "if [ -n \"$A\" ]; then exit 0; fi",
        "[[ -z $A && -n ${B} ]] || exit 0",
        "test -z \"$A\" -a -n \"$B\"",
        "[ ! -z \"$A\" ] && exit 0",
        "[ \"x$A\" = xon ] && exit 0",
        "if [ \"$A\" ]; then exit 0; fi",
    ] {
        assert!(scan(text).uses.iter().all(|one| one.is_switch), "{text}");
    }
    for text in [
        "[ -n \"$A\" ] && cat \"$A\"",
        "[ -n \"x$A\" ]",
        "echo -n \"$A\"",
        "[ -f \"$A\" ]",
    ] {
        assert!(scan(text).uses.iter().any(|one| !one.is_switch), "{text}");
    }
}

#[test]
fn a_default_is_used_only_where_the_variable_is_unset() {
    let script = scan("echo ${A:-$B} ${A:-${B:-$C}} \"${D:+$E}\"");
    let uses: Vec<(&str, Vec<&str>)> = script
        .uses
        .iter()
        .map(|one| (one.name.as_str(), one.unless.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(uses, [("B", vec!["A"]), ("C", vec!["A", "B"]), ("E", vec![])]);
}

#[test]
fn a_use_knows_its_line() {
    let script = scan("#!/bin/sh\n\nA=1\nif [ -f \"$A\" ]; then\n  echo \"$(cat\n  $B)\"\nfi\necho $C\n");
    let lines: Vec<(&str, u32)> = script.uses.iter().map(|one| (one.name.as_str(), one.line)).collect();
    assert_eq!(lines, [("A", 4), ("B", 6), ("C", 8)]);
}

#[test]
fn patterns_of_a_case_are_no_programs() {
    let text = "case \"$x\" in\n  (a|b) one ;;\n  *.py) two; three ;;\n  *) four\nesac; five";
    let script = scan(text);
    let programs: Vec<&str> = script.programs().map(|words| words[0].text.as_str()).collect();
    assert_eq!(programs, ["case", "one", "two", "three", "four", "five"]);
}

#[test]
fn a_pattern_in_brackets_is_no_pipe() {
    let script = scan("if [[ $f =~ \\.(ts|tsx)$ && $g < $h ]]; then one | two; fi; [[ a");
    let programs: Vec<&str> = script.programs().map(|words| words[0].text.as_str()).collect();
    assert_eq!(programs, ["[[", "one", "two", "[["]);
    assert_eq!(characters("[[ a < b ]]"), ["[["]);
}

#[test]
fn what_joins_commands_is_known() {
    use super::super::Join::{And, Next, Or, Pipe};
    let joins: Vec<_> = scan("a && b || c | d; e &")
        .commands
        .iter()
        .map(|one| one.join)
        .collect();
    assert_eq!(joins, [And, Or, Pipe, Next, Next]);
}

#[test]
fn signs_that_only_bash_knows_are_seen_outside_of_quotes() {
    assert_eq!(
        characters("[[ -n $A ]] && cat <<< x; diff <(a) b &> c; source f"),
        ["<<<", "<(", "&>", "[[", "source"]
    );
    for (text, character) in [
        ("if [[ a ]]; then b; fi", "[["),
        ("while read -r f; do [[ $f ]]; done", "[["),
        ("! [[ a ]]", "[["),
        ("{ [[ a ]]; }", "[["),
        ("[ \"$a\" == b ]", "[ … == … ]"),
        ("test a == b", "[ … == … ]"),
        ("files=(a \"$HOME\")", "a=( … )"),
        ("echo ${a[@]}", "${a[0]}"),
        ("echo ${PIPESTATUS[0]}", "${a[0]}"),
        ("echo \"${x//a/b}\"", "${a/b/c}"),
        ("echo ${x:0:3}", "${a:0:1}"),
        ("echo ${x^^}", "${a^}"),
        ("echo ${!x}", "${!a}"),
        ("set -euo pipefail", "set -o pipefail"),
        ("((n++))", "(( … ))"),
        ("for ((i=0; i<3; i++)); do a; done", "(( … ))"),
        ("function f { a; }", "function"),
        ("echo $'a\\n'", "$'…'"),
        ("a |& b", "|&"),
    ] {
        assert_eq!(characters(text), [character], "{text}");
    }
    for text in [
        "echo '[[ <<< &>' \"<(\"; grep '[[:alpha:]]' x 2>&1 > f; a & b",
        "[ a = b ] && echo '=='; echo [[ x",
        "echo ${x%%/*} ${x#a} ${x:-b} ${#x} $((1 + 2)); (a; b)",
        "set -eu; case x in [[]) a ;; esac",
        "f() { a; }; echo \"$'a'\"",
    ] {
        assert_eq!(characters(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn what_runs_text_that_is_not_here_is_opaque() {
    assert!(scan("eval \"$X\"").opaque && scan(". ./env.sh").opaque && scan("if source x; then a; fi").opaque);
    assert!(!scan("./env.sh").opaque);
}

#[test]
fn substitutions_nested_too_deeply_are_not_followed() {
    for character in ["$(", "${a:-", "$((", "`$("] {
        let script = scan(&character.repeat(4_000));
        assert!(script.opaque || script.uses.len() < 2, "{character}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_scanner_panic(text in r#"[\x00-\x7f中]{0,120}"#) {
        let _ = scan(&text);
    }

    #[test]
    fn no_shell_syntax_makes_the_scanner_panic(text in r#"[$(){}`'"\\<>|&; \nEa=-]{0,80}"#) {
        let _ = scan(&text);
    }
}

#[test]
fn a_command_says_in_which_subshells_it_runs() {
    let script = scan("(a; b) && c | d; e & x=$(f; (g)) h");
    let shells: Vec<_> = script
        .commands
        .iter()
        .map(|one| (one.words.last().unwrap().text.as_str(), one.subshells.len()))
        .collect();
    assert_eq!(shells[..5], [("a", 1), ("b", 1), ("c", 1), ("d", 0), ("e", 1)]);
    assert_eq!(shells[5..], [("f", 1), ("g", 2), ("h", 0)]);
    assert_eq!(script.commands[0].subshells, script.commands[1].subshells);
    assert_ne!(script.commands[1].subshells, script.commands[2].subshells);
}

#[test]
fn a_keyword_without_its_partner_is_seen() {
    for text in [
        "fi",
        "echo a; fi",
        "if true; then echo a",
        "then echo a",
        "while true; do echo a",
        "echo a; }",
        "x=$(if true; then echo a); echo b",
    ] {
        assert!(scan(text).has_unmatched_keyword(), "{text}");
    }
    for text in [
        "if true; then echo a; elif false; then b; else c; fi",
        "if (cd x); then { a; b; }; fi | cat",
        "for i in a b; do echo $i; done < f",
        "while read -r l; do case $l in a) if x; then y; fi;; *) exit 2;; esac; done",
        "f() { if x; then y; fi; }; f",
        "function f { y; }; f",
        "echo fi done then }",
        "echo 'fi'; x=$(if true; then echo a; fi)",
        "until x; do ! y; done; time z",
        "[[ a == b ]] && { c; }",
        "if x\nthen\n  y\nfi\n",
    ] {
        assert!(!scan(text).has_unmatched_keyword(), "{text}");
    }
}

#[test]
fn the_written_form_of_a_word_keeps_its_quotes() {
    for (text, word, want) in [
        ("'$D'/x.sh --fast", "$D/x.sh", Some("'$D'/x.sh")),
        ("sh \"~/x.sh\";true", "~/x.sh", Some("\"~/x.sh\"")),
        ("python3 $D/x.py", "$D/x.py", Some("$D/x.py")),
        (".qoder\\x.sh", ".qoder\\x.sh", Some(".qoder\\x.sh")),
        ("a\\ b c", "a b", Some("a\\ b")),
        ("'x' && x", "x", None),
        ("echo xy", "x", None),
    ] {
        assert_eq!(crate::shell::raw_word(text, word), want, "{text}");
    }
}
