//! Commands of a shell: the same command in the form that another agent runs.
//!
//! A command that blocks by its exit code, and one that blocks by a JSON document, are translated by a few words of
//! shell around the command. Exactly these forms are recognised, so a conversion back gives the author's command.

use crate::shell;

/// How a command says that the agent must not continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockForm {
    /// By the exit code 2, or by `decision` and `permissionDecision` in its output.
    ExitCode,
    /// By `action` in its output. Every other exit code than 0 is a failure.
    Action,
    /// By responses of JSON-RPC.
    JsonRpc,
}

/// The words with which the output of a command decides, beside its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionWords {
    /// `deny` and `ask` as `decision`.
    Plain,
    /// `block` as `decision`, and `permissionDecision`.
    Permission,
    /// The same with a reason, and no other words. Exit code 2 needs a reason, too.
    Strict,
}

impl DecisionWords {
    /// The words in a message.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Plain => "`deny` and `ask`",
            Self::Permission => "`block` and `permissionDecision`",
            Self::Strict => "`block` and `permissionDecision` with a reason",
        }
    }

    /// Whether an agent that reads these words reads the others too.
    pub fn include(self, others: Self) -> bool {
        self == others || (self, others) == (Self::Permission, Self::Strict)
    }
}

/// What happens when a command that speaks [`BlockForm::Action`] fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    Continues,
    Blocks,
}

/// What a block means at an event, for a hook that speaks [`BlockForm::Action`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionBlock {
    /// The call is skipped.
    Skip,
    /// The step ends.
    Stop,
    /// The agent works on.
    Retry,
}

impl ActionBlock {
    const ALL: [Self; 3] = [Self::Skip, Self::Stop, Self::Retry];

    const fn output(self) -> &'static str {
        match self {
            Self::Skip => r#"{"action":"skip","system_message":"%s"}"#,
            Self::Stop => r#"{"action":"stop","system_message":"%s"}"#,
            Self::Retry => r#"{"retry_feedback":"%s"}"#,
        }
    }
}

/// Says why the call is blocked, and ends with exit code 2: the reason in the JSON of the command, else all that it said.
const SAY_REASON: &str = concat!(
    r#"r=$(printf %s "$hw" | tr '\n' ' ' | sed -nE 's/.*"(permissionDecisionReason|system_message|retry_feedback|reason)""#,
    r#"[[:space:]]*:[[:space:]]*"(([^"\\]|\\.)*)".*/\2/p' | sed -E 's/\\n/ /g; s/\\(.)/\1/g'); "#,
    r#"printf '%s\n' "${r:-$hw}" >&2; exit 2"#
);
/// The same in older versions, which always said all.
const OLD_SAY_REASON: &str = r#"printf '%s\n' "$hw" >&2; exit 2"#;

/// The words of a translation, in which `{say_reason}` stands for [`SAY_REASON`].
fn with_reason(words: &str) -> String {
    words.replace("{say_reason}", SAY_REASON)
}

/// What a translated command begins with. The command is a parameter of the shell, so no variable of the agent's
/// environment changes for it.
const BEGIN: &str = "set -- ";
/// The same in older versions, which had the command in a variable.
const OLD_BEGIN: &str = "HW=";

/// A command, and the words after it that translate what it says.
fn translated(command: &str, words: &str) -> String {
    format!("{BEGIN}{}{words}", quoted(command))
}

/// The last denials of [`to_action`].
const DENIALS: &str = r#"0:*'"decision":"ask"'*|0:*'"behavior":"deny"'*|0:*'"continue":false'*)"#;
/// The same in older versions.
const OLD_DENIALS: &str = r#"0:*'"decision":"ask"'*|0:*'"continue":false'*)"#;

/// The words after the quoted command that turn exit code 2 into an action that blocks.
fn to_action(block: ActionBlock) -> String {
    format!(
        concat!(
            r#"; hw=$(sh -c "$1" 2>&1); c=$?; case $c:$(printf %s "$hw" | tr -d ' \t\r\n') in 2:*) ;; "#,
            r#"0:*'"permissionDecision":"deny"'*|0:*'"permissionDecision":"ask"'*|0:*'"decision":"block"'*|"#,
            r#"0:*'"decision":"deny"'*|{denials} ;; 0:*) exit 0 ;; "#,
            r#"*) printf %s "$hw" >&2; exit $c ;; esac; "#,
            r#"printf '{}' "$(printf %s "${{hw:-blocked by hook}}" | tr '\n\r\t' '   ' | tr -d '\000-\037' | sed 's/[\\"]/\\&/g')""#
        ),
        block.output(),
        denials = DENIALS
    )
}

/// The words after the quoted command that turn an action that blocks into exit code 2. A failure has a reason too, because
/// some agents take no block without one.
fn to_exit_code(failure: Failure) -> String {
    exit_code_words(
        failure,
        r"|| { echo 'the hook failed' >&2; exit {code}; }",
        r" ''|'{'*'}') ;; *) echo 'the hook printed no JSON object' >&2; exit {code} ;;",
    )
}

/// The same in older versions, which failed without a reason, and let unreadable output pass.
fn old_to_exit_code(failure: Failure) -> String {
    exit_code_words(failure, "|| exit {code}", "")
}

fn exit_code_words(failure: Failure, failed: &str, unread: &str) -> String {
    let code = match failure {
        Failure::Continues => "1",
        Failure::Blocks => "2",
    };
    let words = concat!(
        r#"; hw=$(sh -c "$1") {failed}; case $(printf %s "$hw" | tr -d ' \t\r\n') in "#,
        r#"*'"action":"s'*|*'"abort":true'*|*'"retry_feedback":"'*) {say_reason} ;;{unread} esac"#
    );
    let words = words.replace("{failed}", failed).replace("{unread}", unread);
    with_reason(&words.replace("{code}", code))
}

/// A command that speaks [`BlockForm::ExitCode`], as one that speaks [`BlockForm::Action`].
pub fn exit_code_as_action(command: &str, block: ActionBlock) -> String {
    translated(command, &to_action(block))
}

/// A command that speaks [`BlockForm::Action`], for an agent that reads exit codes.
pub fn action_as_exit_code(command: &str, failure: Failure) -> String {
    translated(command, &to_exit_code(failure))
}

/// The words after the quoted command that turn decisions into [`DecisionWords::Plain`].
const TO_PLAIN_WORDS: &str = concat!(
    r#"; hw=$(sh -c "$1"); c=$?; [ $c = 0 ] || exit $c; case $(printf %s "$hw" | tr -d ' \t\r\n') in "#,
    r#"*'"permissionDecision":"deny"'*|*'"decision":"block"'*|*'"decision":"deny"'*|*'"behavior":"deny"'*|*'"continue":false'*) "#,
    r#"{say_reason} ;; *'"permissionDecision":"ask"'*) echo '{"decision":"ask"}' ;; "#,
    r#"*'"permissionDecision":"allow"'*) echo '{"decision":"allow"}' ;; *) printf %s "$hw" ;; esac"#,
);

/// The words after the quoted command that turn decisions into [`DecisionWords::Permission`].
fn to_permission_words(event: &str) -> String {
    let ask = if event == "PreToolUse" {
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'"#
    } else {
        SAY_REASON
    };
    format!(
        concat!(
            r#"; hw=$(sh -c "$1"); c=$?; [ $c = 0 ] || exit $c; case $(printf %s "$hw" | tr -d ' \t\r\n') in "#,
            r#"*'"decision":"deny"'*) {say_reason} ;; *'"decision":"ask"'*) {ask} ;; "#,
            r#"*) printf %s "$hw" ;; esac"#
        ),
        ask = ask,
        say_reason = SAY_REASON
    )
}

/// The words after the quoted command that turn decisions into [`DecisionWords::Strict`].
const TO_STRICT_WORDS: &str = concat!(
    r#"; hw=$(sh -c "$1"); c=$?; [ $c = 2 ] && { echo 'blocked by hook' >&2; exit 2; }; [ $c = 0 ] || exit $c; "#,
    r#"case $(printf %s "$hw" | tr -d ' \t\r\n') in "#,
    r#"*'"permissionDecision":"deny"'*|*'"permissionDecision":"ask"'*|*'"decision":"block"'*|*'"decision":"deny"'*|"#,
    r#"*'"decision":"ask"'*|*'"behavior":"deny"'*|*'"continue":false'*) {say_reason} ;; "#,
    r#"*'"permissionDecision":"allow"'*|*'"decision":"allow"'*|*'"decision":"approve"'*) ;; *) printf %s "$hw" ;; esac"#,
);

/// A command that decides in other words, for an event of an agent that reads these.
pub fn with_decisions(command: &str, words: DecisionWords, event: &str) -> String {
    let rest = match words {
        DecisionWords::Plain => with_reason(TO_PLAIN_WORDS),
        DecisionWords::Permission => to_permission_words(event),
        DecisionWords::Strict => with_reason(TO_STRICT_WORDS),
    };
    translated(command, &rest)
}

/// The words after the quoted command that end with 0 if it printed an object, unless it blocked by exit code 2.
const KEEP_OUTPUT: &str = concat!(
    r#"; hw=$(sh -c "$1"); c=$?; [ $c = 2 ] || case $(printf %s "$hw" | tr -d ' \t\r\n') in '{'*'}') c=0 ;; esac; "#,
    r#"printf '%s\n' "$hw"; exit $c"#
);

/// A command whose output counted at every exit code, for an agent that reads it at 0 only.
pub fn keeping_output(command: &str) -> String {
    translated(command, KEEP_OUTPUT)
}

/// The command inside [`keeping_output`].
fn without_keeping(command: &str) -> Option<String> {
    let (inner, rest) = unquoted(command.strip_prefix(BEGIN)?)?;
    (rest == KEEP_OUTPUT).then_some(inner)
}

/// The command inside the forms of this module, what it speaks, and whether it blocks when it fails.
pub fn without_translation(command: &str) -> Option<(String, BlockForm, Failure)> {
    let command = command.trim();
    if let Some(inner) = without_keeping(command) {
        return Some((inner, BlockForm::ExitCode, Failure::Continues));
    }
    let (inner, speaks, failure) = without_words(command)?;
    let inner = without_keeping(&inner).unwrap_or(inner);
    Some((inner, speaks, failure))
}

fn without_words(command: &str) -> Option<(String, BlockForm, Failure)> {
    let begun = command.strip_prefix(BEGIN).or_else(|| command.strip_prefix(OLD_BEGIN));
    let (inner, rest) = unquoted(begun?)?;
    let rest = rest
        .replace(r#"sh -c "$HW""#, r#"sh -c "$1""#)
        .replace(SAY_REASON, OLD_SAY_REASON)
        .replace(OLD_SAY_REASON, SAY_REASON)
        .replace(OLD_DENIALS, DENIALS);
    let words = [
        with_reason(TO_PLAIN_WORDS),
        with_reason(TO_STRICT_WORDS),
        to_permission_words("PreToolUse"),
        to_permission_words("Stop"),
    ];
    if words.contains(&rest) {
        return Some((inner, BlockForm::ExitCode, Failure::Continues));
    }
    if ActionBlock::ALL.iter().any(|block| to_action(*block) == rest) {
        return Some((inner, BlockForm::ExitCode, Failure::Continues));
    }
    let failures = [Failure::Continues, Failure::Blocks];
    let mut known = failures.into_iter();
    let failure = known.find(|failure| {
        [to_exit_code, old_to_exit_code]
            .iter()
            .any(|words| words(*failure) == rest)
    })?;
    Some((inner, BlockForm::Action, failure))
}

/// A command that prints exactly this text.
pub fn print_command(text: &str) -> String {
    format!("printf '%s' {}", quoted(text))
}

/// The text that [`print_command`] prints.
pub fn printed_text(command: &str) -> Option<String> {
    let (text, rest) = unquoted(command.trim().strip_prefix("printf '%s' ")?)?;
    rest.trim().is_empty().then_some(text)
}

/// The arguments of a program as one command.
pub fn from_arguments(arguments: &[String]) -> String {
    if let [shell, option, text] = arguments
        && matches!(shell.as_str(), "sh" | "/bin/sh")
        && option == "-c"
    {
        return text.clone();
    }
    arguments
        .iter()
        .map(|word| shell_word(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A command as the arguments of a program. A shell runs what is more than words, and what only a shell has: `exit`,
/// `cd`, `source`.
pub fn to_arguments(command: &str) -> Vec<String> {
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    let is_plain = words.iter().all(|word| is_plain_word(word)) && !words.is_empty();
    let is_program = |name: &str| !name.contains('=') && !shell::is_shell_word(name);
    if is_plain && words.first().is_some_and(|name| is_program(name)) {
        return words.into_iter().map(str::to_owned).collect();
    }
    vec!["sh".to_owned(), "-c".to_owned(), command.to_owned()]
}

/// A command that starts in a folder and with variables of its own.
pub fn with_environment(command: &str, dir: Option<&str>, env: &[(String, String)]) -> String {
    let dir = dir.map(|dir| format!("cd {} && ", shell_word(dir))).unwrap_or_default();
    let env: String = env
        .iter()
        .map(|(name, value)| format!("export {name}={}; ", shell_word(value)))
        .collect();
    format!("{env}{dir}{command}")
}

/// A command with another name for some variables.
pub fn with_variables(command: &str, from: &[&str], to: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let name_of = |text: &str| -> usize {
            text.find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
                .unwrap_or(text.len())
        };
        let open = usize::from(after.starts_with('{'));
        let end = open + name_of(&after[open..]);
        let name = &after[open..end];
        out.push_str(&after[..open]);
        out.push_str(if from.contains(&name) { to } else { name });
        rest = &after[end..];
    }
    out + rest
}

fn is_plain_word(word: &str) -> bool {
    word.chars()
        .all(|character| character.is_alphanumeric() || "_-./:@%+,=".contains(character))
}

pub fn shell_word(word: &str) -> String {
    if is_plain_word(word) && !word.is_empty() {
        word.to_owned()
    } else {
        quoted(word)
    }
}

/// A text in single quotes, in which `'\''` is a quote.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn unquoted(text: &str) -> Option<(String, &str)> {
    crate::relay::single_quoted(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_translated_command_leads_back_to_its_author() {
        let command = "python3 'a b.py' \"$X\"\necho 'it''s'";
        for block in ActionBlock::ALL {
            let there = exit_code_as_action(command, block);
            let back = (command.to_owned(), BlockForm::ExitCode, Failure::Continues);
            assert_eq!(without_translation(&there), Some(back));
        }
        for failure in [Failure::Continues, Failure::Blocks] {
            let there = action_as_exit_code(command, failure);
            assert_eq!(
                without_translation(&there),
                Some((command.to_owned(), BlockForm::Action, failure))
            );
        }
        assert_eq!(without_translation("set -- 'x'; echo $1"), None);
        assert_eq!(printed_text(&print_command(command)).as_deref(), Some(command));
    }

    #[test]
    fn a_command_that_an_older_version_translated_leads_back_to_its_author() {
        let there = exit_code_as_action("x", ActionBlock::Skip);
        let old = there.replacen("set -- ", "HW=", 1).replace("\"$1\"", "\"$HW\"");
        assert_eq!(without_translation(&old), without_translation(&there));
        assert!(old.starts_with("HW='x'; hw=$(sh -c \"$HW\" 2>&1)"));
    }

    #[test]
    fn the_words_of_older_versions_lead_back_too() {
        let blocks = exit_code_as_action("x", ActionBlock::Stop).replace(DENIALS, OLD_DENIALS);
        let back = ("x".to_owned(), BlockForm::ExitCode, Failure::Continues);
        assert_eq!(without_translation(&blocks), Some(back));
        let exits = translated("x", &old_to_exit_code(Failure::Blocks));
        let back = ("x".to_owned(), BlockForm::Action, Failure::Blocks);
        assert_eq!(without_translation(&exits), Some(back));
    }

    #[test]
    fn a_failure_that_blocks_gives_a_reason() {
        for (command, reason) in [
            ("exit 1", "the hook failed\n"),
            ("echo text", "the hook printed no JSON object\n"),
        ] {
            let blocking = action_as_exit_code(command, Failure::Blocks);
            assert_eq!(run(&blocking), (Some(2), reason.to_owned()), "{command}");
            assert_eq!(run(&action_as_exit_code(command, Failure::Continues)).0, Some(1));
        }
        for command in ["true", "echo ' {} '"] {
            assert_eq!(
                run(&action_as_exit_code(command, Failure::Blocks)).0,
                Some(0),
                "{command}"
            );
        }
    }

    /// What a command ends with, and what it writes to stderr.
    fn run(command: &str) -> (Option<i32>, String) {
        let output = std::process::Command::new("sh").args(["-c", command]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    #[test]
    fn a_translated_denial_keeps_its_reason() {
        for (printed, reason) in [
            (r#"{"decision":"deny","reason":"say \"no\"\nnow"}"#, "say \"no\" now\n"),
            ("{\"decision\" :\n\"deny\", \"reason\":\n \"no\"}", "no\n"),
            (r#"{"decision":"deny"}"#, "{\"decision\":\"deny\"}\n"),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"a \\ b"}}"#,
                "a \\ b\n",
            ),
        ] {
            let command = with_decisions(&print_command(printed), DecisionWords::Strict, "PreToolUse");
            assert_eq!(run(&command), (Some(2), reason.to_owned()), "{printed}");
        }
        let skips = print_command(r#"{"action":"skip","system_message":"keep out"}"#);
        let command = action_as_exit_code(&skips, Failure::Continues);
        assert_eq!(run(&command), (Some(2), "keep out\n".to_owned()));
    }

    #[test]
    fn an_output_that_came_with_another_exit_code_counts_after_the_translation() {
        let printed = r#"{"decision":"block","reason":"keep out"}"#;
        let guard = |code: i32| format!("{}; exit {code}", print_command(printed));
        for words in [DecisionWords::Plain, DecisionWords::Strict] {
            let command = with_decisions(&keeping_output(&guard(1)), words, "PreToolUse");
            assert_eq!(run(&command), (Some(2), "keep out\n".to_owned()));
            let back = (guard(1), BlockForm::ExitCode, Failure::Continues);
            assert_eq!(without_translation(&command), Some(back));
        }
        assert_eq!(run(&keeping_output(&guard(1))).0, Some(0));
        assert_eq!(run(&keeping_output(&guard(2))).0, Some(2));
        assert_eq!(run(&keeping_output("echo text; exit 1")).0, Some(1));
    }

    #[test]
    fn a_translated_command_keeps_the_variables_of_its_agent() {
        let command = with_decisions("test \"$HW\" = mine", DecisionWords::Strict, "Stop");
        assert_eq!(run(&format!("export HW=mine; {command}")).0, Some(0));
    }

    #[test]
    fn arguments_and_commands_lead_back_to_each_other() {
        for command in [
            "python3 guard.py",
            "a && b",
            "X=1 run",
            "echo 'a b'",
            "exit 2",
            ". ./x.sh",
        ] {
            assert_eq!(from_arguments(&to_arguments(command)), command);
        }
        let words = ["my tool", "--name", "it's"].map(str::to_owned);
        assert_eq!(from_arguments(&words), r#"'my tool' --name 'it'\''s'"#);
    }

    #[test]
    fn a_shell_runs_what_only_a_shell_has() {
        for command in [
            "exit 2",
            "cd src",
            ". ./x.sh",
            "source x",
            "exec ./x",
            "builtin echo",
            "! ./x",
        ] {
            assert_eq!(to_arguments(command), ["sh", "-c", command]);
        }
        assert_eq!(to_arguments("true"), ["true"]);
        assert_eq!(to_arguments("env X ./x"), ["env", "X", "./x"]);
    }

    #[test]
    fn only_the_named_variable_is_renamed() {
        let renamed = with_variables(r#""$DIR"/a "${DIR}/b" $DIRS $x"#, &["DIR"], "PWD");
        assert_eq!(renamed, r#""$PWD"/a "${PWD}/b" $DIRS $x"#);
    }
}
