use super::*;

fn plain(command: &str) -> Vec<String> {
    split(command).words.iter().map(Word::written).collect()
}

#[test]
fn words_are_split_as_the_shell_does() {
    assert_eq!(
        plain("python3 guard.py; cat 'a b' | ./x.sh"),
        ["python3", "guard.py", "cat", "a b", "./x.sh"]
    );
    assert_eq!(plain(r#"a"b c"d \  'e'"f""#), ["ab cd", " ", "ef"]);
    assert_eq!(plain("run # not this\nthat"), ["run", "that"]);
    assert_eq!(plain("x y>out<in 2>&1"), ["x", "y", "out", "in", "2", "1"]);
}

#[test]
fn variables_and_substitutions_stand_apart() {
    let words = split(r#"x "$JCLI_CWD"/x.sh ${HOME:-/tmp}/y $(pwd)/z ~/a `b c` '$JCLI_CWD/no'"#).words;
    let variable = |name: &str, rest: &str| [Piece::Variable(name.into()), Piece::Text(rest.into())];
    assert_eq!(words[1].pieces, variable("JCLI_CWD", "/x.sh"));
    assert_eq!(words[2].pieces, variable("HOME", "/y"));
    assert_eq!(
        words[3].pieces,
        [Piece::Opaque("$(pwd)".into()), Piece::Text("/z".into())]
    );
    assert_eq!(words[4].pieces, [Piece::Home, Piece::Text("/a".into())]);
    assert_eq!(words[5].pieces, [Piece::Opaque("`b c`".into())]);
    assert_eq!(words[6].pieces, [Piece::Text("$JCLI_CWD/no".into())]);
}

#[test]
fn assignments_and_options_give_their_value() {
    let split = split("A=./a.sh B=\"$JCLI_CWD/b\" python3 --config=c.json x=~/d");
    let words: Vec<_> = split.words.iter().map(|word| (word.written(), word.role)).collect();
    assert_eq!(
        words,
        [
            ("./a.sh".to_owned(), Role::Value),
            ("$JCLI_CWD/b".to_owned(), Role::Value),
            ("python3".to_owned(), Role::Program),
            ("c.json".to_owned(), Role::Value),
            ("~/d".to_owned(), Role::Value),
        ]
    );
    assert!(split.sets.contains("A") && split.sets.contains("B"));
}

#[test]
fn words_that_may_be_run_are_told_from_words_that_are_read() {
    let roles = |command: &str| -> Vec<Role> { split(command).words.iter().map(|word| word.role).collect() };
    for runs in [
        "sh x",
        "/usr/bin/python3.12 x",
        "node x",
        "env x",
        "$TOOL x",
        ". x",
        "sudo x",
    ] {
        assert_eq!(roles(runs), [Role::Program, Role::Run], "{runs}");
    }
    for reads in ["git status", "cat x", "pythonic x"] {
        assert_eq!(roles(reads), [Role::Program, Role::Argument], "{reads}");
    }
}

#[test]
fn commands_in_commands_are_split_too() {
    for command in [
        "sh -c 'python3 in.py'",
        "exec /bin/bash -lc \"python3 in.py\"",
        "eval 'python3 in.py'",
        "x=$(python3 in.py)",
        "echo \"`python3 in.py`\"",
        "echo ${X:-$(python3 in.py)}",
        "cat <<END\n$(python3 in.py)\nEND",
        "sh <<'END'\npython3 in.py\nEND",
    ] {
        assert!(plain(command).contains(&"in.py".to_owned()), "{command}");
    }
}

#[test]
fn the_body_of_a_here_document_is_no_command() {
    let command = "cat <<END\ndon't in.py\nEND\n./after.sh";
    assert_eq!(plain(command), ["cat", "./after.sh"]);
    assert_eq!(
        plain("cat <<-'E N'; ./x.sh\n\t$(a)\n\tE N\n./y.sh"),
        ["cat", "./x.sh", "./y.sh"]
    );
    assert_eq!(plain("cat <<'END'\n$(python3 in.py)\nEND"), ["cat"]);
}

#[test]
fn quotes_in_a_substitution_do_not_end_it() {
    assert_eq!(plain("a $(echo ')' \")\") ./x.sh").get(2), Some(&"./x.sh".to_owned()));
    assert_eq!(plain("a \"${X:-it's}\" ./x.sh"), ["a", "$X", "./x.sh"]);
}

#[test]
fn unclosed_quotes_and_brackets_end_with_the_text() {
    for text in [
        "'abc", "\"abc", "$(abc", "${abc", "`abc", "\\", "$", "<<", "<<E", "$(\\", "`\\", "${", "$(",
    ] {
        let _ = split(text);
    }
}

#[test]
fn commands_nested_without_end_are_followed_only_so_far() {
    let _ = split(&"$(".repeat(20_000));
    let _ = split(&"eval ".repeat(2_000));
}

#[test]
fn a_command_in_a_word_is_followed_though_it_begins_with_an_assignment() {
    for command in [
        "sh -c 'DEBUG=1 exec ./run.sh'",
        "bash -c 'DEBUG=1 ./run.sh'",
        "env A=1 sh -c 'B=2 ./run.sh'",
        "eval 'DEBUG=1 ./run.sh'",
        "trap 'X=1 ./run.sh' EXIT",
        "flock lock -c 'X=1 ./run.sh'",
    ] {
        assert!(plain(command).contains(&"./run.sh".to_owned()), "{command}");
    }
    let unknown = split("sh -c 'X=./run.sh; exec $X'");
    let written: Vec<String> = unknown.words.iter().map(Word::written).collect();
    assert!(
        written.contains(&"./run.sh".to_owned()) && written.contains(&"$X".to_owned()),
        "{written:?}"
    );
}
