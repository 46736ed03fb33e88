//! The script next to a HOOK.md (`agent-hooks.md` §2): which file it is, and whether it can be executed.

use std::path::{Path, PathBuf};

use hookwright_model::{FileFix, Message, SourceFile, SourceTree, args};

use super::messages;
use crate::command_lint::interpreter_line;
use crate::relay;

/// The possible paths of the script. The first one that exists is used.
pub const CANDIDATES: [&str; 3] = ["scripts/run", "scripts/run.sh", "scripts/run.py"];

/// The path of a hook's script, and what was read of it.
#[must_use]
pub fn find<'t>(tree: &'t SourceTree, folder: &Path) -> Option<(PathBuf, &'t SourceFile)> {
    CANDIDATES.iter().find_map(|candidate| {
        let path = folder.join(candidate);
        let file = tree.files.get(&path).filter(|file| file.exists)?;
        Some((path, file))
    })
}

/// Whether a broken script means that every call is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardRole {
    /// The hook is a guard: its event is `before_tool` or `before_stop`.
    Guard,
    /// Any other event.
    Other,
}

/// Why the script cannot be started, and a change of it with which it can. `None` if it can be started.
#[must_use]
pub fn start_error(entry: Option<&(PathBuf, &SourceFile)>, role: GuardRole) -> Option<(Message, Option<FileFix>)> {
    let pick = |other, guard| match role {
        GuardRole::Guard => guard,
        GuardRole::Other => other,
    };
    let Some((path, file)) = entry else {
        let message = pick(messages::ENTRY_MISSING, messages::ENTRY_MISSING_GUARD).render_plain();
        return Some((message, None));
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut args = args! { "entry" => format!("scripts/{name}") };
    if !file.executable {
        let message = pick(messages::NOT_EXECUTABLE, messages::NOT_EXECUTABLE_GUARD).render(args);
        return Some((message, Some(FileFix::make_executable(path))));
    }
    if ends_with_return(file) {
        let message = pick(messages::RETURN, messages::RETURN_GUARD).render(args);
        return Some((message, Some(FileFix::line_endings(path))));
    }
    if is_startable(file) {
        return None;
    }
    let fix = interpreter_line::for_name(path).unwrap_or_else(|| FileFix::interpreter_line(path, "#!/bin/sh"));
    args.insert("line".to_owned(), fix.line.clone().into());
    Some((
        pick(messages::NO_SHEBANG, messages::NO_SHEBANG_GUARD).render(args),
        Some(fix),
    ))
}

/// Whether the file names its interpreter or is machine code. A file that cannot be read is left to the system.
fn is_startable(file: &SourceFile) -> bool {
    let unread = file.head.is_empty() && file.text.is_err();
    unread || file.head.starts_with(b"#!") || file.head.contains(&0)
}

/// Whether the first line ends with a carriage return, which the system takes as part of the interpreter's name.
fn ends_with_return(file: &SourceFile) -> bool {
    let first = file.head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let by_text = file
        .text
        .as_deref()
        .ok()
        .and_then(|text| text.split('\n').next())
        .unwrap_or_default();
    let whole = if by_text.is_empty() { first } else { by_text.as_bytes() };
    file.head.starts_with(b"#!") && whole.ends_with(b"\r")
}

/// Calls by which a Python script hands over to another program.
const HANDOVER_CALLS: [&str; 6] = [
    "os.exec",
    "subprocess.run(",
    "subprocess.call(",
    "subprocess.check_call(",
    "sys.exit(subprocess.",
    "raise SystemExit(subprocess.",
];

/// Whether a Python script is, after its imports, one call that hands over to Hookwright's relay.
fn is_python_relay<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let quiet = |line: &&str| !["#", "import ", "from "].iter().any(|begin| line.starts_with(begin));
    let call: String = lines.map(str::trim).filter(quiet).collect();
    let mut depth = 0_i32;
    let closes = call.char_indices().find_map(|(at, sign)| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        (sign == ')' && depth == 0).then_some(at + 1)
    });
    let mut texts = call.split(['"', '\'']).skip(1).step_by(2);
    HANDOVER_CALLS.iter().any(|begin| call.starts_with(begin))
        && closes == Some(call.len())
        && texts.any(relay::is_relay)
        // Such a call may repeat the program's name before the arguments.
        && texts.find(|text| !relay::is_relay(text) && !text.trim().is_empty()) != Some("run")
}

/// Whether the script does nothing but start Hookwright's relay (`engine.md` §2).
#[must_use]
pub fn is_relay(file: &SourceFile) -> bool {
    let Ok(text) = &file.text else { return false };
    let mut lines = text.lines();
    if lines
        .next()
        .is_some_and(|line| line.starts_with("#!") && line.contains("python"))
    {
        return is_python_relay(lines);
    }
    relay::starts_relay(text)
}
