//! A command that `connect --wrap` wrapped ends like the plain one (`CONTRACTS.md` §4): same stdout, stderr, exit code or
//! signal. The relay is there or missing, no engine runs, and `HW` is exported or not.
//!
//! How it works: every definition of the samples and of the case pages, and generated ones, is started as its dialect says
//! ([`Card::command`]), once plain and once wrapped, each time in an empty folder.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use hookwright_dialects::relay::{RelayChange, change_wrapping, mentions_relay, unwrap_command};
use hookwright_model::{Card, CommandStart};
use hookwright_testkit::program::{relay, workspace};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Parts of a command whose end is another one each time: the time, process ids, chance, the network. A wait only costs
/// time.
const NOT_REPEATABLE: [&str; 9] = [
    "curl",
    "sleep",
    "$$",
    "PPID",
    "date",
    "mktemp",
    "RANDOM",
    "/dev/urandom",
    "time.",
];
const PAYLOAD: &[u8] = b"{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"rm -rf build\"}}\n";

#[derive(Debug, PartialEq, Eq)]
struct Ended {
    stdout: String,
    stderr: String,
    status: ExitStatus,
}

/// Starts a command as an agent does, in a new folder.
fn start(shell: &str, command: &str, exported: Option<&str>) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    // Agents start the common shell by its path.
    let program = if shell == "sh" { "/bin/sh" } else { shell };
    let mut child = Command::new(program)
        .args(["-c", command])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", "/nowhere")
        .env("HOOKWRIGHT_SOCKET", folder.path().join("none.sock"))
        .envs(exported.map(|value| ("HW", value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may have ended before.
    let _ = child.stdin.take().unwrap().write_all(PAYLOAD);
    let output = child.wait_with_output().unwrap();
    let place = folder.path().display().to_string();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "FOLDER");
    Ended {
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        status: output.status,
    }
}

/// Asserts that a definition ends the same way, plain and wrapped.
fn assert_ends_alike(card: &Card, definition: &Value, command: &str) {
    let wrap = |relay: &Path| {
        let change = RelayChange::Wrap(relay.to_str().unwrap());
        change_wrapping(change, card, ("event", "a hook:0"), definition, command)
    };
    let CommandStart::Shell(shell) = card.command.unwrap().start(definition) else {
        assert_eq!(wrap(&relay()), command, "no shell starts it, so it stays as it is");
        return;
    };
    for exported in [None, Some("mine")] {
        let plain = start(shell, command, exported);
        for relay in [relay(), PathBuf::from("/no such/hookwright-relay")] {
            let wrapped = wrap(&relay);
            assert_eq!(unwrap_command(card, &wrapped).as_deref(), Some(command));
            assert_eq!(
                start(shell, &wrapped, exported),
                plain,
                "{shell} -c {command:?}, {}",
                relay.display()
            );
        }
    }
}

fn dialects() -> impl Iterator<Item = &'static Card> {
    let cards = hookwright_dialects::all().iter().map(|dialect| dialect.card());
    cards.filter(|card| card.command.is_some())
}

/// Every object with a `command` in a value.
fn definitions(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if fields.get("command").is_some_and(Value::is_string) {
                let kept = ["command", "shell", "args"].map(|name| (name.to_owned(), fields.get(name).cloned()));
                let kept = kept.into_iter().filter_map(|(name, value)| Some((name, value?)));
                found.insert(Value::Object(kept.collect()).to_string());
            }
            fields.values().for_each(|value| definitions(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| definitions(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The definitions of a dialect's samples and case pages, each once.
fn written_definitions(card: &Card) -> Vec<Value> {
    let mut files = Vec::new();
    files_below(&workspace().join("hooks-samples").join(card.id), &mut files);
    files_below(&workspace().join("crates/dialects/cases").join(card.id), &mut files);
    let mut found = BTreeSet::new();
    for text in files.iter().filter_map(|path| std::fs::read_to_string(path).ok()) {
        // The blocks of a page are between fences. A file without one is a block of its own.
        let blocks = text.split("```").filter_map(|block| match text.contains("```") {
            true => block.split_once('\n').map(|(_, block)| block),
            false => Some(block),
        });
        for value in blocks.filter_map(|block| yaml_serde::from_str::<Value>(block).ok()) {
            definitions(&value, &mut found);
        }
    }
    found.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

#[test]
fn every_written_definition_ends_alike_plain_and_wrapped() {
    for card in dialects() {
        let mut count = 0;
        for definition in written_definitions(card) {
            let command = definition["command"].as_str().unwrap();
            if command.trim().is_empty() || command.contains('\0') || mentions_relay(command) {
                continue;
            }
            if NOT_REPEATABLE.iter().any(|part| command.contains(part)) {
                continue;
            }
            assert_ends_alike(card, &definition, command);
            count += 1;
        }
        assert!(count > 10, "{}: {count}", card.id);
    }
}

#[test]
fn a_command_of_bash_and_a_program_with_arguments_end_alike() {
    let guard = r#"[[ $(cat) == *rm\ -rf* ]] && { echo no >&2; exit 2; }; exit 0"#;
    for card in dialects() {
        assert_ends_alike(card, &json!({"command": guard}), guard);
        let Some((field, shells)) = card.command.unwrap().other_shells else {
            continue;
        };
        for shell in shells {
            let mut definition = json!({"command": guard});
            definition[field] = (*shell).into();
            assert_eq!(start(shell, guard, None).status.code(), Some(2), "{shell}");
            assert_ends_alike(card, &definition, guard);
            definition[card.command.unwrap().args_field.unwrap()] = json!(["a b"]);
            assert_ends_alike(card, &definition, "/bin/echo");
        }
    }
}

/// One part of a command.
fn part() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "cat",
        "exit 2",
        "(exit 4)",
        "false",
        "no-such-program a",
        "./none.sh",
        "kill -TERM $$",
        "kill -KILL $$",
        "echo \"$0\" \"$#\" \"$*\"",
        "echo \"${HW-unset}\"",
        "export HW=own; sh -c 'echo $HW'",
        "[[ a == a* ]] && echo yes",
        "a=(x 'y z'); echo \"${a[1]}\"",
        "set -o pipefail; false | true",
        "set -e; false; echo no",
        "trap 'echo bye' EXIT",
        "read -r line; echo \"[$line]\"",
        "printf '%s\\n' \"it's\" >&2",
        "echo \\\\ \"\\$HOME\" `echo back`",
        "cat <<E\nhere 'it' \"is\"\nE\n",
        "exec 2>&1; echo both >&2",
        "# a comment\n:",
        "if true; then echo a; fi",
        "x='a'\\''b'; echo $x",
        "echo unfinished '",
        "umask; ulimit -n",
    ]);
    let fixed = fixed.prop_map(str::to_owned);
    let quoted = "[ -~é\n]{0,12}".prop_map(|text| format!("printf %s '{}'", text.replace('\'', "'\\''")));
    prop_oneof![3 => fixed, 1 => quoted]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_command_ends_alike_plain_and_wrapped(
        parts in prop::collection::vec(part(), 1..4),
        join in prop::sample::select(vec!["; ", "\n", " && ", " || "]),
        shell in any::<prop::sample::Index>(),
        arguments in prop::option::weighted(0.1, prop::collection::vec("[ -~]{0,8}", 0..3)),
    ) {
        let command = parts.join(join);
        for card in dialects() {
            let spec = card.command.unwrap();
            let mut definition = json!({"command": command});
            if let Some((field, shells)) = spec.other_shells {
                let named: Vec<Option<&str>> = std::iter::once(None).chain(shells.iter().copied().map(Some)).collect();
                if let Some(name) = named[shell.index(named.len())] {
                    definition[field] = name.into();
                }
            }
            if let (Some(field), Some(arguments)) = (spec.args_field, &arguments) {
                definition[field] = json!(arguments);
            }
            assert_ends_alike(card, &definition, &command);
        }
    }
}
