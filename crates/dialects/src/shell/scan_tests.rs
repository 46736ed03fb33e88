use super::*;
use proptest::prelude::*;

fn words(text: &str) -> Vec<Vec<String>> {
    scan(text)
        .commands
        .iter()
        .map(|words| words.iter().map(|word| word.text.clone()).collect())
        .collect()
}

#[track_caller]
fn unset(text: &str) -> Vec<String> {
    let script = scan(text);
    script
        .uses
        .iter()
        .filter(|name| !script.sets.contains(*name))
        .cloned()
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

#[test]
fn signs_that_only_bash_knows_are_seen_outside_of_quotes() {
    assert_eq!(
        scan("[[ -n $A ]] && cat <<< x; diff <(a) b &> c; source f").bashisms,
        ["[[", "<<<", "<(", "&>", "source"]
    );
    assert!(
        scan("echo '[[ <<< &>' \"<(\"; grep '[[:alpha:]]' x 2>&1 > f; a & b")
            .bashisms
            .is_empty()
    );
}

#[test]
fn what_runs_text_that_is_not_here_is_opaque() {
    assert!(scan("eval \"$X\"").opaque && scan(". ./env.sh").opaque && scan("if source x; then a; fi").opaque);
    assert!(!scan("./env.sh").opaque);
}

#[test]
fn substitutions_nested_beyond_measure_are_left_alone() {
    for sign in ["$(", "${a:-", "$((", "`$("] {
        let script = scan(&sign.repeat(4_000));
        assert!(script.opaque || script.uses.len() < 2, "{sign}");
    }
}

proptest! {
    #[test]
    fn any_text_can_be_looked_through(text in r#"[\x00-\x7f中]{0,120}"#) {
        let _ = scan(&text);
    }

    #[test]
    fn any_heap_of_signs_can_be_looked_through(text in r#"[$(){}`'"\\<>|&; \nEa=-]{0,80}"#) {
        let _ = scan(&text);
    }
}
