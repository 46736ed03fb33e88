//! Checks that the case pages of a dialect together cover every event, output, verdict and problem of its tables.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hookwright_model::{Code, Dialect, EventSpec, OutputKind};
use hookwright_testkit::CasePage;
use hookwright_testkit::program::workspace;
use serde_json::Value;

/// The pages that list the others: the rows of the specification, and the generated table of events.
const LISTS: [&str; 2] = ["README.md", "EVENTS.md"];

/// The section of the specification that the generated table of events belongs to.
const EVENT_SECTION: &str = "§3 Events";

fn cases(dialect: &dyn Dialect) -> PathBuf {
    workspace().join("crates/dialects/cases").join(dialect.card().id)
}

fn pages(dialect: &dyn Dialect) -> Vec<CasePage> {
    let entries = std::fs::read_dir(cases(dialect))
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let is_list = |path: &PathBuf| LISTS.iter().any(|list| path.ends_with(list));
    let pages = entries.filter(|path| path.extension().is_some_and(|kind| kind == "md") && !is_list(path));
    pages
        .map(|path| CasePage::open(&path).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// Asserts that `missing` is empty.
#[track_caller]
fn assert_complete(what: &str, missing: Vec<String>) {
    assert!(missing.is_empty(), "no page shows {what}:\n  {}", missing.join("\n  "));
}

fn fires(page: &CasePage, event: &EventSpec) -> bool {
    page.event.as_ref().is_some_and(|fired| fired.name == event.name)
}

/// The keys in the output of a page's hooks, at any depth.
fn output_keys(page: &CasePage) -> BTreeSet<String> {
    fn keys(value: &Value, out: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                out.extend(object.keys().cloned());
                object.values().for_each(|value| keys(value, out));
            }
            Value::Array(items) => items.iter().for_each(|item| keys(item, out)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut out = BTreeSet::new();
    for run in &page.runs {
        let text = &run.ending.stdout;
        let object = text
            .find('{')
            .zip(text.rfind('}'))
            .and_then(|(open, shut)| text.get(open..=shut));
        if let Some(object) = object.and_then(|object| serde_json::from_str(object).ok()) {
            keys(&object, &mut out);
        }
    }
    if page.runs.is_empty() {
        out.extend(reply_keys(page));
    }
    out
}

/// The keys of the reply with a list that is not empty. On a page where no process runs, they are the output of the
/// hooks.
fn reply_keys(page: &CasePage) -> impl Iterator<Item = String> {
    let reply = page.expect["reply"]["json"].as_object().into_iter().flatten();
    let said = reply.filter(|(_, value)| value.as_array().is_some_and(|list| !list.is_empty()));
    said.map(|(name, _)| name.clone())
}

#[test]
fn every_event_is_fired_by_a_page() {
    for dialect in hookwright_dialects::all() {
        let pages = pages(*dialect);
        let unseen = dialect
            .card()
            .events
            .iter()
            .filter(|event| !pages.iter().any(|page| fires(page, event)));
        assert_complete("these events", unseen.map(|event| event.name.to_owned()).collect());
    }
}

#[test]
fn every_output_of_every_event_is_answered_by_a_page() {
    for dialect in hookwright_dialects::all() {
        let pages = pages(*dialect);
        let mut missing = Vec::new();
        for event in dialect.card().events {
            let seen: BTreeSet<String> = pages
                .iter()
                .filter(|page| fires(page, event))
                .flat_map(output_keys)
                .collect();
            let outputs = event
                .outputs
                .iter()
                .filter(|output| output.effect != OutputKind::Control);
            missing.extend(
                outputs
                    .filter(|output| !seen.contains(output.name))
                    .map(|output| format!("{} at {}", output.name, event.name)),
            );
        }
        assert_complete("these outputs", missing);
    }
}

#[test]
fn every_verdict_of_every_event_is_reached_by_a_page() {
    for dialect in hookwright_dialects::all() {
        let pages = pages(*dialect);
        let mut missing = Vec::new();
        for event in dialect.card().events {
            for verdict in event.verdicts {
                let reached =
                    |page: &CasePage| fires(page, event) && page.expect["verdict"]["kind"] == verdict.as_str();
                if !pages.iter().any(reached) {
                    missing.push(format!("{} at {}", verdict.as_str(), event.name));
                }
            }
        }
        assert_complete("these verdicts", missing);
    }
}

/// The key of a message template: `code` or `code.case`.
fn message_key(code: &str, case: Option<&str>) -> String {
    case.map_or_else(|| code.to_owned(), |case| format!("{code}.{case}"))
}

/// The keys of the messages in a list of a page's expectation.
fn expected_keys(messages: &Value) -> impl Iterator<Item = String> {
    let messages = messages.as_array().into_iter().flatten();
    messages.filter_map(|message| Some(message_key(message["code"].as_str()?, message["args"]["case"].as_str())))
}

/// The keys of the problems that a page shows: those of its files, and those that its event reports as notices.
fn problem_keys(dialect: &dyn Dialect, page: &CasePage) -> BTreeSet<String> {
    let of_files = crate::cases::problems_of(dialect.card().id, &page.path)
        .into_iter()
        .map(|problem| message_key(problem.code.as_str(), problem.args.get("case").and_then(Value::as_str)));
    of_files.chain(expected_keys(&page.expect["notices"])).collect()
}

/// The keys of the reasons of a page's steps, and of the parts of answers that they ignored. Some have the code of a
/// problem.
fn reason_keys(page: &CasePage) -> impl Iterator<Item = String> {
    let steps = page.expect["steps"].as_array().into_iter().flatten();
    let ignored = steps.flat_map(|step| expected_keys(&step["ignored"]));
    ignored.chain(expected_keys(&page.expect["steps"]))
}

/// Problems that need a file of an administrator, where no page may write. A test of the dialect has them.
const OF_ADMINISTRATORS: [(&str, &str); 1] = [("claude-code", "no_effect.switched_off")];

#[test]
fn every_problem_of_a_dialect_is_on_one_of_its_pages() {
    let mut missing = Vec::new();
    for (id, templates) in hookwright_dialects::own_messages() {
        let dialect = hookwright_dialects::find(id).expect("it is registered");
        let seen: BTreeSet<String> = pages(dialect)
            .iter()
            .flat_map(|page| problem_keys(dialect, page).into_iter().chain(reason_keys(page)))
            .collect();
        let about_files = templates
            .iter()
            .filter(|template| Code::from_name(template.code).is_some());
        let unseen = about_files
            .map(|template| template.key())
            .filter(|key| !seen.contains(key) && !OF_ADMINISTRATORS.contains(&(id, key.as_str())));
        missing.extend(unseen.map(|key| format!("{id}: {key}")));
    }
    assert_complete("these problems", missing);
}

#[test]
fn every_problem_that_dialects_share_is_on_a_page() {
    let seen: BTreeSet<String> = hookwright_dialects::all()
        .iter()
        .flat_map(|dialect| {
            pages(*dialect)
                .iter()
                .flat_map(|page| problem_keys(*dialect, page))
                .collect::<Vec<_>>()
        })
        .filter_map(|key| key.split('.').next().map(str::to_owned))
        .collect();
    let templates = hookwright_dialects::messages().into_iter();
    let wanted: BTreeSet<&str> = templates
        .filter(|template| Code::from_name(template.code).is_some())
        .map(|template| template.code)
        // A page with a thousand problems would be no page to read.
        .filter(|code| *code != Code::More.as_str())
        .collect();
    let missing = wanted.into_iter().filter(|code| !seen.contains(*code));
    assert_complete("these problems", missing.map(str::to_owned).collect());
}

#[test]
fn the_list_of_rows_and_the_pages_name_each_other() {
    for dialect in hookwright_dialects::all() {
        let cases = cases(*dialect);
        let list = lists(*dialect);
        let links = list
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|link| link.ends_with(".md"));
        let linked: BTreeSet<String> = links.map(|link| link.trim_start_matches("./").to_owned()).collect();
        let missing_files = linked.iter().filter(|link| !cases.join(link).is_file());
        assert_complete("what the lists of cases link to", missing_files.cloned().collect());
        let names = pages(*dialect)
            .into_iter()
            .map(|page| page.path.file_name().unwrap().to_string_lossy().into_owned());
        assert_complete(
            "that a list of cases names it",
            names.filter(|name| !linked.contains(name)).collect(),
        );
    }
}

/// The lists of a dialect's pages as one text.
fn lists(dialect: &dyn Dialect) -> String {
    let read =
        |list| std::fs::read_to_string(cases(dialect).join(list)).unwrap_or_else(|error| panic!("{list}: {error}"));
    LISTS.map(read).concat()
}

/// Rows of the Markdown tables: `(heading above the table, first cell, other cells)`.
fn rows(text: &str) -> Vec<(String, String, String)> {
    let mut heading = String::new();
    let mut out = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            name.clone_into(&mut heading);
        } else if line.starts_with("# Events of ") {
            EVENT_SECTION.clone_into(&mut heading);
        } else if !heading.is_empty()
            && let Some((row, rest)) = line.strip_prefix("| ").and_then(|line| line.split_once(" | "))
        {
            out.push((heading.clone(), row.to_owned(), rest.trim_end_matches(" |").to_owned()));
        }
    }
    out
}

/// Whether a row says where it is tested: it links a page, names a file of tests that exists, or gives one of two reasons.
fn is_answer(cell: &str) -> bool {
    let names_a_test = || {
        let mut names = cell.split('`').skip(1).step_by(2);
        names.any(|name| name.ends_with(".rs") && workspace().join(name).is_file())
    };
    let has_reason = || {
        ["not built: ", "no rule: "]
            .iter()
            .any(|reason| cell.strip_prefix(reason).is_some_and(|why| !why.is_empty()))
    };
    cell.contains("](") || names_a_test() || has_reason()
}

#[test]
fn a_row_without_page_test_or_reason_is_no_answer() {
    assert!(is_answer("[block](block.md)"));
    assert!(is_answer("the watcher: `crates/app/tests/suite/watching.rs`"));
    assert!(is_answer("not built: hooks of a session"));
    for cell in [
        "",
        "tested elsewhere",
        "`crates/app/tests/gone.rs`",
        "not built: ",
        "needs the agent socket",
    ] {
        assert!(!is_answer(cell), "{cell}");
    }
}

/// The rows that a dialect's lists must have: `(section, row)`. Those of events come from its table.
fn wanted_rows(dialect: &dyn Dialect) -> Vec<(String, String)> {
    let path = workspace().join(format!("tests/fixtures/rows/{}.txt", dialect.card().id));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut section = String::new();
    let mut wanted = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            None => line.clone_into(&mut section),
            Some(row) => wanted.push((section.clone(), row.to_owned())),
        }
    }
    let events = dialect.card().events.iter();
    wanted.extend(events.map(|event| (EVENT_SECTION.to_owned(), event.name.to_owned())));
    wanted
}

#[test]
fn every_row_has_a_page_a_test_or_a_reason() {
    let mut missing = Vec::new();
    for dialect in hookwright_dialects::all() {
        let listed = rows(&lists(*dialect));
        for (section, row) in wanted_rows(*dialect) {
            let found = listed
                .iter()
                .find(|(heading, name, _)| *heading == section && *name == row);
            if !found.is_some_and(|(_, _, answer)| is_answer(answer)) {
                missing.push(format!("{}: {section}: {row}", dialect.card().id));
            }
        }
    }
    assert_complete("these rows", missing);
}
