//! `hookwright trust`: reviews and approves the hooks of a project.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hookwright_app::dto::{MAX_SHOWN_BYTES, ReviewDoc, TrustDoc, TrustItem};
use hookwright_app::review::first_warnings;
use hookwright_app::{App, Fault, hooks, review};
use hookwright_model::Hook;
use hookwright_workspace::data_files::locked_file;
use hookwright_workspace::{Snapshot, approvals};

use crate::args::TrustArgs;
use crate::list::filter_text;
use crate::output::{Output, confirmed};
use crate::style::{TextStyle, indented_block};
use crate::{CommandResult, EXIT_FAILED, changes, line};

/// Lists, approves and revokes hooks, or resets the trust file.
pub fn run(app: &App, output: &Output, project: &Path, what: &TrustArgs) -> CommandResult {
    if what.reset {
        return reset(app, output);
    }
    app.workspace.trust.reload()?;
    let open_project = app.workspace.open_project(project)?;
    let snapshot = open_project.snapshot();
    if what.revoke {
        return revoke(app, output, &snapshot, &what.hooks);
    }
    let chosen = chosen_hooks(app, &snapshot, &what.hooks)?;
    if what.list {
        return Ok(print_list(app, output, &snapshot, &what.hooks, ExitCode::SUCCESS));
    }
    if what.all || what.yes {
        return approve_all(app, output, &snapshot, &chosen);
    }
    if chosen.is_empty() {
        return Ok(print_list(app, output, &snapshot, &what.hooks, ExitCode::SUCCESS));
    }
    if output.json || !std::io::stdin().is_terminal() {
        let pending = chosen.iter().any(|hook| app.workspace.trust.check_gate(hook).is_err());
        let code = if pending {
            ExitCode::from(EXIT_FAILED)
        } else {
            ExitCode::SUCCESS
        };
        if output.json {
            return Ok(print_list(app, output, &snapshot, &[], code));
        }
        if what.hooks.is_empty() {
            print_list(app, output, &snapshot, &[], code);
        }
        for hook in chosen.iter().filter(|_| !what.hooks.is_empty()) {
            print_review(
                output,
                &review::review(app, &snapshot, hook),
                &runs_at(app, &snapshot, hook),
            );
        }
        if pending {
            output
                .print_note("nothing was approved, because without a terminal you cannot be asked; add `--yes` to approve what is shown");
        }
        return Ok(code);
    }
    ask_one_by_one(app, output, &snapshot, &chosen)
}

/// The named hooks, or all pending hooks of the project.
fn chosen_hooks(app: &App, snapshot: &Snapshot, named: &[String]) -> Result<Vec<Arc<Hook>>, Fault> {
    if named.is_empty() {
        let pending = approvals::hooks_to_review(&app.workspace.trust, snapshot)
            .into_iter()
            .map(|(hook, _)| hook);
        return Ok(pending
            .filter(|hook| app.workspace.trust.check_gate(hook).is_err())
            .collect());
    }
    let found = named
        .iter()
        .map(|id| Ok(approvals::project_hook(&app.workspace.trust, snapshot, id)?));
    found.collect()
}

fn approve_all(app: &App, output: &Output, snapshot: &Snapshot, hooks: &[Arc<Hook>]) -> CommandResult {
    let contents: Vec<_> = hooks
        .iter()
        .map(|hook| (&**hook, app.workspace.trust.content(hook)))
        .collect();
    app.workspace.approve(snapshot, &contents)?;
    let mut code = ExitCode::SUCCESS;
    for (hook, content) in &contents {
        if let Some(message) = &content.covered.refusal {
            output.print_note(format!("{} was not approved: {}", hook.id, message.text));
            code = ExitCode::from(EXIT_FAILED);
        }
    }
    if output.json {
        return Ok(print_list(app, output, snapshot, &[], code));
    }
    if hooks.is_empty() {
        output.line("No hooks are pending here.");
    }
    for (hook, _) in contents.iter().filter(|(_, content)| content.covered.refusal.is_none()) {
        output.line(
            line![
                TextStyle::Allow.apply_to("approved"),
                format!(" {}  {}", hook.id, hook.label)
            ]
            .single_line(),
        );
    }
    Ok(code)
}

fn revoke(app: &App, output: &Output, snapshot: &Snapshot, named: &[String]) -> CommandResult {
    let mut revoked = Vec::new();
    if named.is_empty() {
        revoked = approvals::revoke_all(&app.workspace.trust, snapshot)?;
    }
    for hook in named {
        revoked.extend(approvals::revoke(
            &app.workspace.trust,
            snapshot,
            &*approvals::project_hook(&app.workspace.trust, snapshot, hook)?,
        )?);
    }
    if output.json {
        return Ok(print_list(app, output, snapshot, &[], ExitCode::SUCCESS));
    }
    if revoked.is_empty() {
        output.line("No hooks are approved here.");
    }
    for approval in &revoked {
        output.line(format!("revoked {}  {}", approval.hook, approval.definition));
    }
    Ok(ExitCode::SUCCESS)
}

fn reset(app: &App, output: &Output) -> CommandResult {
    let moved_to = locked_file::quarantine(app.workspace.trust.path(), app.workspace.now())?;
    if output.json {
        let shown = moved_to.map(|moved_to| moved_to.display().to_string());
        output.document(&serde_json::json!({ "set_aside": shown }));
        return Ok(ExitCode::SUCCESS);
    }
    match moved_to {
        Some(moved_to) => output.print_note(format!(
            "the trust file was moved to {}; no hooks are approved now",
            moved_to.display()
        )),
        None => output.print_note("the trust file does not exist"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the pending and the approved hooks. If hooks are named, it prints only those.
fn print_list(app: &App, output: &Output, snapshot: &Snapshot, named: &[String], code: ExitCode) -> ExitCode {
    let mut doc = review::trust_doc(app, snapshot);
    let is_named = |item: &TrustItem| named.is_empty() || named.contains(&item.hook);
    doc.pending.retain(is_named);
    doc.approved.retain(is_named);
    if output.json {
        output.document(&doc);
    } else {
        print_text(app, output, snapshot, &doc);
    }
    code
}

fn print_text(app: &App, output: &Output, snapshot: &Snapshot, doc: &TrustDoc) {
    if doc.pending.is_empty() && doc.approved.is_empty() {
        output.line("This project has no hooks that need an approval.");
    }
    for (word, style, items) in [
        ("pending", TextStyle::Fail, &doc.pending),
        ("approved", TextStyle::Allow, &doc.approved),
    ] {
        for item in items {
            output.line(line![style.apply_to(word), "  ", TextStyle::Strong.apply_to(&item.hook)].single_line());
            output.line(line!["    ", shortened(&item.definition)].single_line());
            if !item.inherited.is_empty() {
                output.line(line!["    with ", &item.inherited].single_line());
            }
            if let Some(old) = &item.old {
                output.line(TextStyle::Fail.apply_to(format!("    {}", changes::change_reason(old))));
                if old.definition != item.definition {
                    output.line(line!["    approved text: ", shortened(&old.definition)].single_line());
                }
            }
            for file in &item.files {
                let hash = &file.hash[..12.min(file.hash.len())];
                output.line(line!["    ", &file.path, "  ", TextStyle::Dim.apply_to(hash)].single_line());
            }
            // A hook that vanished since the list was made has no warnings.
            let hook = approvals::project_hook(&app.workspace.trust, snapshot, &item.hook).ok();
            for message in hook.iter().flat_map(|hook| first_warnings(snapshot, hook)) {
                output.line(line!["    ", TextStyle::Fail.apply_to(&message.text)].single_line());
            }
            for path in &item.data {
                output.line(
                    line!["    named, not covered: ", path, changed_note(path, &item.data_changed)].single_line(),
                );
            }
            for sentence in &item.not_covered {
                output.line(line!["    ", TextStyle::Fail.apply_to(&sentence.why)].single_line());
            }
        }
    }
}

fn ask_one_by_one(app: &App, output: &Output, snapshot: &Snapshot, hooks: &[Arc<Hook>]) -> CommandResult {
    let mut remaining = 0;
    for hook in hooks {
        let review = review::review(app, snapshot, hook);
        print_review(output, &review, &runs_at(app, snapshot, hook));
        // The review shows why the hook cannot be approved, so there is no question to ask.
        let can_approve = app.workspace.trust.content(hook).covered.refusal.is_none();
        if can_approve && confirmed("Approve exactly this?")? {
            let content = app.workspace.trust.content(hook);
            if content.fingerprint != review.fingerprint {
                output.print_note("it changed during the review; nothing was approved");
                remaining += 1;
                continue;
            }
            app.workspace.approve(snapshot, &[(&**hook, content)])?;
        } else {
            remaining += 1;
        }
    }
    Ok(if remaining == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(EXIT_FAILED)
    })
}

/// The events at which a hook runs, each with its condition.
fn runs_at(app: &App, snapshot: &Snapshot, hook: &Hook) -> Vec<String> {
    let rows = hooks::list(app, snapshot, Some(hook.dialect), None).hooks.into_iter();
    let mine = rows.filter(|row| row.hook == hook.id);
    mine.map(|row| match filter_text(&row) {
        Some(when) => format!("{} when {when}", row.event),
        None => row.event,
    })
    .collect()
}

/// Prints what is approved, and at which events it runs.
fn print_review(output: &Output, review: &ReviewDoc, runs: &[String]) {
    output.line("");
    output.line(line![TextStyle::Strong.apply_to(&review.hook), "  ", &review.label].single_line());
    output.line(
        TextStyle::Dim
            .apply_to(format!("{}:{}", review.path, review.line))
            .single_line(),
    );
    if !runs.is_empty() {
        output.line(
            TextStyle::Dim
                .apply_to(format!("runs at {}", runs.join(", ")))
                .single_line(),
        );
    }
    for sentence in &review.first {
        output.line(TextStyle::Fail.apply_to(&sentence.why).single_line());
    }
    output.line(indented_block(&review.definition));
    if !review.inherited.is_empty() {
        output.line(line!["with ", &review.inherited].single_line());
    }
    for file in &review.files {
        output.line(TextStyle::Strong.apply_to(format!("── {}", file.path)).single_line());
        match &file.text {
            Some(text) => output.line(indented_block(text.trim_end())),
            None if file.hash.is_empty() => output.line("(not a readable file)"),
            None if file.size > MAX_SHOWN_BYTES => output.line(format!("({} bytes, too large to show)", file.size)),
            None => output.line(format!("({} bytes, not text)", file.size)),
        }
    }
    changes::print_changes(output, review);
    for path in &review.data {
        output.line(line!["named, not covered: ", path, changed_note(path, &review.data_changed)].single_line());
    }
    for sentence in &review.not_covered {
        output.line(TextStyle::Fail.apply_to(&sentence.why).single_line());
    }
    if review.trusted {
        output.line(TextStyle::Allow.apply_to("already approved"));
    }
}

/// The note for a data file that changed since the approval.
fn changed_note(path: &String, changed: &[String]) -> &'static str {
    if changed.contains(path) {
        " (changed since it was approved)"
    } else {
        ""
    }
}

/// The start of a definition, for a list. The review shows all of it.
fn shortened(definition: &str) -> String {
    const MAX_CHARS: usize = 400;
    match definition.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &definition[..end]),
        None => definition.to_owned(),
    }
}
