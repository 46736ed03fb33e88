use super::*;

fn now() -> Timestamp {
    "2026-11-23T12:00:00Z".parse().unwrap()
}

fn trace() -> Trace {
    let mut trace = hookwright_testkit::trace_with_verdict("before_tool", VerdictKind::Deny);
    trace.dialect = "agent-hooks".to_owned();
    trace.session = Some("s-1".to_owned());
    trace.agent = Some("kimi-cli".to_owned());
    trace.project = Some("/home/me/My Project".to_owned());
    trace.at = "2026-11-23T11:00:00Z".parse().unwrap();
    trace.took_ms = 600.0;
    let payload = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf \"Build\""}});
    trace.payload_before = std::sync::Arc::new(payload.as_object().unwrap().clone());
    trace
}

fn matches(query: &str, trace: &Trace) -> bool {
    let query = Query::parse(query, now()).unwrap_or_else(|message| panic!("{query}: {}", message.text));
    query.matches_row(&crate::history_store::row(trace)) && query.matches_trace(trace)
}

#[test]
fn every_key_holds_and_is_negated() {
    let trace = trace();
    for word in [
        "event:before_tool",
        "event:before-tool",
        "event:before*",
        "event:*_tool",
        "event:*for*",
        "event:x,before_tool",
        "dialect:agent_hooks",
        "tool:Bash",
        "tool:b*",
        "verdict:deny",
        "verdict:ask,deny",
        "verdict:d*",
        "agent:kimi-cli",
        "session:s-1",
        "project:\"/home/me/My Project\"",
        "project:*project",
        "origin:test",
        "dur:>500ms",
        "dur:<1s",
        "since:2h",
        "text:rf",
        "text:*RF*",
        "\"rm -rf\"",
        "rm",
        "text:\"rm -rf \"",
        r#"text:"rm -rf \"Build""#,
        "build",
        "event:*",
    ] {
        assert!(matches(word, &trace), "{word}");
        assert!(!matches(&format!("-{word}"), &trace), "-{word}");
    }
    for word in [
        "event:before",
        "event:after_tool",
        "dialect:jcli",
        "tool:Ba",
        "verdict:ask",
        "agent:kimi",
        "session:s-2",
        "project:/home/me",
        "origin:window",
        "dur:>600ms",
        "dur:<600ms",
        "since:30m",
        "text:cargo",
        "\"rm  -rf\"",
        "outcome:denied",
    ] {
        assert!(!matches(word, &trace), "{word}");
        assert!(matches(&format!("-{word}"), &trace), "-{word}");
    }
}

#[test]
fn all_words_must_hold_and_no_word_always_holds() {
    let trace = trace();
    assert!(matches("", &trace) && matches("  ", &trace));
    assert!(matches("event:before_tool -tool:Edit  dur:>1ms", &trace));
    assert!(!matches("event:before_tool tool:Edit", &trace));
}

#[test]
fn in_quotes_a_backslash_stands_before_a_quote_and_before_a_backslash() {
    let texts = |query: &str| super::words::split(query).unwrap()[0].written_value();
    for (query, text) in [
        (r#"text:"\\""#, r"\"),
        (r#"text:"a\\b \\""#, r"a\b \"),
        (r#"text:"say \"no\"""#, r#"say "no""#),
        (r#"text:"C:\new""#, r"C:\new"),
        (r"text:\", r"\"),
    ] {
        assert_eq!(texts(query), text, "{query}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error_that_says_where() {
    for (query, code, at) in [
        ("tool:Bash evnt:x", "query_unknown_key", 11),
        ("event:", "query_no_value", 1),
        ("a -event:\"\"", "query_no_value", 4),
        ("verdict:denied", "query_unknown_value", 9),
        ("outcome:denied,nope", "query_unknown_value", 16),
        ("-evnt:x", "query_unknown_key", 2),
        ("x outcome:nope*", "query_unknown_value", 11),
        ("origin:me", "query_unknown_value", 8),
        ("dur:500ms", "query_bad_duration", 5),
        ("dur:>5", "query_bad_duration", 5),
        ("dur:<999999999999d", "query_bad_duration", 5),
        ("dur:>1s,<5s", "query_bad_duration", 5),
        ("since:soon", "query_bad_period", 7),
        ("since:2", "query_bad_period", 7),
        ("since:999999999999d", "query_bad_period", 7),
        ("text:\"a b", "query_open_quote", 6),
        ("http://x", "query_unknown_key", 1),
    ] {
        let message = Query::parse(query, now()).expect_err(query);
        assert_eq!(
            (message.code, &message.args["at"]),
            (code, &serde_json::json!(at)),
            "{query}"
        );
    }
}

#[test]
fn the_store_answers_what_it_can() {
    let query = Query::parse(
        "dialect:agent_hooks verdict:deny outcome:denied,asked since:2h -since:1h x",
        now(),
    )
    .unwrap();
    let filter = query.filter();
    assert_eq!(filter.dialect.as_deref(), Some("agent-hooks"));
    assert_eq!((filter.verdict, filter.outcome), (Some(VerdictKind::Deny), None));
    assert_eq!(filter.since, Some("2026-11-23T10:00:00Z".parse().unwrap()));
    assert!(query.needs_trace());
    assert!(!Query::parse("verdict:deny dur:>1s", now()).unwrap().needs_trace());
}
