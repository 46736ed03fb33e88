//! Tests of `history`, `show` and `stats`: events that this process or another one recorded.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{fire, trace, user, with_user_hooks};

fn id(trace: &Value) -> String {
    trace["trace"].as_str().unwrap().to_owned()
}

fn ids(document: &Value) -> Vec<String> {
    document["traces"].as_array().unwrap().iter().map(id).collect()
}

#[test]
fn what_was_fired_is_listed_newest_first() {
    let sandbox =
        with_user_hooks("stop:\n  - command: 'exit 0'\n  - {command: 'exit 1'}\n  - {command: 'exit 0', timeout: x}\n");
    let mut fired: Vec<String> = (0..3)
        .map(|_| id(&trace(&sandbox, "stop", &json!({"user_input": "make it blue"}))))
        .collect();
    fired.reverse();
    let document = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(ids(&document), fired);
    let row = &document["traces"][0];
    assert_eq!(row["outcomes"], json!(["no_opinion", "failed_open", "skipped"]));
    for absent in ["steps", "payload_before", "payload_after", "reply"] {
        assert!(row.get(absent).is_none(), "{absent} is no part of a row");
    }
    assert_eq!(row["verdict"]["kind"], "proceed");
    assert_eq!(document["next"], Value::Null);
}

#[test]
fn a_query_lists_the_matching_events_page_by_page() {
    let sandbox = with_user_hooks("pre_tool_execution:\n  - command: 'echo needle-in-stderr >&2; exit 0'\n");
    let call = |tool: &str| {
        let payload = json!({"tool_name": tool, "tool_arguments": "{\"path\": \"a b\"}"});
        id(&trace(&sandbox, "pre_tool_execution", &payload))
    };
    let (bash, edit, stop) = (call("Bash"), call("Edit"), id(&trace(&sandbox, "stop", &json!({}))));
    let run = |query: &str, more: &[&str]| {
        let args = ["history", "--json", "--query", query];
        sandbox.run(args.iter().chain(more)).assert_exit(0).json()
    };
    let found = |query: &str| ids(&run(query, &[]));
    assert_eq!(found("tool:Bash"), vec![bash.clone()]);
    assert_eq!(found("-tool:bash"), [stop.clone(), edit.clone()]);
    assert_eq!(found("event:pre-tool-execution"), [edit.clone(), bash.clone()]);
    assert_eq!(found("event:pre* tool:E*"), vec![edit.clone()]);
    assert_eq!(found("text:NEEDLE"), [edit.clone(), bash.clone()]);
    assert_eq!(
        found("\"a b\" since:1h outcome:no_opinion,denied"),
        [edit.clone(), bash.clone()]
    );
    assert_eq!(
        found("hook:jcli:user:pre_tool_execution:0 verdict:proceed"),
        [edit.clone(), bash.clone()]
    );
    assert_eq!(found("-event:stop dur:<1d"), [edit.clone(), bash.clone()]);
    assert_eq!(found("agent:*"), Vec::<String>::new());

    let first = run("text:needle", &["--limit", "1"]);
    assert_eq!(ids(&first), [edit]);
    let cursor = first["next"].as_str().unwrap();
    let second = run("text:needle", &["--limit", "1", "--after", cursor]);
    assert_eq!((ids(&second), &second["next"]), (vec![bash], &Value::Null));

    sandbox
        .run(["history", "--query", "tool:None"])
        .assert_exit(0)
        .assert_output("No recorded event matches the query.\n");
    let refused = sandbox.run(["history", "--query", "event:stop evnt:x"]).assert_exit(1);
    assert!(
        refused.stderr.contains("unknown key `evnt:` at character 12"),
        "{}",
        refused.stderr
    );
}

#[test]
fn pages_follow_one_another_while_newer_traces_come_in() {
    let sandbox = Sandbox::new();
    let mut fired: Vec<String> = (0..5).map(|_| id(&trace(&sandbox, "stop", &json!({})))).collect();
    fired.reverse();
    let first = sandbox.run(["history", "--json", "--limit", "2"]).assert_exit(0).json();
    trace(&sandbox, "stop", &json!({}));
    let cursor = first["next"].as_str().unwrap().to_owned();
    let second = sandbox
        .run(["history", "--json", "--limit", "2", "--after", &cursor])
        .assert_exit(0)
        .json();
    let cursor = second["next"].as_str().unwrap().to_owned();
    let third = sandbox
        .run(["history", "--json", "--limit", "2", "--after", &cursor])
        .assert_exit(0)
        .json();
    assert_eq!([ids(&first), ids(&second), ids(&third)].concat(), fired);
    assert_eq!(third["next"], Value::Null);
    sandbox
        .run(["history", "--after", "no-cursor"])
        .assert_exit(1)
        .assert_stderr("no-cursor");
}

#[test]
fn a_trace_is_shown_as_it_was_printed() {
    let sandbox = with_user_hooks("stop:\n  - command: 'echo ''{\"retry_feedback\": \"again\"}'''\n");
    let printed = fire(&sandbox, "stop", &json!({"user_input": "x"}), &[])
        .assert_exit(2)
        .json();
    let id = id(&printed);
    assert_eq!(sandbox.run(["show", &id, "--json"]).assert_exit(0).json(), printed);
    assert_eq!(
        sandbox.run(["show", &id[..20], "--json"]).assert_exit(0).json(),
        printed,
        "a unique beginning is enough"
    );
    sandbox
        .run(["show", &id])
        .assert_exit(0)
        .assert_output("retry")
        .assert_output("again");
    sandbox
        .run(["show", "01ARZ3NDEKTSV4RRFFQ69G5FAV"])
        .assert_exit(1)
        .assert_stderr("01ARZ3NDEKTSV4RRFFQ69G5FAV");
}

#[test]
fn without_recorded_events_the_history_is_empty() {
    let sandbox = Sandbox::new();
    assert_eq!(
        sandbox.run(["history", "--json"]).assert_exit(0).json(),
        json!({"traces": [], "next": null})
    );
    assert_eq!(
        sandbox.run(["stats", "--json"]).assert_exit(0).json()["hooks"],
        json!([])
    );
    sandbox
        .run(["history"])
        .assert_exit(0)
        .assert_output("No events recorded");
    let root = sandbox.path("");
    let mut names: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["home", "project", "run"], "reading creates nothing");
}

#[test]
fn the_metrics_of_a_hook_join_all_its_definitions() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'exit 0', timeout: 5}\n");
    let versions = |trace: &Value| trace["steps"][0]["version"].as_str().unwrap().to_owned();
    let old = versions(&trace(&sandbox, "stop", &json!({})));
    user(&sandbox, "stop:\n  - {command: 'exit 0', timeout: 6} # longer\n");
    let new = versions(&trace(&sandbox, "stop", &json!({})));
    user(
        &sandbox,
        "stop:\n  # moved, and nothing else\n  - {timeout: 6, command: 'exit 0'}\n",
    );
    assert_eq!(versions(&trace(&sandbox, "stop", &json!({}))), new);
    let document = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    let rows = document["hooks"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[0]["runs"], &rows[0]["version"]),
        (1, &json!(3), &json!(new))
    );
    let versions: Vec<&Value> = rows[0]["versions"].as_array().unwrap().iter().collect();
    let definitions: Vec<&Value> = versions.iter().map(|version| &version["definition"]).collect();
    assert_eq!(definitions, [&json!(old), &json!(new)]);
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(listed["hooks"][0]["version"], new.as_str());
}

#[test]
fn the_metrics_of_a_projects_hook_join_all_its_definitions_wherever_they_are_asked_for() {
    let sandbox = Sandbox::new();
    for timeout in [5, 6] {
        crate::jcli::project(
            &sandbox,
            &format!("stop:\n  - {{command: 'exit 0', timeout: {timeout}}}\n"),
        );
        fire(&sandbox, "stop", &json!({}), &["--trust"]);
    }
    let uid = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0]["uid"].clone();
    let elsewhere = sandbox.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for project in [sandbox.project().to_owned(), elsewhere] {
        let args = ["--project", project.to_str().unwrap(), "stats", "--json"];
        let document = sandbox.run(args).assert_exit(0).json();
        let rows = document["hooks"].as_array().unwrap();
        assert_eq!(
            (rows.len(), &rows[0]["uid"], &rows[0]["runs"]),
            (1, &uid, &json!(2)),
            "{document:#}"
        );
        assert_eq!(rows[0]["versions"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn stats_of_less_than_a_minute_are_refused() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["stats", "--since", "59s"])
        .assert_exit(1)
        .assert_stderr("by the minute");
    sandbox.run(["stats", "--since", "60s"]).assert_exit(0);
}

#[test]
fn stats_count_attempts_as_jcli_does() {
    let sandbox = with_user_hooks(
        "pre_tool_execution:\n  - {command: 'test -e again || { touch again; exit 1; }', retry: 1}\n  - {command: 'exit 0', filter: {tool_name: Other}}\n  - {command: 'sleep 9', timeout: 1}\n",
    );
    trace(&sandbox, "pre_tool_execution", &json!({"tool_name": "Bash"}));
    let document = sandbox.run(["stats", "--json", "--since", "1h"]).assert_exit(0).json();
    let row = |hook: &str| {
        let rows = document["hooks"].as_array().unwrap();
        rows.iter()
            .find(|row| row["hook"] == hook)
            .unwrap_or_else(|| panic!("no {hook} in {document:#}"))
    };
    let first = row("jcli:user:pre_tool_execution:0");
    assert_eq!(
        (&first["runs"], &first["attempts"], &first["project"]),
        (&json!(1), &json!(2), &Value::Null)
    );
    let native =
        |row: &Value| ["executions", "successes", "failures", "skipped"].map(|name| row["native"][name].as_u64());
    assert_eq!(native(first), [Some(2), Some(1), Some(1), Some(0)]);
    assert_eq!(
        native(row("jcli:user:pre_tool_execution:1")),
        [Some(0), Some(0), Some(0), Some(1)]
    );
    let third = row("jcli:user:pre_tool_execution:2");
    assert_eq!(native(third), [Some(1), Some(0), Some(1), Some(0)]);
    assert_eq!(
        (&third["timeouts"], &third["outcomes"]["timed_out_open"]),
        (&json!(1), &json!(1))
    );
    assert!(third["max_ms"].as_f64().is_some_and(|ms| ms >= 1000.0), "{third:#}");
    sandbox
        .run(["stats", "--since", "soon"])
        .assert_exit(1)
        .assert_stderr("soon");
}

#[test]
fn stats_of_a_period_add_up_and_say_what_of_the_time_limit_is_used() {
    // A limit of which a run takes less than 1 % on the slowest machine too.
    let sandbox = with_user_hooks(
        "stop:\n  - {command: 'exit 0', timeout: 3600}\n  - {command: 'exit 2', timeout: 3600, on_error: abort}\n",
    );
    for _ in 0..3 {
        fire(&sandbox, "stop", &json!({}), &[]);
    }
    let stats = |args: &[&str]| {
        let all: Vec<&str> = ["stats", "--json"].iter().chain(args).copied().collect();
        sandbox.run(all).assert_exit(0).json()
    };
    let plain = stats(&[]);
    assert_eq!(
        (plain.get("series"), plain.get("until"), plain.get("counted_from")),
        (None, None, None)
    );
    let row = |n: usize| &plain["hooks"][n];
    assert_eq!(
        ["runs", "failed", "failure_rate", "timeout_ms", "on_failure", "tokens"].map(|field| row(0)[field].clone()),
        [
            json!(3),
            json!(0),
            json!(0.0),
            json!(3_600_000),
            json!("open"),
            Value::Null
        ]
    );
    let share = row(0)["p95_ms"].as_f64().unwrap() / 3_600_000.0;
    assert!((row(0)["budget"].as_f64().unwrap() - share).abs() < 1e-9);
    assert_eq!(
        (&row(1)["failed"], &row(1)["blocked"], &row(1)["block_rate"]),
        (&json!(3), &json!(3), &json!(1.0))
    );

    for range in ["15m", "24h", "90d"] {
        let over_time = stats(&["--since", range, "--series"]);
        let buckets = over_time["series"]["buckets"].as_array().unwrap();
        let sum = |outcome: &str| -> u64 { buckets.iter().filter_map(|one| one["outcomes"][outcome].as_u64()).sum() };
        assert_eq!((sum("no_opinion"), sum("failed_closed")), (3, 3), "{range}");
        let series = over_time["hooks"][0]["p95_series"].as_array().unwrap();
        assert_eq!(series.len(), buckets.len(), "{range}");
    }
    let hooks = |args: &[&str]| stats(args)["hooks"].as_array().unwrap().len();
    assert_eq!(hooks(&["--hook", "jcli:user:stop:1"]), 1);
    assert_eq!(hooks(&["--dialect", "qoder"]), 0);
    assert_eq!(hooks(&["--agent", "nobody"]), 0);
    assert_eq!(hooks(&["--since", "2h", "--until", "1h"]), 0);
    assert_eq!(
        hooks(&["--only-project"]),
        2,
        "hooks of the user belong to every project"
    );
    sandbox
        .run(["stats"])
        .assert_exit(0)
        .assert_output("of limit")
        .assert_output("<1%");
    sandbox
        .run(["stats", "--session", "none"])
        .assert_exit(0)
        .assert_output("No hook with these filters");
    sandbox
        .run(["stats", "--until", "soon"])
        .assert_exit(1)
        .assert_stderr("soon");
    sandbox
        .run(["stats", "--dialect", "quoder"])
        .assert_exit(1)
        .assert_stderr("unknown hook system quoder");
}

#[test]
fn an_edit_of_the_period_is_marked_in_the_stats_over_time() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'exit 0', timeout: 5}\n");
    fire(&sandbox, "stop", &json!({}), &[]);
    sandbox
        .run(["edit", "jcli:user:stop:0", "--set", "timeout=6"])
        .assert_exit(0);
    let edits = |args: &[&str]| {
        let all: Vec<&str> = ["stats", "--json", "--series"].iter().chain(args).copied().collect();
        sandbox.run(all).assert_exit(0).json()["series"]["edits"].clone()
    };
    let marked = edits(&[]);
    assert_eq!(
        (marked.as_array().map(Vec::len), &marked[0]["hook"]),
        (Some(1), &json!("jcli:user:stop:0")),
        "{marked:#}"
    );
    assert_eq!(edits(&["--since", "2h", "--until", "1h"]), json!([]));
    let stats = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    assert_eq!(stats["hooks"][0]["timeout_ms"], 6000, "it is the same hook: {stats:#}");
}

#[test]
fn many_processes_may_record_at_once() {
    let sandbox = Sandbox::new();
    let fired = std::thread::scope(|scope| {
        let fire = |_| {
            scope.spawn(|| {
                (0..4)
                    .map(|_| id(&trace(&sandbox, "stop", &json!({}))))
                    .collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..4).map(fire).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    let mut listed = ids(&sandbox.run(["history", "--json"]).assert_exit(0).json());
    let mut fired = fired;
    fired.sort();
    listed.sort();
    assert_eq!(listed, fired);
}

#[test]
fn app_files_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    trace(&sandbox, "stop", &json!({}));
    let mode = |path: std::path::PathBuf| std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(sandbox.data()), 0o700);
    assert_eq!(mode(sandbox.data().join("history.db")), 0o600);
}

#[test]
fn a_payload_of_the_greatest_allowed_depth_is_stored() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let payload = format!("{{\"deep\": {}{}}}", "[".repeat(126), "]".repeat(126));
    let args = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--json",
        "--payload",
        "-",
    ];
    let fired = sandbox.run_with(payload, args).assert_exit(0).stdout;
    let row = sandbox.run(["history", "--json"]).assert_exit(0).json()["traces"][0].clone();
    let shown = sandbox
        .run(["show", row["trace"].as_str().unwrap(), "--json"])
        .assert_exit(0)
        .stdout;
    assert_eq!(fired, shown);
}
