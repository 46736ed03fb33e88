//! The script next to a HOOK.md (`agent-hooks.md` §2): which file it is, and whether it can be executed.

use std::path::{Path, PathBuf};

use hookwright_model::{FileFix, FixChange, SourceFile, SourceTree};

use crate::command_lint::{StartFailure, StartReason, fix_first_line, line_fault};
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

/// Why the script cannot be started; `None` if it can. The system starts it, so that no exit code comes.
#[must_use]
pub fn start_failure(entry: Option<&(PathBuf, &SourceFile)>) -> Option<StartFailure> {
    let failure = |reason, path: &Path, fix| StartFailure {
        reason,
        name: format!("scripts/{}", path.file_name().unwrap_or_default().to_string_lossy()),
        exit: None,
        is_part: false,
        fix,
    };
    let Some((path, file)) = entry else {
        return Some(failure(StartReason::Script, Path::new(CANDIDATES[1]), None));
    };
    if !file.executable {
        let found = failure(
            StartReason::Script,
            path,
            Some(FileFix::new(path, FixChange::MakeExecutable)),
        );
        let reason = StartReason::NotExecutable(found.name.clone());
        return Some(StartFailure { reason, ..found });
    }
    // A file that cannot be read is left to the system, and so is machine code.
    let is_unread = file.head.is_empty() && file.text.is_err();
    if is_unread || file.head.contains(&0) {
        return None;
    }
    let fault = line_fault(&String::from_utf8_lossy(&file.head))?;
    let fix = fix_first_line(path, &fault);
    Some(failure(StartReason::FirstLine(fault), path, fix))
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
    let closes = call.char_indices().find_map(|(at, character)| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        (character == ')' && depth == 0).then_some(at + 1)
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
