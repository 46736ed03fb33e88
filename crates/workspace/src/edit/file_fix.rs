//! Fixes of scripts that cannot start, read the event wrongly or write an answer that cannot be read (the executable bits,
//! the line endings, the `#!` line, `echo` of the event, what is printed beside the answer or wrongly in it), of fields of
//! a definition, and of configuration files that are not read, or whose hooks are not.
//!
//! A fix is an edit like any other: it changes only a file that a hook consists of, or one that a problem of the project
//! offers it for, shows the exact change first, and can be undone.

use std::path::Path;

use hookwright_dialects::{definition_fix, wrapper_fix};
use hookwright_model::{
    EditDoc, EditKind, EditRequest, FieldReplacement, FieldValue, FileFix, FixChange, Hook, HookChange, Message, render,
};

use super::approval_transfer::TransferUndo;
use super::commit::CheckedEdit;
use super::edit_openers::EditOpeners;
use super::folders::BYTE_ORDER_MARK;
use super::hook_edit;
use super::refusal::{EditRefusal, WriteMode};
use super::script_edit::{self, ScriptPlace};
use super::store::EditRecord;
use super::user_files::{self, FileContent, FileTransaction, PlannedFile};
use crate::project::OpenProject;
use crate::snapshot::Snapshot;
use crate::trust::disk_cache::DiskCache;
use crate::workspace::Workspace;

/// A `#!` line has at most this many bytes, so that every system reads it whole.
const MAX_LINE_BYTES: usize = 127;
const EXECUTABLE_BITS: u32 = 0o111;

hookwright_model::messages! {
    /// The file belongs to no hook of the project or the user.
    NOT_A_SCRIPT = "fix_not_a_script" { "{path} is not a script of a hook", "{path} 不是任何 Hook 的脚本" } hint { "check the list of problems again; nothing was changed", "重新查看问题列表；未作任何更改" };
    /// The text is not a `#!` line.
    BAD_LINE = "fix_bad_line" { "`{line}` is not a `#!` line", "`{line}` 不是 `#!` 行" } hint { "write for example `#!/usr/bin/env python3`", "例如写 `#!/usr/bin/env python3`" };
    /// The text of the file is not the one that the fix is for.
    NOT_FOUND = "fix_not_found" { "{path} does not contain what this fix changes", "{path} 中没有此修复要更改的内容" } hint { "check the list of problems again; nothing was changed", "重新查看问题列表；未作任何更改" };
    /// The file is not UTF-8, so its text cannot be changed.
    NOT_TEXT = "fix_not_text" { "{path} is not UTF-8 text", "{path} 不是 UTF-8 文本" } hint { "correct it by hand; nothing was changed", "手工更正；未作任何更改" };
}

/// Applies a fix. `hook` is the hook that the problem is about; a script may also belong to another one.
///
/// # Errors
/// The reason why the fix is refused. No file was changed then.
pub fn apply(
    workspace: &Workspace,
    project: &Path,
    hook: Option<&str>,
    fix: &FileFix,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    open_project.refresh();
    let snapshot = open_project.snapshot();
    match &fix.change {
        FixChange::Field { replace } => {
            let request = replacement(&snapshot, hook, fix, replace)?;
            return hook_edit::perform(workspace, project, None, &request, mode);
        }
        FixChange::ByteOrderMark
        | FixChange::RenameKey { .. }
        | FixChange::AddWrapper { .. }
        | FixChange::RemoveWrapper
        | FixChange::MoveFile { .. } => return fix_configuration(workspace, &open_project, fix, mode),
        FixChange::MakeExecutable
        | FixChange::LineEndings
        | FixChange::InterpreterLine { .. }
        | FixChange::FirstLine
        | FixChange::Printf { .. }
        | FixChange::ToStderr { .. }
        | FixChange::LineText { .. } => {}
    }
    let path = DiskCache::default().real(&fix.path);
    let none = || render!(NOT_A_SCRIPT, "path" => fix.path.display().to_string());
    let hook = owner_of(workspace, &snapshot, hook, &path).ok_or_else(none)?;
    let opener = EditOpeners::of_open_project(&open_project).of(&path);
    let before = user_files::read_content(&opener, &path)?.ok_or_else(none)?;
    let after = fixed(&path, &before, &fix.change)?;
    let work = FileTransaction {
        files: vec![PlannedFile {
            path: path.clone(),
            before: Some(before),
            after: Some(after),
        }],
        ..FileTransaction::default()
    };
    script_edit::perform(workspace, &open_project, &hook, &path, work, mode)
}

/// Corrects or moves a configuration file. A problem of the project must offer this fix now.
fn fix_configuration(
    workspace: &Workspace,
    open_project: &OpenProject,
    fix: &FileFix,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let not_found = || render!(NOT_FOUND, "path" => fix.path.display().to_string());
    let snapshot = open_project.snapshot();
    let offers = |dialect: &str| {
        let problems = snapshot.problems(&workspace.env, Some(dialect));
        problems.iter().any(|problem| problem.fixes.contains(fix))
    };
    let dialects = hookwright_dialects::all().iter().map(|dialect| dialect.card().id);
    let dialect = dialects
        .into_iter()
        .find(|dialect| offers(dialect))
        .ok_or_else(not_found)?;
    let openers = EditOpeners::of_open_project(open_project);
    let path = fix.path.as_path();
    let before = user_files::read_content(&openers.of(path), path)?.ok_or_else(not_found)?;
    let after = fixed(path, &before, &fix.change)?;
    let file = |path: &Path, before, after| PlannedFile {
        path: path.to_owned(),
        before,
        after,
    };
    let (shown, files) = if let FixChange::MoveFile { to } = &fix.change {
        let moved = vec![file(to, None, Some(after)), file(path, Some(before), None)];
        (to.as_path(), moved)
    } else {
        (path, vec![file(path, Some(before), Some(after))])
    };
    for file in &files {
        ScriptPlace::new(workspace, open_project, &file.path).check()?;
    }
    let work = FileTransaction {
        files,
        ..FileTransaction::default()
    };
    let mut edit = CheckedEdit::of_files(shown, work);
    let record = EditRecord {
        in_project: ScriptPlace::new(workspace, open_project, shown).is_in_project(),
        script: true,
        ..edit.record(workspace, open_project, EditKind::Save, dialect)
    };
    edit.write(workspace, open_project, mode, record, None, |_, _| {
        Ok(TransferUndo::default())
    })
}

/// The edit that replaces a text in a field of the hook's definition.
fn replacement(
    snapshot: &Snapshot,
    hook: Option<&str>,
    fix: &FileFix,
    FieldReplacement { field, from, to }: &FieldReplacement,
) -> Result<EditRequest, Message> {
    let named = hook
        .and_then(|id| snapshot.hook(id))
        .filter(|hook| hook.source.path == fix.path);
    let text = named.and_then(|hook| definition_fix::text_of(hook, field));
    let (Some(hook), Some(text)) = (named, text.filter(|text| text.matches(from).count() == 1)) else {
        return Err(render!(NOT_FOUND, "path" => fix.path.display().to_string()));
    };
    Ok(EditRequest::Change {
        hook: hook.id.clone(),
        changes: vec![HookChange::Set {
            field: field.clone(),
            value: FieldValue::Value(text.replacen(from, to, 1).into()),
        }],
    })
}

/// A hook that the file belongs to: the named one if it is its file, else the first one.
fn owner_of(workspace: &Workspace, snapshot: &Snapshot, hook: Option<&str>, path: &Path) -> Option<Hook> {
    let named = hook.and_then(|id| snapshot.hook(id));
    let owns = |hook: &&std::sync::Arc<Hook>| {
        let disk = DiskCache::default();
        let files = script_edit::files_of(workspace, snapshot, hook);
        files.iter().any(|file| disk.real(file) == path)
    };
    let found = named.into_iter().chain(snapshot.all()).find(owns);
    found.map(|hook| (**hook).clone())
}

fn fixed(path: &Path, before: &FileContent, change: &FixChange) -> Result<FileContent, Message> {
    let same = FileContent {
        owner: None,
        attributes: Vec::new(),
        ..before.clone()
    };
    let text = || {
        let not_text = || render!(NOT_TEXT, "path" => path.display().to_string());
        std::str::from_utf8(&before.bytes).map_err(|_| not_text())
    };
    // The byte-order mark of a configuration file stays.
    let with_mark = |fixed: &dyn Fn(&str) -> Option<String>| -> Result<Option<String>, Message> {
        let text = text()?;
        let body = text.strip_prefix(BYTE_ORDER_MARK);
        Ok(fixed(body.unwrap_or(text)).map(|fixed| {
            if body.is_some() {
                format!("{BYTE_ORDER_MARK}{fixed}")
            } else {
                fixed
            }
        }))
    };
    let changed = match change {
        FixChange::MakeExecutable => {
            return Ok(FileContent {
                mode: executable(before.mode),
                ..same
            });
        }
        FixChange::MoveFile { .. } => return Ok(same),
        FixChange::LineEndings => Some(text()?.replace("\r\n", "\n")),
        FixChange::FirstLine => with_line_first(text()?),
        FixChange::Printf { lines } => with_lines(text()?, lines, printf_for_echo),
        FixChange::ToStderr { lines } => with_lines(text()?, lines, to_stderr),
        FixChange::LineText { line, from, to } => with_lines(text()?, &[*line], |text| {
            (text.matches(from).count() == 1).then(|| text.replacen(from, to, 1))
        }),
        FixChange::InterpreterLine { line } => Some(with_interpreter_line(text()?, checked_line(line)?)),
        FixChange::ByteOrderMark => text()?.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned),
        FixChange::RenameKey { from, to } => with_mark(&|body| wrapper_fix::rename_key(body, from, to))?,
        FixChange::AddWrapper { keys } => with_mark(&|body| wrapper_fix::add_wrapper(body, keys))?,
        FixChange::RemoveWrapper => with_mark(&wrapper_fix::remove_wrapper)?,
        // It is an edit of its definition.
        FixChange::Field { .. } => None,
    };
    let not_found = || render!(NOT_FOUND, "path" => path.display().to_string());
    Ok(FileContent {
        bytes: changed.ok_or_else(not_found)?.into_bytes(),
        ..same
    })
}

/// Whoever may read the file may then execute it, as `chmod +x` does with the usual mask.
const fn executable(mode: u32) -> u32 {
    let readers = (mode & 0o444) >> 2;
    mode | (readers & EXECUTABLE_BITS) | 0o100
}

fn checked_line(line: &str) -> Result<&str, Message> {
    let is_line = line.starts_with("#!/") && line.len() <= MAX_LINE_BYTES && !line.chars().any(char::is_control);
    is_line.then_some(line).ok_or_else(|| render!(BAD_LINE, "line" => line))
}

/// The text with this first line, in place of its own `#!` line if it has one.
fn with_interpreter_line(text: &str, line: &str) -> String {
    let rest = match text.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    format!("{line}\n{rest}")
}

/// The text with its `#!` line as the first characters; `None` if it has none.
fn with_line_first(text: &str) -> Option<String> {
    let begins = |character: char| character == '\u{feff}' || character.is_whitespace();
    let rest = text.trim_start_matches(begins);
    let line = rest.strip_prefix("#!").or_else(|| rest.strip_prefix("#\\!"))?;
    Some(format!("#!{line}"))
}

/// The text with these lines changed; `None` if one of them cannot be changed, or is not there.
fn with_lines(text: &str, lines: &[u32], changed: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut left = lines.len();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if lines.contains(&number) {
            out += &changed(line)?;
            left -= 1;
        } else {
            out += line;
        }
    }
    (left == 0).then_some(out)
}

/// The line with `>&2` behind its `echo` or `printf`.
fn to_stderr(line: &str) -> Option<String> {
    let rest = line.trim_start();
    let indent = &line[..line.len() - rest.len()];
    let printed = |name: &str| rest.strip_prefix(name).map(|rest| format!("{indent}{name}>&2 {rest}"));
    printed("echo ").or_else(|| printed("printf "))
}

/// The line with `printf '%s\n' "$X" |` for its first `echo "$X" |`.
fn printf_for_echo(line: &str) -> Option<String> {
    line.match_indices("echo ").find_map(|(at, word)| {
        let before = &line[..at];
        let is_command = before.trim_end().is_empty() || before.ends_with([' ', '(', ';', '`', '\t']);
        let mut rest = line[at + word.len()..].trim_start();
        let mut format = "%s\\n";
        while let Some((option, behind)) = rest.strip_prefix('-').and_then(|rest| rest.split_once(' ')) {
            if !option.chars().all(|sign| "neE".contains(sign)) {
                return None;
            }
            if option.contains('n') {
                format = "%s";
            }
            rest = behind.trim_start();
        }
        let (written, behind) = rest.split_once('|')?;
        let variable = written.trim().trim_matches('"').strip_prefix('$')?;
        let name = variable
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'))
            .unwrap_or(variable);
        let is_name = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        (is_command && is_name && !behind.starts_with('|'))
            .then(|| format!("{before}printf '{format}' \"${name}\" |{behind}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_the_first_line_is_removed() {
        for text in [
            "\u{feff}#!/bin/sh\nls\n",
            "\n \n#!/bin/sh\nls\n",
            " #!/bin/sh\nls\n",
            "#\\!/bin/sh\nls\n",
        ] {
            assert_eq!(with_line_first(text).as_deref(), Some("#!/bin/sh\nls\n"), "{text:?}");
        }
        assert_eq!(with_line_first("\nls\n"), None);
    }

    #[test]
    fn a_variable_is_printed_as_it_is() {
        for (line, fixed) in [
            ("echo \"$X\" | jq .", Some("printf '%s\\n' \"$X\" | jq .")),
            ("Y=$(echo -e $X | jq .)\n", Some("Y=$(printf '%s\\n' \"$X\" | jq .)\n")),
            (
                "if echo -n \"${X}\" | grep -q y; then",
                Some("if printf '%s' \"$X\" | grep -q y; then"),
            ),
            ("echo \"$X $Y\" | jq .", None),
            ("echo \"$X\" || true", None),
            ("myecho \"$X\" | jq .", None),
            ("echo done", None),
        ] {
            assert_eq!(printf_for_echo(line).as_deref(), fixed, "{line}");
        }
        assert_eq!(
            with_lines("a\necho \"$X\" | b\n", &[2], printf_for_echo).as_deref(),
            Some("a\nprintf '%s\\n' \"$X\" | b\n")
        );
        assert_eq!(with_lines("a\n", &[1], printf_for_echo), None);
    }

    #[test]
    fn a_printed_text_goes_to_stderr() {
        assert_eq!(to_stderr("  echo hi # x\n").as_deref(), Some("  echo >&2 hi # x\n"));
        assert_eq!(to_stderr("printf '%s' hi").as_deref(), Some("printf >&2 '%s' hi"));
        assert_eq!(to_stderr("cat x"), None);
        assert_eq!(with_lines("echo a\n", &[2], to_stderr), None, "the line is not there");
    }

    #[test]
    fn the_first_line_is_replaced_or_added() {
        assert_eq!(with_interpreter_line("#!/bin/x\nls\n", "#!/bin/sh"), "#!/bin/sh\nls\n");
        assert_eq!(with_interpreter_line("ls\n", "#!/bin/sh"), "#!/bin/sh\nls\n");
        assert_eq!(with_interpreter_line("#!x", "#!/bin/sh"), "#!/bin/sh\n");
    }

    #[test]
    fn whoever_may_read_a_script_may_then_execute_it() {
        assert_eq!(executable(0o644), 0o755);
        assert_eq!(executable(0o600), 0o700);
        assert_eq!(executable(0o640), 0o750);
    }

    #[test]
    fn only_one_line_can_name_an_interpreter() {
        for bad in ["", "/bin/sh", "#!", "#!/bin/sh\nrm x", "#!/bin/\u{1b}[m"] {
            assert!(checked_line(bad).is_err(), "{bad:?}");
        }
        assert!(checked_line("#!/usr/bin/env -S python3 -u").is_ok());
    }
}
