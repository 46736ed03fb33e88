//! `hookwright trust`: reviewing and approving what a project brings.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hookwright_app::dto::{MAX_SHOWN_BYTES, ReviewDoc, TrustDoc, TrustItem};
use hookwright_app::library::Snapshot;
use hookwright_app::{App, Fault, first_warnings};
use hookwright_model::Hook;

use crate::args::Trust;
use crate::changes;
use crate::ink::{Tint, block};
use crate::line;
use crate::list::filter;
use crate::page::{Page, io_fault};
use crate::{FAILED, Outcome};

/// Lists, approves, revokes, resets.
pub fn run(app: &App, page: &Page, project: &Path, what: &Trust) -> Outcome {
    if what.reset {
        return reset(app, page);
    }
    app.trust.reload()?;
    let desk = app.open_project(project)?;
    let snapshot = desk.snapshot();
    if what.revoke {
        return revoke(app, page, &snapshot, &what.hooks);
    }
    let chosen = chosen(app, &snapshot, &what.hooks)?;
    if what.list {
        return Ok(list(app, page, &snapshot, &what.hooks, ExitCode::SUCCESS));
    }
    if what.all || what.yes {
        return approve_all(app, page, &snapshot, &chosen);
    }
    if chosen.is_empty() {
        return Ok(list(app, page, &snapshot, &what.hooks, ExitCode::SUCCESS));
    }
    if page.json || !std::io::stdin().is_terminal() {
        let pending = chosen.iter().any(|hook| app.trust.check_gate(hook).is_err());
        let code = if pending {
            ExitCode::from(FAILED)
        } else {
            ExitCode::SUCCESS
        };
        if page.json {
            return Ok(list(app, page, &snapshot, &[], code));
        }
        if what.hooks.is_empty() {
            list(app, page, &snapshot, &[], code);
        }
        for hook in chosen.iter().filter(|_| !what.hooks.is_empty()) {
            show(page, &app.review(&snapshot, hook), &runs_at(app, &snapshot, hook));
        }
        if pending {
            page.remark("nothing was approved, since there is no terminal to ask on; --yes approves what is shown");
        }
        return Ok(code);
    }
    ask_one_by_one(app, page, &snapshot, &chosen)
}

/// The named hooks, or everything that is pending here.
fn chosen(app: &App, snapshot: &Snapshot, named: &[String]) -> Result<Vec<Arc<Hook>>, Fault> {
    if named.is_empty() {
        let pending = app.hooks_to_review(snapshot).into_iter().map(|(hook, _)| hook);
        return Ok(pending.filter(|hook| app.trust.check_gate(hook).is_err()).collect());
    }
    named.iter().map(|id| app.project_hook(snapshot, id)).collect()
}

fn approve_all(app: &App, page: &Page, snapshot: &Snapshot, hooks: &[Arc<Hook>]) -> Outcome {
    let contents: Vec<_> = hooks.iter().map(|hook| (&**hook, app.trust.content(hook))).collect();
    app.approve(snapshot, &contents)?;
    let mut code = ExitCode::SUCCESS;
    for (hook, content) in &contents {
        if let Some(words) = &content.covered.refusal {
            page.remark(format!("{} was not approved: {}", hook.id, words.text));
            code = ExitCode::from(FAILED);
        }
    }
    if page.json {
        return Ok(list(app, page, snapshot, &[], code));
    }
    if hooks.is_empty() {
        page.line("Nothing here waits for an approval.");
    }
    for (hook, _) in contents.iter().filter(|(_, content)| content.covered.refusal.is_none()) {
        page.line(line![Tint::Allow.of("approved"), format!(" {}  {}", hook.id, hook.label)].flat());
    }
    Ok(code)
}

fn revoke(app: &App, page: &Page, snapshot: &Snapshot, named: &[String]) -> Outcome {
    let mut gone = Vec::new();
    if named.is_empty() {
        gone = app.revoke_all(snapshot)?;
    }
    for hook in named {
        gone.extend(app.revoke(snapshot, &*app.project_hook(snapshot, hook)?)?);
    }
    if page.json {
        return Ok(list(app, page, snapshot, &[], ExitCode::SUCCESS));
    }
    if gone.is_empty() {
        page.line("Nothing here was approved.");
    }
    for approval in &gone {
        page.line(format!("revoked {}  {}", approval.hook, approval.definition));
    }
    Ok(ExitCode::SUCCESS)
}

fn reset(app: &App, page: &Page) -> Outcome {
    let kept = hookwright_app::locked_file::quarantine(app.trust.path(), app.now())?;
    if page.json {
        let shown = kept.map(|kept| kept.display().to_string());
        page.document(&serde_json::json!({ "set_aside": shown }));
        return Ok(ExitCode::SUCCESS);
    }
    match kept {
        Some(kept) => page.remark(format!("the trust file is now {}; nothing is approved", kept.display())),
        None => page.remark("there was no trust file"),
    }
    Ok(ExitCode::SUCCESS)
}

/// What waits and what is approved; only the named ones where some are.
fn list(app: &App, page: &Page, snapshot: &Snapshot, named: &[String], code: ExitCode) -> ExitCode {
    let mut doc = app.trust_doc(snapshot);
    let wanted = |item: &TrustItem| named.is_empty() || named.contains(&item.hook);
    doc.pending.retain(wanted);
    doc.approved.retain(wanted);
    if page.json {
        page.document(&doc);
    } else {
        text(app, page, snapshot, &doc);
    }
    code
}

fn text(app: &App, page: &Page, snapshot: &Snapshot, doc: &TrustDoc) {
    if doc.pending.is_empty() && doc.approved.is_empty() {
        page.line("This project brings no hooks that need an approval.");
    }
    for (word, tint, items) in [
        ("pending", Tint::Fail, &doc.pending),
        ("approved", Tint::Allow, &doc.approved),
    ] {
        for item in items {
            page.line(line![tint.of(word), "  ", Tint::Strong.of(&item.hook)].flat());
            page.line(line!["    ", shortened(&item.definition)].flat());
            if !item.inherited.is_empty() {
                page.line(line!["    with ", &item.inherited].flat());
            }
            if let Some(old) = &item.old {
                page.line(Tint::Fail.of(format!("    {}", changes::reason(old))));
                if old.definition != item.definition {
                    page.line(line!["    approved text: ", shortened(&old.definition)].flat());
                }
            }
            for file in &item.files {
                let hash = &file.hash[..12.min(file.hash.len())];
                page.line(line!["    ", &file.path, "  ", Tint::Quiet.of(hash)].flat());
            }
            let hook = app.project_hook(snapshot, &item.hook).ok();
            for words in hook.iter().flat_map(|hook| first_warnings(snapshot, hook)) {
                page.line(line!["    ", Tint::Fail.of(&words.text)].flat());
            }
            for path in &item.data {
                page.line(line!["    named, not covered: ", path, changed(path, &item.data_changed)].flat());
            }
            for sentence in &item.not_covered {
                page.line(line!["    ", Tint::Fail.of(&sentence.why)].flat());
            }
        }
    }
}

fn ask_one_by_one(app: &App, page: &Page, snapshot: &Snapshot, hooks: &[Arc<Hook>]) -> Outcome {
    let mut left = 0;
    for hook in hooks {
        let review = app.review(snapshot, hook);
        show(page, &review, &runs_at(app, snapshot, hook));
        // The review says why; there is nothing to ask.
        let can_be = app.trust.content(hook).covered.refusal.is_none();
        if can_be && confirmed()? {
            let content = app.trust.content(hook);
            if content.fingerprint != review.fingerprint {
                page.remark("it changed while you read it; nothing was approved");
                left += 1;
                continue;
            }
            app.approve(snapshot, &[(&**hook, content)])?;
        } else {
            left += 1;
        }
    }
    Ok(if left == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

/// The events at which a hook runs, each with its condition.
fn runs_at(app: &App, snapshot: &Snapshot, hook: &Hook) -> Vec<String> {
    let rows = app.list(snapshot, Some(hook.dialect), None).hooks.into_iter();
    let mine = rows.filter(|row| row.hook == hook.id);
    mine.map(|row| match filter(&row) {
        Some(when) => format!("{} when {when}", row.event),
        None => row.event,
    })
    .collect()
}

/// What is approved, and at which events it runs.
fn show(page: &Page, review: &ReviewDoc, runs: &[String]) {
    page.line("");
    page.line(line![Tint::Strong.of(&review.hook), "  ", &review.label].flat());
    page.line(Tint::Quiet.of(format!("{}:{}", review.path, review.line)).flat());
    if !runs.is_empty() {
        page.line(Tint::Quiet.of(format!("runs at {}", runs.join(", "))).flat());
    }
    for sentence in &review.first {
        page.line(Tint::Fail.of(&sentence.why).flat());
    }
    page.line(block(&review.definition));
    if !review.inherited.is_empty() {
        page.line(line!["with ", &review.inherited].flat());
    }
    for file in &review.files {
        page.line(Tint::Strong.of(format!("── {}", file.path)).flat());
        match &file.text {
            Some(text) => page.line(block(text.trim_end())),
            None if file.hash.is_empty() => page.line("(not a file that can be read)"),
            None if file.size > MAX_SHOWN_BYTES => page.line(format!("({} bytes, too many to show)", file.size)),
            None => page.line(format!("({} bytes that are no text)", file.size)),
        }
    }
    changes::show(page, review);
    for path in &review.data {
        page.line(line!["named, not covered: ", path, changed(path, &review.data_changed)].flat());
    }
    for sentence in &review.not_covered {
        page.line(Tint::Fail.of(&sentence.why).flat());
    }
    if review.trusted {
        page.line(Tint::Allow.of("approved as it stands"));
    }
}

/// What is said of data that is not what it was.
fn changed(path: &String, changed: &[String]) -> &'static str {
    if changed.contains(path) {
        " (changed since it was approved)"
    } else {
        ""
    }
}

/// A definition's beginning, for a list: the review shows it whole.
fn shortened(definition: &str) -> String {
    const CHARS: usize = 400;
    match definition.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &definition[..end]),
        None => definition.to_owned(),
    }
}

/// Anything but a clear yes keeps it blocked.
fn confirmed() -> Result<bool, Fault> {
    let mut out = std::io::stdout().lock();
    write!(out, "Approve exactly this? [y/N] ")
        .and_then(|()| out.flush())
        .map_err(|error| io_fault("stdout", &error))?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| io_fault("stdin", &error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
