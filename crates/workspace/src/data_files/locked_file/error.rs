//! Why an app file cannot be used, as an error, a message and a problem.

use std::io;
use std::path::{Path, PathBuf};

use hookwright_model::{Message, Problem, TextPosition, args, render};

hookwright_model::messages! {
    /// An app file does not parse. A command that needs it shows this.
    BROKEN = "own_file_broken" { "{path}{at} does not parse: {what}", "{path}{at} 无法解析：{what}" } hint { "correct it or move it away; Hookwright does not change it", "更正或移走该文件；Hookwright 不会改动它" };
    /// `trust.json` does not parse.
    BROKEN_TRUST = "own_file_broken" / "trust" { "{path}{at} does not parse: {what}", "{path}{at} 无法解析：{what}" } hint { "correct it, or run `hookwright trust --reset` to start a new one; Hookwright keeps the old file", "更正该文件，或执行 `hookwright trust --reset` 新建一个；旧文件会保留" };
    /// An app file cannot be read.
    UNREADABLE = "own_file_unreadable" { "{path} cannot be read: {why}", "无法读取 {path}：{why}" } hint { "check its owner and mode, or move it away", "检查其所有者和权限，或将其移走" };
    /// An app file cannot be written.
    UNWRITABLE = "own_file_unwritable" { "{path} cannot be written: {why}", "无法写入 {path}：{why}" } hint { "check the owner and mode of the folder and the space on the disk; nothing was changed", "检查文件夹的所有者、权限和磁盘空间；未作任何更改" };
    /// Another program has the lock.
    BUSY = "own_file_busy" { "{path} is being changed by another program", "另一个程序正在更改 {path}" } hint { "try again; nothing was changed", "重试；未作任何更改" };
    /// `trust.json` belongs to another user, or other users can write it.
    NOT_PRIVATE = "own_file_shared" { "{path} {why}, so its approvals are ignored", "{path} {why}，因此其中的批准会被忽略" } hint { "check the file, then run `chown` and `chmod 600` on it, or `hookwright trust --reset`", "检查该文件，再对其执行 `chown` 和 `chmod 600`，或执行 `hookwright trust --reset`" };
    /// [`NOT_PRIVATE`] as a Problem.
    NOT_PRIVATE_PROBLEM = "unreadable" / "shared_trust" { "the file {why}, so its approvals are ignored", "此文件{why}，因此其中的批准会被忽略" } hint { "check the file, then run `chown` and `chmod 600` on it", "检查该文件，再对其执行 `chown` 和 `chmod 600`" };
    /// Another app file belongs to another user, or other users can write it.
    SHARED = "unreadable" / "shared" { "the file {why}", "此文件{why}" } hint { "check the file, then run `chown` and `chmod 600` on it", "检查该文件，再对其执行 `chown` 和 `chmod 600`" };
    /// [`BROKEN`] as a Problem with a position.
    SYNTAX = "syntax" / "own_file" { "does not parse: {what}", "无法解析：{what}" } hint { "correct it; until then Hookwright ignores the file and keeps it unchanged", "更正该文件；在此之前 Hookwright 会忽略它，并原样保留" };
    /// [`UNREADABLE`] as a Problem.
    UNREADABLE_PROBLEM = "unreadable" / "own_file" { "cannot be read: {why}", "无法读取：{why}" } hint { "check its owner and mode; until then Hookwright ignores the file", "检查其所有者和权限；在此之前 Hookwright 会忽略该文件" };
}

/// Why an app file could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LockedFileError {
    /// The file exists but cannot be read.
    #[error("{}", full_text(&self.message()))]
    Unreadable {
        /// Path of the app file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file does not parse. It was left unchanged.
    #[error("{}", full_text(&self.message()))]
    Broken {
        /// Path of the app file.
        path: PathBuf,
        /// Position of the error, if the parser reports one.
        position: Option<TextPosition>,
        /// What is wrong, for example `it is not UTF-8`.
        what: String,
    },
    /// The file cannot be written. It was left unchanged.
    #[error("{}", full_text(&self.message()))]
    Unwritable {
        /// Path of the app file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file belongs to another user, or other users can write it.
    #[error("{}", full_text(&self.message()))]
    Shared {
        /// Path of the app file.
        path: PathBuf,
        /// Which of the two: `belongs to another user` or `can be written by other users`.
        why: &'static str,
    },
    /// Another program did not finish its change in time (5 s).
    #[error("{}", full_text(&self.message()))]
    Busy {
        /// Path of the app file.
        path: PathBuf,
    },
}

impl From<LockedFileError> for Message {
    fn from(error: LockedFileError) -> Self {
        error.message()
    }
}

impl LockedFileError {
    /// Path of the app file that the error is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. }
            | Self::Broken { path, .. }
            | Self::Unwritable { path, .. }
            | Self::Shared { path, .. }
            | Self::Busy { path } => path,
        }
    }

    /// The error as a message: what, where, why and what to do next.
    #[must_use]
    pub fn message(&self) -> Message {
        let shown = self.path().display().to_string();
        match self {
            Self::Unreadable { source, .. } => {
                render!(UNREADABLE, "path" => shown, "why" => source.to_string())
            }
            Self::Broken { path, position, what } => {
                let at = position
                    .map(|position| format!(":{}:{}", position.line, position.column))
                    .unwrap_or_default();
                let trust = path.file_name().is_some_and(|name| name == "trust.json");
                let template = if trust { BROKEN_TRUST } else { BROKEN };
                template.render(args! { "path" => shown, "at" => at, "what" => what })
            }
            Self::Unwritable { source, .. } => {
                render!(UNWRITABLE, "path" => shown, "why" => source.to_string())
            }
            Self::Shared { why, .. } => render!(NOT_PRIVATE, "path" => shown, "why" => *why),
            Self::Busy { .. } => render!(BUSY, "path" => shown),
        }
    }

    /// The error as a Problem for `check` and `list`. `None` if the content of the file is not the reason: it cannot be
    /// written, or the lock is not free.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        match self {
            Self::Unreadable { path, source } => Some(Problem::new(
                render!(UNREADABLE_PROBLEM, "why" => source.to_string()),
                path,
                None,
            )),
            Self::Broken { path, position, what } => {
                Some(Problem::new(render!(SYNTAX, "what" => what), path, *position))
            }
            Self::Shared { path, why } => Some(Problem::new(render!(NOT_PRIVATE_PROBLEM, "why" => *why), path, None)),
            Self::Unwritable { .. } | Self::Busy { .. } => None,
        }
    }
}

fn full_text(message: &Message) -> String {
    match &message.hint {
        Some(hint) => format!("{}; {hint}", message.text),
        None => message.text.clone(),
    }
}
