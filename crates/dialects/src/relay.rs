//! Finds Hookwright's relay in a user file (`CONTRACTS.md` §4): as a separate hook entry, or around a command.

use hookwright_model::{Card, CommandStart};
use serde_json::{Map, Value};

use crate::shell::{self, Target, Word};

pub use crate::shell::RELAY_PROGRAM;

/// Programs that neither block nor do any work of their own when a command runs them in addition to the relay.
const PROGRAMS_WITHOUT_EFFECT: [&str; 6] = ["set", "[", "test", "true", ":", "cd"];

/// A change of the relay around a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelayChange<'a> {
    /// The relay at this path is put around the command.
    Wrap(&'a str),
    /// The relay is removed from the command.
    Unwrap,
}

/// Whether a command does nothing but start the relay as an agent's hook (`engine.md` §2). If the engine ran such a
/// command, the event would return to the engine.
///
/// A guard that also starts the relay is a guard, so the result is `false`. It is also `false` for
/// `hookwright-relay run …`, which only observes a command.
#[must_use]
pub fn starts_relay(command: &str) -> bool {
    started_relay(command).is_some()
}

/// The relay that a command starts, as it is written there, without quotes; `None` unless [`starts_relay`].
#[must_use]
pub fn started_relay(command: &str) -> Option<String> {
    if !command.contains(RELAY_PROGRAM) {
        return None;
    }
    let script = shell::scan(command);
    let mut relay = None;
    let is_only_relay = script.programs().all(|words| match relay_start(words) {
        Some(program) => {
            relay.get_or_insert(program);
            true
        }
        None => has_no_effect(words, relay.is_some()),
    });
    relay.filter(|_| is_only_relay)
}

/// Whether a command starts the relay somewhere, also for `run` and beside other programs.
#[must_use]
pub fn mentions_relay(command: &str) -> bool {
    command.contains(RELAY_PROGRAM)
        && shell::scan(command).programs().any(|words| {
            words.first().is_some_and(|program| is_relay(&program.text))
                || shell_text(words).is_some_and(|text| mentions_relay(&text))
        })
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

/// The relay that a program with its arguments starts as an agent's hook, directly or in the text given to a shell.
fn relay_start(words: &[Word]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    if is_relay(&program.text) {
        let is_run = rest.first().is_some_and(|word| word.text == "run");
        return (!is_run).then(|| program.text.clone());
    }
    started_relay(&shell_text(words)?)
}

/// The text that a program gives to a shell to read.
fn shell_text(words: &[Word]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    match shell::plain_name(&program.text) {
        "eval" => Some(rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")),
        name if shell::is_shell_program(name) => match shell::target(words) {
            Target::Text(text) => Some(text.text.clone()),
            Target::Script(_) | Target::Module(_) | Target::Program => None,
        },
        _ => None,
    }
}

/// Whether a program is Hookwright's relay, by its file name.
#[must_use]
pub fn is_relay(program: &str) -> bool {
    shell::plain_name(program) == RELAY_PROGRAM
}

/// A command around which `connect --wrap` put the relay (`CONTRACTS.md` §4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedCommand {
    /// The command of the author.
    pub inner: String,
    /// The shell that reads it.
    pub shell: &'static str,
    /// The relay, absolute.
    pub relay: String,
    event: String,
    hook: String,
}

/// The two ways in which the wrapper hands the command to its shell: the text before the command, and after the shell's
/// name.
///
/// The first one is written. It sets no variable, so an exported variable of the user keeps its value in the command. It
/// also hands on `$0`, with which a shell begins its error messages. Versions up to 0.1.0 wrote the second one.
const WRAP_FORMS: [(&str, &str); 2] = [("set -- ", r#" -c "$1" "$0""#), ("HW=", r#" -c "$HW""#)];

impl WrappedCommand {
    /// Reads the form that `connect --wrap` writes. Only exactly this form is recognised, for this dialect, a shell of
    /// its commands, and a relay with an absolute path.
    #[must_use]
    pub fn read(card: &Card, command: &str) -> Option<Self> {
        let command = command.trim();
        let mut forms = WRAP_FORMS.iter();
        forms.find_map(|(begin, end)| Self::read_form(card, command.strip_prefix(begin)?, end))
    }

    fn read_form(card: &Card, text: &str, end: &str) -> Option<Self> {
        let (inner, rest) = single_quoted(text)?;
        let rest = rest.strip_prefix("; [ -x ")?;
        let (relay, rest) = one_word(rest)?;
        let rest = rest.strip_prefix(" ] && exec ")?;
        let (second_relay, rest) = one_word(rest)?;
        let rest = rest.strip_prefix(" run --dialect ")?.strip_prefix(card.id)?;
        let rest = rest.strip_prefix(" --event ")?;
        let (event, rest) = one_word(rest)?;
        let rest = rest.strip_prefix(" --hook ")?;
        let (hook, rest) = one_word(rest)?;
        let rest = rest.strip_prefix(" -- ")?;
        let shell = shells(card).find(|shell| rest == format!("{shell}{end}; exec {shell}{end}"))?;
        let absolute = relay.starts_with('/') || relay.get(1..3).is_some_and(|drive| drive == ":/" || drive == ":\\");
        (relay == second_relay && absolute && is_relay(&relay)).then_some(Self {
            inner,
            shell,
            relay,
            event,
            hook,
        })
    }

    /// The command with the relay around it, in the form that is written.
    fn write(&self, card: &Card) -> String {
        let shell = self.shell;
        let [relay, event, hook] = [&self.relay, &self.event, &self.hook].map(|text| shell_word(text));
        let (begin, end) = WRAP_FORMS[0];
        let (inner, dialect) = (in_single_quotes(&self.inner), card.id);
        format!(
            "{begin}{inner}; [ -x {relay} ] && exec {relay} run --dialect {dialect} --event {event} --hook {hook} -- {shell}{end}; exec {shell}{end}"
        )
    }
}

/// The shells that can read the commands of a dialect's definitions.
fn shells(card: &Card) -> impl Iterator<Item = &'static str> {
    let others = card.command.and_then(|command| command.other_shells);
    let others = others.map_or(&[] as &[&str], |(_, shells)| shells).iter().copied();
    card.command.map(|command| command.shell).into_iter().chain(others)
}

/// The command inside a [`WrappedCommand`]; `None` for any other command.
#[must_use]
pub fn unwrap_command(card: &Card, command: &str) -> Option<String> {
    WrappedCommand::read(card, command).map(|wrapped| wrapped.inner)
}

/// The written command of a hook after [`RelayChange`]. A command that is already wrapped gets the new relay.
///
/// A command that no shell starts is not wrapped: where the relay is missing, nothing would start it.
#[must_use]
pub fn change_wrapping(
    change: RelayChange<'_>,
    card: &Card,
    (event, hook): (&str, &str),
    definition: &Value,
    written: &str,
) -> String {
    let inner = unwrap_command(card, written).unwrap_or_else(|| written.to_owned());
    let start = card.command.map(|command| command.start(definition));
    match (change, start) {
        (RelayChange::Wrap(relay), Some(CommandStart::Shell(shell))) => WrappedCommand {
            inner,
            shell,
            relay: relay.to_owned(),
            event: event.to_owned(),
            hook: hook.to_owned(),
        }
        .write(card),
        (RelayChange::Wrap(_), Some(CommandStart::Program(_) | CommandStart::PowerShell) | None)
        | (RelayChange::Unwrap, _) => inner,
    }
}

/// The wrapped command of a definition whose other fields were changed, if it must be started differently now; `None` if
/// it stays.
#[must_use]
pub fn restart_wrapped(card: &Card, definition: &Value, wrapped: &str) -> Option<String> {
    let found = WrappedCommand::read(card, wrapped)?;
    match card.command?.start(definition) {
        CommandStart::Shell(shell) if shell == found.shell => None,
        CommandStart::Shell(shell) => Some(WrappedCommand { shell, ..found }.write(card)),
        CommandStart::Program(_) | CommandStart::PowerShell => Some(found.inner),
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

/// The command with another relay, with all options of the user; `None` if the present one is not found in the text.
#[must_use]
pub fn with_relay(command: &str, relay: &str) -> Option<String> {
    let present = started_relay(command)?;
    let written = [
        shell_word(&present),
        in_single_quotes(&present),
        format!("\"{present}\""),
    ];
    let written = written.iter().find(|written| command.contains(written.as_str()))?;
    let changed = command.replace(written, &shell_word(relay));
    (started_relay(&changed).as_deref() == Some(relay)).then_some(changed)
}

/// Puts the relay of a wrapped command around another command. Returns `None` if `wrapped` does not have the form of
/// [`WrappedCommand`].
#[must_use]
pub fn rewrap_command(card: &Card, wrapped: &str, inner: &str) -> Option<String> {
    WrappedCommand::read(card, wrapped)?;
    let wrapped = wrapped.trim();
    let (begin, rest) = wrapped.split_at(wrapped.find('\'')?);
    let (_, rest) = single_quoted(rest)?;
    Some(format!("{begin}{}{rest}", in_single_quotes(inner)))
}

/// A text as one word of a shell: as it is if a shell interprets no character of it, otherwise in single quotes.
fn shell_word(text: &str) -> String {
    match one_word(text) {
        Some((word, "")) if !text.starts_with('\'') && !text.contains('\r') && word == text => word,
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
    let plain = !word.is_empty() && !word.contains(|character: char| "'\"\\$`;&|<>()*?[]#~!{}\t\n".contains(character));
    plain.then(|| (word.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::claude_code::events::CARD as CLAUDE_CODE;
    use crate::jcli::events::CARD as JCLI;
    use crate::qoder::events::CARD as QODER;

    const INNER: &str = "python3 a.py 'x y'";
    const FORM: &str = r#"set -- 'python3 a.py '\''x y'\'''; [ -x /opt/bin/hookwright-relay ] && exec /opt/bin/hookwright-relay run --dialect jcli --event pre_send_message --hook jcli:user:pre_send_message:0 -- sh -c "$1" "$0"; exec sh -c "$1" "$0""#;
    /// What versions up to 0.1.0 wrote.
    const OLD_FORM: &str = r#"HW='python3 a.py '\''x y'\'''; [ -x /opt/bin/hookwright-relay ] && exec /opt/bin/hookwright-relay run --dialect jcli --event pre_send_message --hook jcli:user:pre_send_message:0 -- sh -c "$HW"; exec sh -c "$HW""#;

    fn wrap(card: &Card, relay: &str, definition: &Value, written: &str) -> String {
        let place = ("pre_send_message", "jcli:user:pre_send_message:0");
        change_wrapping(RelayChange::Wrap(relay), card, place, definition, written)
    }

    #[test]
    fn the_command_inside_is_what_its_author_wrote() {
        for form in [FORM, OLD_FORM] {
            assert_eq!(unwrap_command(&JCLI, form).as_deref(), Some(INNER));
            let quoted = form.replace("/opt/bin/hookwright-relay", "'/my apps/hookwright-relay'");
            assert_eq!(unwrap_command(&JCLI, &quoted).as_deref(), Some(INNER));
            let other = rewrap_command(&JCLI, form, "it's").expect("it is wrapped");
            assert_eq!(unwrap_command(&JCLI, &other).as_deref(), Some("it's"));
        }
        assert_eq!(unwrap_command(&JCLI, "HW=''; x"), None);
    }

    #[test]
    fn a_command_is_wrapped_in_exactly_the_form_and_unwrapped_again() {
        let none = Value::Null;
        assert_eq!(wrap(&JCLI, "/opt/bin/hookwright-relay", &none, INNER), FORM);
        assert_eq!(wrap(&JCLI, "/opt/bin/hookwright-relay", &none, OLD_FORM), FORM);
        for relay in [
            "/my apps/hookwright-relay",
            "/it's/hookwright-relay",
            "/$x/hookwright-relay",
            "/~a/hookwright-relay",
            "/a\rb/hookwright-relay",
            "/a\nb/hookwright-relay",
        ] {
            let wrapped = wrap(&JCLI, relay, &none, INNER);
            assert!(wrapped.contains(&in_single_quotes(relay)), "{wrapped}");
            assert_eq!(unwrap_command(&JCLI, &wrapped).as_deref(), Some(INNER), "{wrapped}");
            assert_eq!(wrap(&JCLI, "/opt/bin/hookwright-relay", &none, &wrapped), FORM);
            for written in [&wrapped, INNER] {
                let place = ("stop", "x");
                assert_eq!(
                    change_wrapping(RelayChange::Unwrap, &JCLI, place, &none, written),
                    INNER
                );
            }
            let command = hook_command("jcli", relay);
            assert_eq!(started_relay(&command).as_deref(), Some(relay), "{command}");
            let script = format!("#!/bin/sh\r\nexec {command}\r\n");
            assert_eq!(started_relay(&script).as_deref(), Some(relay), "{script}");
        }
    }

    #[test]
    fn the_shell_that_the_definition_names_reads_a_wrapped_command() {
        let bash = serde_json::json!({"shell": "bash"});
        let program = serde_json::json!({"args": ["a b"], "shell": "bash"});
        let relay = "/opt/bin/hookwright-relay";
        let wrapped = wrap(&QODER, relay, &bash, INNER);
        assert!(
            wrapped.ends_with(r#" -- bash -c "$1" "$0"; exec bash -c "$1" "$0""#),
            "{wrapped}"
        );
        assert_eq!(unwrap_command(&QODER, &wrapped).as_deref(), Some(INNER));
        assert_eq!(restart_wrapped(&QODER, &bash, &wrapped), None);
        let plain = wrap(&QODER, relay, &Value::Null, INNER);
        assert_eq!(restart_wrapped(&QODER, &Value::Null, &wrapped), Some(plain.clone()));
        assert_eq!(restart_wrapped(&QODER, &bash, &plain), Some(wrapped.clone()));
        for written in [INNER, &wrapped] {
            assert_eq!(wrap(&QODER, relay, &program, written), INNER, "no shell starts it");
        }
        assert_eq!(restart_wrapped(&QODER, &program, &wrapped).as_deref(), Some(INNER));
        let power_shell = serde_json::json!({"shell": "powershell"});
        for written in [INNER, &wrap(&CLAUDE_CODE, relay, &Value::Null, INNER)] {
            assert_eq!(
                wrap(&CLAUDE_CODE, relay, &power_shell, written),
                INNER,
                "PowerShell reads it"
            );
        }
        let jcli = wrapped.replace("--dialect qoder", "--dialect jcli");
        assert_eq!(unwrap_command(&JCLI, &jcli), None, "j-cli has no such shell");
    }

    #[test]
    fn anything_but_exactly_the_form_is_an_ordinary_command() {
        let changes = [
            ("[ -x /opt", "[ -x /etc"),
            ("/opt/bin/hookwright-relay", "hookwright-relay"),
            ("hookwright-relay", "other"),
            ("--dialect jcli", "--dialect qoder"),
            ("; exec sh", "; rm -rf x; exec sh"),
            ("exec sh", "exec bash"),
            (" sh -c", " zsh -c"),
            ("set -- '", "set - '"),
            ("HW='", "HX='"),
            ("$HW", "$1"),
            (" --hook ", " --trick --hook "),
            ("pre_send_message --", "$(x) --"),
        ];
        for form in [FORM, OLD_FORM] {
            for (from, to) in changes.iter().filter(|(from, _)| form.contains(from)) {
                let changed = form.replace(from, to);
                assert_ne!(changed, form, "{from}");
                assert_eq!(unwrap_command(&JCLI, &changed), None, "{changed}");
            }
            assert_eq!(unwrap_command(&JCLI, &format!("{form} && x")), None);
        }
    }

    #[test]
    fn another_relay_keeps_the_options_of_the_user() {
        let new = "/my apps/hookwright-relay";
        for (command, changed) in [
            (
                "/opt/hookwright-relay --dialect jcli --native --fail-closed",
                "'/my apps/hookwright-relay' --dialect jcli --native --fail-closed",
            ),
            (
                "[ -x \"/o p/hookwright-relay\" ] && \"/o p/hookwright-relay\" --dialect jcli || exit 0",
                "[ -x '/my apps/hookwright-relay' ] && '/my apps/hookwright-relay' --dialect jcli || exit 0",
            ),
        ] {
            assert_eq!(with_relay(command, new).as_deref(), Some(changed));
        }
        assert_eq!(with_relay("python3 guard.py", new), None);
    }

    #[test]
    fn a_command_that_also_starts_the_relay_mentions_it() {
        for command in [
            "python3 guard.py && hookwright-relay --dialect qoder",
            "sh -c 'python3 guard.py; hookwright-relay --dialect qoder'",
            "hookwright-relay run --dialect jcli -- x",
            FORM,
        ] {
            assert!(mentions_relay(command) && !starts_relay(command), "{command}");
        }
        assert!(!mentions_relay("cat hookwright-relay.log"));
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
