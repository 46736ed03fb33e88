//! `hookwright check --fix`: makes the fixes that the found problems offer.
//!
//! How it works: a fix can bring out the next problem, such as the second reason why a script cannot start, or a fault of
//! hooks that were not read before. So the files are checked again after each round of fixes, until no round finds a new
//! one. Each fix is an edit of its own that can be undone, the last one first.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use hookwright_app::dto::CheckDoc;
use hookwright_app::{App, Fault};
use hookwright_model::{EditDoc, FileFix, Problem};
use hookwright_workspace::edit::{EditRefusal, WriteMode, file_fix};

use crate::edit::style_diff_line;
use crate::output::{Output, confirmed};
use crate::{EXIT_FAILED, running_engine};

/// Whether the user is asked before files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixConsent {
    /// The user is asked on the terminal.
    Ask,
    /// `--yes` was given.
    Given,
}

/// What `check --fix` did.
pub struct FixResult {
    /// What a check finds after it.
    pub left: CheckDoc,
    /// How many fixes were written.
    pub written: usize,
    /// Success if every fix was made.
    pub code: ExitCode,
}

/// A fix, and the hook that its problem is about.
type HookFix = (Option<String>, FileFix);

/// Where fixes are shown and made.
pub struct Fixer<'a> {
    pub app: &'a App,
    pub output: &'a Output,
    /// The project whose hooks' scripts, with those of the user's hooks, are corrected.
    pub project: &'a Path,
    pub consent: FixConsent,
}

impl Fixer<'_> {
    /// Shows what the fixes of the found problems would change, makes the changes if the user wants them, and continues
    /// with what `check_again` finds then.
    ///
    /// # Errors
    /// The files cannot be checked again, or the user cannot be asked.
    pub async fn run(
        &self,
        found: CheckDoc,
        check_again: impl AsyncFn() -> Result<CheckDoc, Fault>,
    ) -> Result<FixResult, Fault> {
        let mut result = FixResult {
            left: found,
            written: 0,
            code: ExitCode::SUCCESS,
        };
        let mut tried: Vec<FileFix> = Vec::new();
        loop {
            let fixes = new_fixes(&result.left.problems, &tried);
            if fixes.is_empty() {
                if tried.is_empty() {
                    self.output.print_note("nothing to fix");
                }
                return Ok(result);
            }
            tried.extend(fixes.iter().map(|(_, fix)| fix.clone()));
            let mut possible: Vec<&HookFix> = Vec::new();
            for fix in &fixes {
                if self.show(fix) {
                    possible.push(fix);
                }
            }
            if possible.len() < fixes.len() {
                result.code = ExitCode::from(EXIT_FAILED);
            }
            if possible.is_empty() {
                continue;
            }
            if !self.may_write()? {
                result.code = ExitCode::from(EXIT_FAILED);
                return Ok(result);
            }
            for fix in possible {
                if self.write(fix) {
                    result.written += 1;
                } else {
                    result.code = ExitCode::from(EXIT_FAILED);
                }
            }
            running_engine::notify_files_changed(self.app).await;
            result.left = check_again().await?;
        }
    }

    /// Shows what a fix would change. Returns `false` if it is refused; the others may still be possible.
    fn show(&self, fix: &HookFix) -> bool {
        let planned = self.apply(fix, WriteMode::DryRun);
        if let Some(doc) = &planned
            && !self.output.json
        {
            doc.diff
                .lines()
                .for_each(|line| self.output.line(style_diff_line(line)));
        }
        planned.is_some()
    }

    /// Makes a fix. Returns `false` if it is refused.
    fn write(&self, fix: &HookFix) -> bool {
        let done = self.apply(fix, WriteMode::Now);
        if let Some(EditDoc { path, undo, .. }) = &done {
            let undo = undo
                .as_ref()
                .map(|edit| format!("; run `hookwright undo {edit}` to undo it"));
            self.output
                .print_note(format!("{path} was changed{}", undo.unwrap_or_default()));
        }
        done.is_some()
    }

    fn apply(&self, (hook, fix): &HookFix, mode: WriteMode) -> Option<EditDoc> {
        match file_fix::apply(&self.app.workspace, self.project, hook.as_deref(), fix, mode) {
            Ok(doc) => Some(doc),
            Err(EditRefusal::Other(reason) | EditRefusal::Problems(_, reason)) => {
                self.output.fault(&reason.into());
                None
            }
        }
    }

    fn may_write(&self) -> Result<bool, Fault> {
        if self.consent == FixConsent::Given {
            return Ok(true);
        }
        if self.output.json || !std::io::stdin().is_terminal() {
            self.output.print_note(
                "nothing was written, because without a terminal you cannot be asked; add `--yes` to write this change",
            );
            return Ok(false);
        }
        let is_wanted = confirmed("Write this change?")?;
        if !is_wanted {
            self.output.print_note("nothing was written");
        }
        Ok(is_wanted)
    }
}

/// Each fix once, without those that were tried already.
fn new_fixes(problems: &[Problem], tried: &[FileFix]) -> Vec<HookFix> {
    let mut out: Vec<HookFix> = Vec::new();
    for problem in problems {
        for fix in &problem.fixes {
            if !tried.contains(fix) && !out.iter().any(|(_, known)| known == fix) {
                out.push((problem.hook.clone(), fix.clone()));
            }
        }
    }
    out
}
