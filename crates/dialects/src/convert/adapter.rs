//! A program between a script and an agent that it was not written for.
//!
//! The adapter gives the script the event in the form that it reads, and turns its answer into one of the new agent. It
//! runs in the script's own interpreter, so it needs no program that the hook did not need before (`engine.md` §14,
//! conversion).

use std::path::{Path, PathBuf};

use hookwright_model::{EventSpec, VerdictKind};
use serde_json::{Map, json};

use super::adapt::CanBlock;
use super::command::{self, BlockForm, DecisionWords, Failure};
use super::form::{ConvertForm, Moment};
use super::portable::{HookAction, PortableHook, script_file};
use super::{NewFile, ScriptFile, moments, payload};
use crate::shell;

/// An adapter around the command of a hook.
#[derive(Debug, Clone)]
pub struct Adapter {
    interpreter: Interpreter,
    from: &'static ConvertForm,
    /// The event that the script was written for.
    old_event: String,
    on_failure: OnFailure,
    /// The other agent's tool that takes a patch, and the old tool that the script looks for.
    patch_as: Option<(&'static str, &'static str)>,
    /// A pattern for the whole names of the old tools, if the other dialect cannot express it.
    pub tools: Option<String>,
}

/// What runs the script and its adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interpreter {
    Python,
    Node,
    /// A shell, in which only the answer is translated. It cannot give the command another event.
    Shell,
}

/// What a failure of the script does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnFailure {
    /// The agent continues.
    Open,
    /// The agent is blocked, as before.
    Closed,
    /// The agent is blocked, because the hook is a guard. Before it continued.
    Guard,
}

impl OnFailure {
    const ALL: [Self; 3] = [Self::Open, Self::Closed, Self::Guard];

    const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Guard => "guard",
        }
    }
}

impl Interpreter {
    const ALL: [Self; 3] = [Self::Python, Self::Node, Self::Shell];

    const fn program(self) -> &'static str {
        match self {
            Self::Python => "python3",
            Self::Node => "node",
            Self::Shell => "sh",
        }
    }

    const fn suffix(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::Node => "cjs",
            Self::Shell => "sh",
        }
    }

    const fn template(self) -> &'static str {
        match self {
            Self::Python => include_str!("adapters/adapter.py"),
            Self::Node => include_str!("adapters/adapter.cjs"),
            Self::Shell => include_str!("adapters/adapter.sh"),
        }
    }

    /// The interpreter that runs a hook's script, which can give it another event; `None` if it is another one.
    fn of(hook: &PortableHook) -> Option<Self> {
        let program = match &hook.action {
            HookAction::Command(text) => {
                let script = shell::scan(text);
                let word = script.programs().next()?.first()?.text.clone();
                // A script that is started itself names its interpreter.
                let started = hook.files.iter().find(|file| Path::new(&word).ends_with(&file.path));
                started.map_or_else(|| Some(shell::program_name(&word).to_owned()), named_interpreter)?
            }
            HookAction::Script(entry) => named_interpreter(hook.files.iter().find(|file| file.path == *entry)?)?,
            HookAction::Text { .. } => return None,
        };
        match program.as_str() {
            "python" => Some(Self::Python),
            "node" | "nodejs" => Some(Self::Node),
            _ => None,
        }
    }
}

/// The program that the first line of a script names.
fn named_interpreter(file: &ScriptFile) -> Option<String> {
    let first = file.bytes.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(first).ok()?.strip_prefix("#!")?;
    let script = shell::scan(line);
    let word = script.programs().next()?.first()?.text.clone();
    Some(shell::program_name(&word).to_owned())
}

impl Adapter {
    /// The adapter that a hook needs; `None` if it needs none, or if its script runs in another interpreter.
    pub fn of(
        hook: &PortableHook,
        ours: &EventSpec,
        theirs: &EventSpec,
        forms: (&'static ConvertForm, &ConvertForm),
    ) -> Option<Self> {
        let (from, to) = forms;
        let speaks_json_rpc = [from.speaks, to.speaks].contains(&BlockForm::JsonRpc);
        let can_block = ours.can_block() && theirs.can_block() && !hook.detached;
        let is_guard = can_block && (hook.seems_to_block || !hook.is_readable());
        let needs_words = hook.needs_other_words((from, to), ours, theirs);
        let interpreter = match Interpreter::of(hook) {
            Some(known) => {
                let is_needed = speaks_json_rpc || is_guard || needs_words || hook.reads_event();
                is_needed.then_some(known)?
            }
            None => {
                let fits = !speaks_json_rpc && hook.speaks == from.speaks && !hook.is_misread(from, to);
                (needs_words && fits).then_some(Interpreter::Shell)?
            }
        };
        Some(Self {
            interpreter,
            from,
            old_event: ours.name.to_owned(),
            on_failure: match hook.failure {
                Failure::Blocks if can_block => OnFailure::Closed,
                Failure::Continues if is_guard => OnFailure::Guard,
                Failure::Blocks | Failure::Continues => OnFailure::Open,
            },
            patch_as: to.patch_tool.map(|patch| {
                let [_, write, edit, _] = from.tool_names;
                let looks_for_write = hook.names_tool(write) && !hook.names_tool(edit);
                (patch, if looks_for_write { write } else { edit })
            }),
            tools: None,
        })
    }

    /// Whether a failure of the script blocks.
    pub fn fails_closed(&self) -> bool {
        self.on_failure != OnFailure::Open
    }

    /// The name of its file, after the script that it is for.
    pub fn file_name(&self, script: &str, to: &ConvertForm) -> String {
        format!("{script}{}", file_ending(self.from, to, self.interpreter))
    }

    /// The program of the adapter.
    pub fn file(&self, path: PathBuf, to: &ConvertForm) -> NewFile {
        script_file(path, self.program(to))
    }

    fn program(&self, to: &ConvertForm) -> String {
        let from = self.from;
        let fields: Map<_, _> = payload::renamed_fields(from, to)
            .map(|(ours, theirs)| (ours.to_owned(), theirs.into()))
            .collect();
        let tools: Map<_, _> = moments::renamed_tools(from, to)
            .map(|(ours, theirs)| (theirs.to_owned(), ours.into()))
            .chain(self.patch_as.map(|(patch, name)| (patch.to_owned(), name.into())))
            .collect();
        let folders: Vec<&str> = from.card.dir_vars.iter().map(|var| var.name).collect();
        let taking = |output: &[&str]| payload::events_taking(to.card, output);
        let (edits, ends) = (taking(&payload::EDITS), taking(&[payload::ENDS]));
        let context = taking(&["additionalContext", "additional_context"]);
        let rules = json!({
            "from": from.card.id, "to": to.card.id, "fields": fields, "tools": tools, "file_tools": moments::file_tools(to),
            "paths": [from.path_argument, to.path_argument], "folders": folders,
            "edits": edits, "context": context, "ends": ends,
        });
        let literal = json!(rules.to_string()).to_string();
        let values = [
            ("@FROM@", from.card.name.to_owned()),
            ("@TO@", to.card.name.to_owned()),
            ("@FROM_ID@", from.card.id.to_owned()),
            ("@TO_ID@", to.card.id.to_owned()),
            ("@EDITS@", edits.join(" ")),
            ("@CONTEXT@", context.join(" ")),
            ("@ENDS@", ends.join(" ")),
            ("@RULES@", literal),
        ];
        let template = self.interpreter.template().to_owned();
        values
            .iter()
            .fold(template, |text, (name, value)| text.replace(name, value))
    }

    /// Whether it looks at the tool before it runs the command.
    pub fn checks_tools(&self) -> bool {
        self.interpreter != Interpreter::Shell
    }

    /// The words that start the adapter at this path, for an event of the other dialect and a command.
    pub fn words(&self, path: String, new_event: &str, inner: String) -> Vec<String> {
        let mut words = vec![
            self.interpreter.program().to_owned(),
            path,
            self.old_event.clone(),
            new_event.to_owned(),
            self.on_failure.word().to_owned(),
            inner,
        ];
        words.extend(self.tools.clone());
        words
    }

    /// Whether this is the file of an adapter that a conversion in the other direction made.
    pub fn is_file(path: &Path, from: &ConvertForm, to: &ConvertForm) -> bool {
        let name = path.file_name().and_then(std::ffi::OsStr::to_str);
        name.is_some_and(|name| {
            let mut endings = Interpreter::ALL.map(|known| file_ending(to, from, known)).into_iter();
            endings.any(|ending| name.ends_with(&ending))
        })
    }

    /// The command inside an adapter that an earlier conversion of this module made, and whether its failure blocked
    /// before; `None` if the command is another one. It speaks the dialect that is converted to.
    pub fn unwrap(command: &str, from: &ConvertForm, to: &ConvertForm) -> Option<(String, Failure)> {
        let script = shell::scan(command);
        let [only] = script.commands.as_slice() else {
            return None;
        };
        let words: Vec<&str> = only.words.iter().map(|word| word.text.as_str()).collect();
        let [program, path, _, _, on_failure, inner, ..] = words[..] else {
            return None;
        };
        Interpreter::ALL.into_iter().find(|known| known.program() == program)?;
        if !Self::is_file(Path::new(path), from, to) {
            return None;
        }
        let on_failure = OnFailure::ALL.into_iter().find(|known| known.word() == on_failure)?;
        let failure = match on_failure {
            OnFailure::Closed => Failure::Blocks,
            OnFailure::Open | OnFailure::Guard => Failure::Continues,
        };
        Some((inner.to_owned(), failure))
    }
}

fn file_ending(from: &ConvertForm, to: &ConvertForm, interpreter: Interpreter) -> String {
    let word = |form: &ConvertForm| form.card.id.replace('-', "_");
    format!(".{}_to_{}.{}", word(from), word(to), interpreter.suffix())
}

impl PortableHook {
    /// The texts that decide what it does: its command, and the scripts that come along.
    fn texts(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        let command = match &self.action {
            HookAction::Command(text) => Some(text.as_str().into()),
            HookAction::Script(_) | HookAction::Text { .. } => None,
        };
        command
            .into_iter()
            .chain(self.files.iter().map(|file| String::from_utf8_lossy(&file.bytes)))
    }

    /// Whether the program's text came along, or the command is all of it.
    pub fn is_readable(&self) -> bool {
        !self.files.is_empty()
            || matches!(&self.action, HookAction::Command(text) if shell::scan(text).programs().all(|words| {
                words.first().is_none_or(|word| shell::is_shell_word(&word.text) || PRINTERS.contains(&word.text.as_str()))
            }))
    }

    /// Whether its command or a script reads the event.
    pub fn reads_event(&self) -> bool {
        self.texts().any(|text| READERS.iter().any(|word| text.contains(word)))
    }

    /// Whether its command or a script names a field of the event.
    pub fn reads(&self, field: &str) -> bool {
        let is_name = |before: &str, after: &str| {
            before.ends_with(['"', '\'', '.'])
                && !before.ends_with("os.")
                && !after.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        };
        self.texts().any(|text| {
            let mut found = text.match_indices(field);
            found.any(|(at, _)| is_name(&text[..at], &text[at + field.len()..]))
        })
    }

    /// Whether what it reads of the event is the same in both dialects: values of fields that both have, by `jq`, or words
    /// without the signs of JSON.
    fn reads_the_same(&self, from: &ConvertForm, to: &ConvertForm) -> bool {
        let differing: Vec<&str> = payload::differing_fields(from, to).collect();
        let has_other_tools = moments::differing_tools(from, to).any(|tool| self.names_tool(tool));
        let has_other_path = from.path_argument != to.path_argument && !from.path_argument.is_empty();
        if has_other_tools || (has_other_path && self.reads(from.path_argument)) {
            return false;
        }
        let uses_jq = self.texts().any(|text| text.contains("jq"));
        let json_signs: &[&str] = if uses_jq {
            &["grep", "sed ", "awk", "cut "]
        } else {
            JSON_SIGNS
        };
        self.texts().all(|text| {
            let read = without_printed(&text);
            !json_signs.iter().chain(&differing).any(|sign| read.contains(*sign))
        })
    }

    /// Whether it reads something of the event that is another thing in the other dialect.
    fn is_misread(&self, from: &ConvertForm, to: &ConvertForm) -> bool {
        self.reads_event() && !self.reads_the_same(from, to)
    }

    /// Whether its command or a script looks for a tool of this name.
    pub fn names_tool(&self, name: &str) -> bool {
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
        self.texts().any(|text| {
            let read = without_printed(&text);
            let mut found = read.match_indices(name);
            found.any(|(at, _)| !read[..at].ends_with(is_part) && !read[at + name.len()..].starts_with(is_part))
        })
    }

    /// Whether its command or a script returns this field, as `"field": …`, `field: …` or `["field"] = …`.
    pub fn returns(&self, field: &str) -> bool {
        let is_value = |rest: &str| {
            let rest = rest.trim_start_matches(['\\', '"', '\'']).trim_start();
            let rest = rest.strip_prefix(']').unwrap_or(rest).trim_start();
            rest.starts_with(':') || (rest.starts_with('=') && !rest.starts_with("=="))
        };
        self.texts().any(|text| {
            let mut found = text.match_indices(field);
            found.any(|(at, _)| {
                let is_whole = !text[..at].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
                is_whole && is_value(&text[at + field.len()..])
            })
        })
    }

    /// Whether it gives a call another input.
    pub fn edits(&self, ours: &EventSpec) -> bool {
        let mut fields = ours
            .outputs
            .iter()
            .filter(|output| payload::EDITS.contains(&output.name));
        fields.any(|output| self.returns(output.name))
    }

    /// Whether it approves calls.
    pub fn approves(&self) -> bool {
        let words = ["\"allow\"", "'allow'", "\"approve\"", "'approve'"];
        self.prints_decision()
            && self
                .texts()
                .any(|text| words.iter().any(|word| text.replace('\\', "").contains(word)))
    }

    /// Whether its answer says something at this event that the other agent takes in other words only, beside a denial: a
    /// new input, an approval, the end of the turn.
    fn needs_other_words(&self, forms: (&ConvertForm, &ConvertForm), ours: &EventSpec, theirs: &EventSpec) -> bool {
        let (from, to) = forms;
        let has_same_words = from.decisions.is_some() && from.decisions == to.decisions;
        let is_stop = matches!(
            moments::moment_of(from, ours.name),
            Some(Moment::Stopping | Moment::SubagentStop)
        );
        let ends_otherwise = !has_same_words
            || theirs.output(payload::ENDS).is_none()
            || (to.ends_after_call && theirs.output("permissionDecision").is_some());
        // Codex approves nothing beside a new input, and nothing before a call.
        let approves_otherwise = from.decisions == Some(DecisionWords::Strict)
            && (ours.output("permissionDecision").is_some() || self.returns("updatedInput"));
        // When j-cli is about to stop, everything but feedback ends the turn.
        let says_stop = self.failure == Failure::Blocks || self.returns("action") || self.returns("abort");
        (self.edits(ours) && !has_same_words)
            || (approves_otherwise && self.approves())
            || (self.returns(payload::ENDS) && ends_otherwise)
            || (is_stop && from.speaks == BlockForm::Action && says_stop)
            || (makes_go_on(ours) != makes_go_on(theirs) && self.returns("additionalContext"))
            || (needs_answer(to, ours, theirs) && self.blocks_by_code())
    }

    /// Whether it makes the agent go on by a context, at an event of an agent that does so.
    pub fn blocks_by_context(&self, event: &EventSpec) -> bool {
        makes_go_on(event) && self.returns("additionalContext")
    }

    /// Whether it blocks by its exit code or by `decision` at the top of its answer.
    fn blocks_by_code(&self) -> bool {
        self.texts().any(|text| {
            let bare = text.replace(['\\', ' '], "");
            let words = ["exit2", "exit(2", r#""decision":"block""#, r#""decision":"deny""#];
            words.iter().any(|word| bare.contains(word))
        })
    }

    /// Whether its command or a script prints.
    pub fn prints(&self) -> bool {
        let words = ["echo", "printf", "print(", "console.log", "cat <<"];
        self.texts().any(|text| words.iter().any(|word| text.contains(word)))
    }

    /// Whether its command or a script prints a decision as JSON.
    pub fn prints_decision(&self) -> bool {
        let words = ["decision", "permissionDecision", "\"continue\""];
        self.texts().any(|text| words.iter().any(|word| text.contains(word)))
    }

    /// Whether its command or a script names an exit code other than 0 and 2.
    pub fn exits_otherwise(&self) -> bool {
        let is_other = |rest: &str| {
            let rest = rest.strip_prefix("Code").unwrap_or(rest);
            let code = rest.trim_start_matches(|sign: char| " (=".contains(sign));
            let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
            code.starts_with('$') || !["", "0", "2"].contains(&digits.as_str())
        };
        self.texts().any(|text| {
            let mut found = text.match_indices("exit");
            found.any(|(at, word)| is_other(&text[at + word.len()..])) || text.contains("set -e")
        })
    }

    /// Whether its command or a script writes to stderr before each exit code 2.
    pub fn gives_reasons(&self) -> bool {
        let writes = |text: &str| {
            [">&2", "stderr", "console.error"]
                .iter()
                .any(|word| text.contains(word))
        };
        self.texts().all(|text| {
            let text = text.replace("exit(2", "exit 2");
            let parts: Vec<&str> = text.split("exit 2").collect();
            parts[..parts.len() - 1].iter().all(|before| writes(before))
        })
    }

    /// Whether its command or a script prints `deny` as `decision`.
    pub fn prints_denial(&self) -> bool {
        self.texts()
            .any(|text| text.replace([' ', '\\'], "").contains(r#""decision":"deny""#))
    }

    /// Whether the hook blocks by what it reads, and the other agent's events have another form, so that it would not
    /// block the same calls any more.
    pub fn loses_its_block(&self, from: &ConvertForm, to: &ConvertForm) -> bool {
        let speaks_json_rpc = [from.speaks, to.speaks].contains(&BlockForm::JsonRpc);
        self.seems_to_block && (speaks_json_rpc || self.is_misread(from, to))
    }

    /// Where the adapter is in the project: beside the script, or in the folder for scripts of the other dialect.
    pub fn adapter_path(&self, adapter: &Adapter, to: &ConvertForm) -> PathBuf {
        let script = self.files.iter().find(|file| match &self.action {
            HookAction::Command(text) => text.contains(&*file.path.to_string_lossy()),
            HookAction::Script(entry) => file.path == *entry,
            HookAction::Text { .. } => false,
        });
        let place = script.map(|file| self.carried_path(to, &file.path));
        let place = place.unwrap_or_else(|| self.script_folder(to).join("scripts").join(&self.name));
        let stem = place.file_stem().unwrap_or_default().to_string_lossy();
        place.with_file_name(adapter.file_name(&stem, to))
    }
}

/// The command that starts an adapter: its words, with the path behind the variable of the project's folder if there is one.
pub fn shell_command(words: &[String], folder_variable: Option<&str>) -> String {
    let quoted = words.iter().enumerate().map(|(index, word)| match folder_variable {
        Some(name) if index == 1 => format!("\"${name}\"/{}", command::shell_word(word)),
        Some(_) | None => command::shell_word(word),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Whether an added context makes the agent go on.
pub fn makes_go_on(event: &EventSpec) -> bool {
    event.exit_2 == Some(VerdictKind::Retry) && event.output("additionalContext").is_some()
}

/// Whether the other dialect has a block at its event for every block of a hook. An event that only ends the turn denies
/// nothing.
pub fn can_express_block(ours: &EventSpec, theirs: &EventSpec, to: &ConvertForm) -> bool {
    let is_end = |verdict: &VerdictKind| matches!(verdict, VerdictKind::EndTurn | VerdictKind::EndSession);
    let only_ends = |spec: &EventSpec| spec.verdicts.iter().filter(|verdict| verdict.blocks()).all(is_end);
    theirs.can_block() && (to.speaks != BlockForm::ExitCode || !only_ends(theirs) || only_ends(ours))
}

/// Whether a block at an event must be in the answer of the other agent, because its exit code blocks nothing there.
fn needs_answer(to: &ConvertForm, ours: &EventSpec, theirs: &EventSpec) -> bool {
    to.speaks == BlockForm::ExitCode && ours.exit_2.is_some() && theirs.exit_2.is_none()
}

/// A script without what its lines print, and without comments.
fn without_printed(text: &str) -> String {
    let printed = |line: &&str| {
        let words = ["then ", "else ", "do ", "{ "];
        let line = line.trim_start();
        let line = words
            .iter()
            .find_map(|word| line.strip_prefix(word))
            .unwrap_or(line)
            .trim_start();
        !["echo ", "printf ", "#"].iter().any(|word| line.starts_with(word))
    };
    let lines = text.split(['\n', ';', ')', '&', '|']);
    lines.filter(printed).collect::<Vec<_>>().join("\n")
}

/// Signs by which a script finds its way in the text of an event.
const JSON_SIGNS: &[&str] = &["\\", "\"'", "'\"", "\":"];

/// Programs that only print.
const PRINTERS: [&str; 3] = ["echo", "printf", "cat"];

/// What commands and scripts read the event with.
const READERS: [&str; 13] = [
    "stdin",
    "(cat",
    "`cat",
    "read ",
    "jq",
    "grep",
    "sed ",
    "awk",
    "cut ",
    "tee",
    "readFileSync(0",
    "input()",
    "STDIN",
];
