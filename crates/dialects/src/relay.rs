//! Finds Hookwright's relay in a user file (`CONTRACTS.md` §4): as a separate hook entry, or around a command.

use hookwright_model::Card;
use serde_json::{Map, Value};

use crate::editing::RelayChange;
use crate::shell::{self, Target, Word};

/// The file name of the relay program, without `.exe`.
pub const RELAY_PROGRAM: &str = "hookwright-relay";

/// Programs that neither block nor do any work of their own when a command runs them in addition to the relay.
const PROGRAMS_WITHOUT_EFFECT: [&str; 6] = ["set", "[", "test", "true", ":", "cd"];

/// Whether a command does nothing but start the relay as an agent's hook (`engine.md` §2). If the engine ran such a
/// command, the event would return to the engine.
///
/// A guard that also starts the relay is a guard, so the result is `false`. It is also `false` for
/// `hookwright-relay run …`, which only observes a command.
#[must_use]
pub fn starts_relay(command: &str) -> bool {
    if !command.contains(RELAY_PROGRAM) {
        return false;
    }
    let script = shell::scan(command);
    let mut started = false;
    script.programs().all(|words| {
        let starts = is_relay_start(words);
        started |= starts;
        starts || has_no_effect(words, started)
    }) && started
}

/// Whether a program has no effect apart from the relay. `started` says that the relay is started before it.
///
/// An exit code other than 0 is an effect only before the relay is started. After that it passes on the relay's reply,
/// or replaces it if the relay gave none.
fn has_no_effect(words: &[Word], started: bool) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    match shell::plain_name(&program.text) {
        "exit" | "return" => started || rest.first().is_none_or(|status| status.text == "0"),
        name => PROGRAMS_WITHOUT_EFFECT.contains(&name),
    }
}

/// Whether a program with its arguments starts the relay as an agent's hook, directly or in the text given to a shell.
#[must_use]
fn is_relay_start(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else {
        return false;
    };
    if is_relay(&program.text) {
        return rest.first().is_none_or(|word| word.text != "run");
    }
    let inner = match shell::plain_name(&program.text) {
        "eval" => Some(rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")),
        name if shell::is_shell_program(name) => match shell::target(words) {
            Target::Text(text) => Some(text.text.clone()),
            Target::Script(_) | Target::Module(_) | Target::Program => None,
        },
        _ => None,
    };
    inner.is_some_and(|text| starts_relay(&text))
}

/// Whether a program is Hookwright's relay, by its file name.
#[must_use]
pub fn is_relay(program: &str) -> bool {
    shell::plain_name(program) == RELAY_PROGRAM
}

/// Returns the command inside the form that `connect --wrap` writes (`CONTRACTS.md` §4):
/// `HW='C'; [ -x RELAY ] && exec RELAY run --dialect D --event E --hook ID -- sh -c "$HW"; exec sh -c "$HW"`.
///
/// Only exactly this form is recognised, for this dialect and a relay with an absolute path.
#[must_use]
pub fn unwrap_command(dialect: &str, command: &str) -> Option<String> {
    let (inner, rest) = single_quoted(command.trim().strip_prefix("HW=")?)?;
    let rest = rest.strip_prefix("; [ -x ")?;
    let (relay, rest) = one_word(rest)?;
    let rest = rest.strip_prefix(" ] && exec ")?;
    let (second_relay, rest) = one_word(rest)?;
    let rest = rest.strip_prefix(" run --dialect ")?.strip_prefix(dialect)?;
    let rest = rest.strip_prefix(" --event ")?;
    let (_event, rest) = one_word(rest)?;
    let rest = rest.strip_prefix(" --hook ")?;
    let (_hook, rest) = one_word(rest)?;
    let absolute = relay.starts_with('/') || relay.get(1..3).is_some_and(|drive| drive == ":/" || drive == ":\\");
    (rest == r#" -- sh -c "$HW"; exec sh -c "$HW""# && relay == second_relay && absolute && is_relay(&relay))
        .then_some(inner)
}

/// Puts the relay around a command, in the form of [`unwrap_command`]. `inner` is the command of the author.
#[must_use]
pub fn wrap_command(dialect: &str, event: &str, hook: &str, relay: &str, inner: &str) -> String {
    let (relay, event, hook) = (shell_word(relay), shell_word(event), shell_word(hook));
    format!(
        r#"HW={}; [ -x {relay} ] && exec {relay} run --dialect {dialect} --event {event} --hook {hook} -- sh -c "$HW"; exec sh -c "$HW""#,
        in_single_quotes(inner)
    )
}

/// The written command of a hook after [`RelayChange`]. A command that is already wrapped gets the new relay.
#[must_use]
pub fn change_wrapping(change: RelayChange<'_>, dialect: &str, event: &str, hook: &str, written: &str) -> String {
    let inner = unwrap_command(dialect, written);
    match change {
        RelayChange::Wrap(relay) => wrap_command(dialect, event, hook, relay, inner.as_deref().unwrap_or(written)),
        RelayChange::Unwrap => inner.unwrap_or_else(|| written.to_owned()),
    }
}

/// The arguments with which an agent that loads its own files starts the relay (`CONTRACTS.md` §4).
#[must_use]
pub fn hook_arguments(dialect: &'static str) -> [&'static str; 3] {
    ["--dialect", dialect, "--native"]
}

/// The hooks that `connect` adds for a dialect whose hooks are shell commands: the same fields at every event.
#[must_use]
pub fn command_hooks(
    card: &'static Card,
    relay: &str,
    fields: &[(&'static str, Value)],
) -> Vec<(&'static str, Map<String, Value>)> {
    let command = [("command", Value::from(hook_command(card.id, relay)))];
    let definition: Map<String, Value> = fields_of(&[&command, fields].concat());
    card.events
        .iter()
        .map(|event| (event.name, definition.clone()))
        .collect()
}

/// These fields as a definition.
#[must_use]
pub fn fields_of(fields: &[(&'static str, Value)]) -> Map<String, Value> {
    fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

/// The command that `connect` writes for a dialect whose hooks are shell commands.
#[must_use]
pub fn hook_command(dialect: &'static str, relay: &str) -> String {
    format!("{} {}", shell_word(relay), hook_arguments(dialect).join(" "))
}

/// Whether a command has exactly the form of [`hook_command`], with any relay.
#[must_use]
pub fn is_hook_command(dialect: &'static str, command: &str) -> bool {
    one_word(command).is_some_and(|(relay, _)| is_relay(&relay) && command == hook_command(dialect, &relay))
}

/// Puts the relay of a wrapped command around another command. Returns `None` if `wrapped` does not have the form of
/// [`unwrap_command`].
#[must_use]
pub fn rewrap_command(dialect: &str, wrapped: &str, inner: &str) -> Option<String> {
    unwrap_command(dialect, wrapped)?;
    let (_, rest) = single_quoted(wrapped.trim().strip_prefix("HW=")?)?;
    Some(format!("HW={}{rest}", in_single_quotes(inner)))
}

/// A text as one word of a shell: as it is if a shell interprets no character of it, otherwise in single quotes.
fn shell_word(text: &str) -> String {
    match one_word(text) {
        Some((word, "")) if !text.starts_with('\'') && word == text => word,
        Some(_) | None => in_single_quotes(text),
    }
}

fn in_single_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Reads a text in single quotes, in which `'\''` is a quote. Returns the text and the rest after it.
pub(crate) fn single_quoted(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut out = String::new();
    loop {
        let (piece, tail) = rest.split_once('\'')?;
        out.push_str(piece);
        match tail.strip_prefix("\\''") {
            Some(more) => {
                out.push('\'');
                rest = more;
            }
            None => return Some((out, tail)),
        }
    }
}

/// Reads a word in single quotes, or one without any character that a shell interprets. Returns the word and the rest.
fn one_word(text: &str) -> Option<(String, &str)> {
    if text.starts_with('\'') {
        return single_quoted(text);
    }
    let end = text.find(' ').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let plain = !word.is_empty() && !word.contains(|sign: char| "'\"\\$`;&|<>()*?[]#~!{}\t\n".contains(sign));
    plain.then(|| (word.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = r#"HW='python3 a.py '\''x y'\'''; [ -x /opt/bin/hookwright-relay ] && exec /opt/bin/hookwright-relay run --dialect jcli --event pre_send_message --hook jcli:user:pre_send_message:0 -- sh -c "$HW"; exec sh -c "$HW""#;

    #[test]
    fn the_command_inside_is_what_its_author_wrote() {
        assert_eq!(unwrap_command("jcli", FORM).as_deref(), Some("python3 a.py 'x y'"));
        let quoted = FORM.replace("/opt/bin/hookwright-relay", "'/my apps/hookwright-relay'");
        assert_eq!(unwrap_command("jcli", &quoted).as_deref(), Some("python3 a.py 'x y'"));
        assert_eq!(unwrap_command("jcli", "HW=''; x"), None);
    }

    #[test]
    fn a_command_is_wrapped_in_exactly_the_form_and_unwrapped_again() {
        let inner = "python3 a.py 'x y'";
        let wrap = |relay: &str| {
            let hook = "jcli:user:pre_send_message:0";
            wrap_command("jcli", "pre_send_message", hook, relay, inner)
        };
        assert_eq!(wrap("/opt/bin/hookwright-relay"), FORM);
        for relay in [
            "/my apps/hookwright-relay",
            "/it's/hookwright-relay",
            "/$x/hookwright-relay",
            "/~a/hookwright-relay",
        ] {
            let wrapped = wrap(relay);
            assert!(wrapped.contains(&in_single_quotes(relay)), "{wrapped}");
            assert_eq!(unwrap_command("jcli", &wrapped).as_deref(), Some(inner), "{wrapped}");
            let again = change_wrapping(
                RelayChange::Wrap("/new/hookwright-relay"),
                "jcli",
                "stop",
                "x",
                &wrapped,
            );
            assert_eq!(again, wrap_command("jcli", "stop", "x", "/new/hookwright-relay", inner));
            assert_eq!(
                change_wrapping(RelayChange::Unwrap, "jcli", "stop", "x", &wrapped),
                inner
            );
            assert!(is_hook_command("jcli", &hook_command("jcli", relay)), "{relay}");
        }
        assert_eq!(change_wrapping(RelayChange::Unwrap, "jcli", "stop", "x", inner), inner);
        assert!(!is_hook_command("jcli", "/opt/bin/hookwright-relay --dialect jcli"));
        assert!(!is_hook_command(
            "jcli",
            "/opt/bin/hookwright-relay --dialect jcli --native --fail-closed"
        ));
        assert!(!is_hook_command(
            "qoder",
            "/opt/bin/hookwright-relay --dialect jcli --native"
        ));
    }

    #[test]
    fn anything_but_exactly_the_form_is_an_ordinary_command() {
        let changes = [
            ("[ -x /opt", "[ -x /etc"),
            ("/opt/bin/hookwright-relay", "hookwright-relay"),
            ("hookwright-relay", "other"),
            ("--dialect jcli", "--dialect qoder"),
            ("; exec sh", "; rm -rf x; exec sh"),
            ("HW='", "HX='"),
            (" --hook ", " --trick --hook "),
            ("pre_send_message --", "$(x) --"),
        ];
        for (from, to) in changes {
            let changed = FORM.replace(from, to);
            assert_ne!(changed, FORM, "{from}");
            assert_eq!(unwrap_command("jcli", &changed), None, "{changed}");
        }
        assert_eq!(unwrap_command("jcli", &format!("{FORM} && x")), None);
    }

    #[test]
    fn a_relay_entry_is_known_wherever_it_is_started() {
        for command in [
            "hookwright-relay --dialect jcli --event stop",
            "/opt/bin/hookwright-relay --dialect jcli --native",
            "exec '/my apps/hookwright-relay' --dialect jcli",
            "[ -x /a/hookwright-relay ] && /a/hookwright-relay --dialect jcli || exit 0",
            "hookwright-relay",
            "C:\\x\\hookwright-relay.exe --dialect jcli",
            "env X=1 'Y=a b' hookwright-relay --dialect picoclaw",
            "env -u Z -i 'X=1' hookwright-relay --dialect picoclaw",
            "nice -n 5 hookwright-relay --dialect jcli",
            "sh -c 'hookwright-relay --dialect jcli'",
            "sh -lc 'exec hookwright-relay --dialect jcli'",
            "/bin/bash -e -c 'hookwright-relay --dialect jcli' x",
            "bash --norc -eo pipefail -c 'cd /x; hookwright-relay --dialect jcli'",
            "dash -c -- 'hookwright-relay'",
            "eval 'hookwright-relay --dialect jcli'",
            "env A=1 sh -c \"sh -c 'hookwright-relay --dialect jcli'\"",
            "hookwright-relay --dialect jcli || exit 2",
            "[ -x /a/hookwright-relay ] || exit 0; exec /a/hookwright-relay --dialect jcli",
        ] {
            assert!(starts_relay(&command.replace('\\', "\\\\")), "{command}");
        }
        for command in [
            "hookwright-relay run --dialect jcli -- x",
            "echo no >&2; exit 2; hookwright-relay --dialect qoder",
            "exit 2; hookwright-relay --dialect qoder",
            "[ -f .block ] && exit 2; hookwright-relay --dialect qoder",
            "python3 guard.py && hookwright-relay --dialect qoder",
            "hookwright-relay --dialect qoder; python3 guard.py",
            "sh -c 'python3 guard.py; hookwright-relay --dialect qoder'",
            "echo hookwright-relay",
            "cat hookwright-relay.log",
            "sh hookwright-relay -c hookwright-relay",
            "sh -c 'hookwright-relay run --dialect jcli -- x'",
            "sh -c 'echo x' hookwright-relay",
            "sh -o 'hookwright-relay'",
            FORM,
        ] {
            assert!(!starts_relay(command), "{command}");
        }
    }
}
