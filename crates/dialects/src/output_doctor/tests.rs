use std::path::Path;

use hookwright_model::FixChange;

use super::*;

const INPUT: &str = r#"{"event": "e", "tool_name": "Bash"}"#;

fn subject<'a>(stdout: &'a str, use_of_stdout: OutputUse) -> OutputSubject<'a> {
    OutputSubject {
        stdin: INPUT,
        stdout,
        stderr: "",
        command: &[],
        fields: &["action", "reason"],
        use_of_stdout,
    }
}

/// The codes of a rejected output, each with the bytes that are marked.
fn found(stdout: &str) -> Vec<(String, Vec<&str>)> {
    let problems = examine(&subject(stdout, OutputUse::Rejected));
    let with_text = |problem: OutputProblem| {
        let marked = problem
            .marks
            .iter()
            .map(|mark| &stdout[mark.start as usize..mark.end as usize])
            .collect();
        (problem.code, marked)
    };
    problems.into_iter().map(with_text).collect()
}

fn one<'a>(code: &str, marked: &[&'a str]) -> Vec<(String, Vec<&'a str>)> {
    vec![(code.to_owned(), marked.to_vec())]
}

#[test]
fn each_pollution_is_named_and_its_bytes_are_marked() {
    assert_eq!(
        found("Welcome to host\n{\"action\": \"stop\"}\n"),
        one("output_text_before", &["Welcome to host"])
    );
    assert_eq!(
        found("{\"action\": \"stop\"}\ndone in 3 ms\n"),
        one("output_text_after", &["done in 3 ms"])
    );
    assert_eq!(
        found("{\"action\": \"stop\"}\n{\"reason\": \"x\"}"),
        one("output_several_objects", &["{\"reason\": \"x\"}"])
    );
    assert_eq!(
        found("\u{feff}{\"action\": \"stop\"}"),
        one("output_byte_order_mark", &["\u{feff}"])
    );
    assert_eq!(
        found("\u{1b}[32m{\"action\": \"stop\"}\u{1b}[0m\n"),
        one("output_colours", &["\u{1b}[32m", "\u{1b}[0m"])
    );
    assert_eq!(
        found("{\"action\": \"stop\", \"reason\": \"be"),
        one("output_cut_off", &["\", \"reason\": \"be"])
    );
    assert_eq!(
        found("```json\n{\"action\": \"stop\"}\n```\n"),
        one("output_code_fence", &["```json", "```"])
    );
    assert_eq!(
        found("{'action': 'stop'}\n"),
        one("output_python_dictionary", &["{'action': 'stop'}"])
    );
    assert_eq!(
        found("no json\r\nat all\r\n"),
        one("output_carriage_returns", &["\r", "\r"])
    );
    assert_eq!(found(INPUT), one("output_echo", &[INPUT]));
    assert_eq!(
        found(&format!("{INPUT}\n{{\"action\": \"stop\"}}"))[0].0,
        "output_echo",
        "an echo before the output is no second output"
    );
}

#[test]
fn a_mistake_in_an_object_is_named_with_its_place() {
    let one_problem = |stdout: &str| {
        let mut problems = examine(&subject(stdout, OutputUse::Rejected));
        assert_eq!(problems.len(), 1, "{stdout}: {problems:?}");
        problems.remove(0)
    };
    let comma = one_problem("{\"action\": \"stop\",\n \"reason\": {\"a\": 1},\n}");
    assert_eq!(
        (comma.code.as_str(), &comma.args["case"]),
        ("output_mistake", &"trailing_comma".into())
    );
    assert_eq!((&comma.args["line"], &comma.args["byte"]), (&2.into(), &39.into()));
    assert_eq!(one_problem("{ action: 'stop' }").args["name"], "action");
    assert_eq!(one_problem("[object Object]").code, "output_object_as_text");
    assert_eq!(
        one_problem("\"{\\\"action\\\": \\\"stop\\\"}\"").code,
        "output_encoded_twice"
    );
    let utf_16: String = "{\"action\": \"stop\"}".chars().flat_map(|sign| [sign, '\0']).collect();
    assert_eq!(one_problem(&utf_16).code, "output_utf_16");
}

#[test]
fn text_before_a_broken_object_is_named_beside_its_mistake() {
    let problems = examine(&subject("Decision: {action: stop}", OutputUse::Rejected));
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["output_text_before", "output_mistake"]);
    let log = "config {a: 1}\n{\"action\": \"stop\"}";
    assert_eq!(found(log), one("output_text_before", &["config {a: 1}"]));
}

#[test]
fn a_broken_object_in_plain_text_counts_if_it_has_a_field_of_the_event() {
    for use_of_stdout in [OutputUse::Ignored, OutputUse::Used] {
        let broken = examine(&subject("{action: stop}", use_of_stdout));
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert_eq!(examine(&subject("body { color: red }", use_of_stdout)), []);
    }
}

#[test]
fn several_pollutions_of_one_output_are_all_named() {
    let codes: Vec<String> = found("\u{feff}\u{1b}[1mhi\u{1b}[0m {\"action\": \"stop\"} bye")
        .into_iter()
        .map(|(code, _)| code)
        .collect();
    assert_eq!(
        codes,
        [
            "output_byte_order_mark",
            "output_colours",
            "output_text_before",
            "output_text_after"
        ]
    );
}

#[test]
fn an_object_on_stderr_is_found_if_it_has_a_field_of_the_event() {
    let mut wrong = subject("", OutputUse::Used);
    wrong.stderr = "log\n{\"action\": \"stop\"}\n";
    let problems = examine(&wrong);
    assert_eq!(problems[0].code, "output_on_stderr");
    assert_eq!((problems[0].marks[0].start, problems[0].marks[0].end), (4, 22));
    wrong.stderr = "{\"level\": \"info\"}";
    assert_eq!(examine(&wrong), []);
}

#[test]
fn a_good_output_and_plain_text_have_no_problem() {
    for text in [
        "{\"action\": \"stop\"}\r\n",
        "plain text",
        "see {\"name\": \"package\"} there",
        "\u{1b}[1mplain\u{1b}[0m",
        "\u{feff}{\"action\": \"stop\"}",
        INPUT,
        "",
    ] {
        assert_eq!(examine(&subject(text, OutputUse::Used)), [], "{text:?}");
    }
    assert_eq!(examine(&subject("formatted 3 files\r\n", OutputUse::Ignored)), []);
}

#[test]
fn a_decision_that_became_plain_text_is_found() {
    let problems = examine(&subject("nvm: using node 22\n{\"action\": \"stop\"}", OutputUse::Used));
    assert_eq!(problems[0].code, "output_text_before");
}

#[test]
fn a_login_shell_is_named_as_the_likely_source_of_a_banner() {
    let command = ["bash".to_owned(), "-lc".to_owned(), "guard.sh".to_owned()];
    let mut banner = subject("hi\n{\"action\": \"stop\"}", OutputUse::Rejected);
    banner.command = &command;
    assert!(examine(&banner)[0].hint.as_ref().unwrap().contains("`-lc`"));
}

#[test]
fn any_text_is_examined_without_failing() {
    for text in ["{", "{\"", "}{", "{}{}{", "```{}", "é{\"é", "\u{feff}", "{'", "\r\n"] {
        for use_of_stdout in [OutputUse::Rejected, OutputUse::Ignored, OutputUse::Used] {
            let mut any = subject(text, use_of_stdout);
            any.stderr = text;
            let problems = examine(&any);
            assert!(problems.len() <= 16, "{text:?}: {problems:?}");
        }
    }
}

/// Where the first problem of a rejected output comes from, in one script and the file with the definition.
fn origin_in(script: &str, stdout: &str) -> Option<OutputOrigin> {
    let problems = examine(&subject(stdout, OutputUse::Rejected));
    let texts = [
        HookText {
            path: Path::new("/p/hooks.yaml"),
            text: "stop:\n  - command: ./guard.sh\n",
            is_script: false,
        },
        HookText {
            path: Path::new("/p/guard.sh"),
            text: script,
            is_script: true,
        },
    ];
    origin(&problems[0], stdout, &texts)
}

fn line_and_fix(script: &str, stdout: &str) -> (Option<u32>, Option<FixChange>) {
    let origin = origin_in(script, stdout).expect("one script");
    assert_eq!(origin.path, Path::new("/p/guard.sh"));
    (origin.line, origin.fixes.into_iter().next().map(|fix| fix.change))
}

#[test]
fn a_comma_with_nothing_after_it_is_removed_where_it_is_written() {
    let text = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        Some(FixChange::LineText { line: 3, from, to })
    };
    let stdout = "{\"action\": \"stop\",}\n";
    assert_eq!(
        line_and_fix(
            "#!/bin/sh\n# {\"action\": \"stop\",}\necho '{\"action\": \"stop\",}'\n",
            stdout
        ),
        (Some(3), text("{\"action\": \"stop\",}", "{\"action\": \"stop\"}"))
    );
    // In double quotes, behind a variable.
    let script = "#!/bin/sh\nx=$1\necho \"{\\\"reason\\\": \\\"$x\\\", \\\"action\\\": \\\"stop\\\",}\"\n";
    let found = line_and_fix(script, "{\"reason\": \"no rm here\", \"action\": \"stop\",}\n");
    let removed = matches!(&found.1, Some(FixChange::LineText { line: 3, from, to })
        if from.ends_with("stop\\\",}") && to.ends_with("stop\\\"}") && script.contains(from.as_str()));
    assert!(found.0 == Some(3) && removed, "{found:?}");
}

#[test]
fn words_of_python_are_corrected_in_shell_scripts_only() {
    let stdout = "{\"action\": None}\n";
    let (line, fix) = line_and_fix("#!/bin/sh\necho '{\"action\": None}'\n", stdout);
    assert!(
        line == Some(2) && matches!(&fix, Some(FixChange::LineText { to, .. }) if to == "{\"action\": null}"),
        "{fix:?}"
    );
    let python = "#!/usr/bin/env python3\nprint('{\"action\": None}')\n";
    assert_eq!(line_and_fix(python, stdout), (Some(2), None));
}

#[test]
fn printed_text_before_the_object_goes_to_stderr() {
    let object = "echo '{\"action\": \"stop\"}'";
    let stdout = "checking the call\nstill checking\n{\"action\": \"stop\"}\n";
    let script = format!("#!/bin/sh\necho checking the call\nprintf '%s\\n' 'still checking'\n{object}\n");
    assert_eq!(
        line_and_fix(&script, stdout),
        (Some(2), Some(FixChange::ToStderr { lines: vec![2, 3] }))
    );
    for written in [
        // Not alone on its line, or in another language.
        "#!/bin/sh\n[ -t 1 ] || echo checking the call\n",
        "#!/bin/sh\necho checking the call | cat\n",
        "#!/bin/sh\necho >&2 checking the call\n",
        "#!/usr/bin/env node\nconsole.log('checking the call')\n",
    ] {
        assert_eq!(
            line_and_fix(written, "checking the call\n{\"action\": \"stop\"}\n"),
            (Some(2), None),
            "{written}"
        );
    }
}

#[test]
fn an_origin_that_is_not_certain_is_not_named() {
    let twice = "#!/bin/sh\nif true; then echo '{action: 1}'; fi\necho '{action: 1}'\n";
    assert_eq!(line_and_fix(twice, "{action: 1}\n"), (None, None));
    let computed = "#!/bin/sh\ncat answer\n";
    assert_eq!(line_and_fix(computed, "{action: 1}\n"), (None, None));
    let problems = examine(&subject("{action: 1}\n", OutputUse::Rejected));
    assert_eq!(origin(&problems[0], "{action: 1}\n", &[]), None);
}

#[test]
fn what_stands_in_the_definition_is_found_there() {
    let stdout = "{action: 'stop'}\n";
    let problems = examine(&subject(stdout, OutputUse::Rejected));
    let texts = [HookText {
        path: Path::new("/p/settings.json"),
        text: "{\n  \"command\": \"echo \\\"{action: 'stop'}\\\"\"\n}\n",
        is_script: false,
    }];
    let found = origin(&problems[0], stdout, &texts).map(|origin| (origin.line, origin.fixes));
    assert_eq!(found, Some((Some(2), vec![])));
}

#[test]
fn carriage_returns_of_a_script_are_its_line_endings() {
    let (line, fix) = line_and_fix("#!/bin/sh\r\necho hello\r\n", "hello\r\n");
    assert_eq!((line, fix), (Some(2), Some(FixChange::LineEndings)));
}
