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
