//! What `hookwright trust --list` prints: what waits, what is approved and what is denied.

use std::process::ExitCode;

use hookwright_app::App;
use hookwright_app::dto::{TrustDoc, TrustItem};
use hookwright_app::review::{self, first_warnings};
use hookwright_workspace::{Snapshot, approvals};

use crate::output::Output;
use crate::style::{StyledLine, TextStyle};
use crate::trust::Scope;
use crate::trust_agents::RegisteredHooks;
use crate::trust_review::changed_note;
use crate::{CommandResult, changes, line};

/// Of the hooks that agents registered, at most this many are shown as text.
const MAX_SHOWN_OF_AGENTS: usize = 20;

/// Prints the pending and the approved hooks. If hooks are named, it prints only those.
pub fn print_list(scope: &Scope<'_>, named: &[String], code: ExitCode) -> ExitCode {
    let Scope {
        app, output, snapshot, ..
    } = *scope;
    let mut doc = review::trust_doc(app, snapshot);
    doc.pending.extend(scope.agents.pending.iter().cloned());
    doc.approved.extend(scope.agents.approved.iter().cloned());
    doc.denied.extend(scope.agents.denied.iter().cloned());
    let is_named = |item: &TrustItem| named.is_empty() || named.contains(&item.hook);
    doc.pending.retain(is_named);
    doc.approved.retain(is_named);
    doc.denied.retain(is_named);
    if output.json {
        output.document(&doc);
    } else {
        print_text(app, output, snapshot, &doc);
    }
    code
}

/// Prints the list as it is after a change.
pub async fn print_list_again(scope: &Scope<'_>, code: ExitCode) -> CommandResult {
    let agents = RegisteredHooks::of_running_engine(scope.app, scope.output, &scope.snapshot.project).await;
    scope.app.workspace.trust.reload()?;
    Ok(print_list(&Scope { agents, ..*scope }, &[], code))
}

fn print_text(app: &App, output: &Output, snapshot: &Snapshot, doc: &TrustDoc) {
    if doc.pending.is_empty() && doc.approved.is_empty() && doc.denied.is_empty() {
        output.line("This project has no hooks that need an approval.");
    }
    for (word, style, items) in [
        ("pending", TextStyle::Fail, &doc.pending),
        ("approved", TextStyle::Allow, &doc.approved),
        ("denied", TextStyle::Dim, &doc.denied),
    ] {
        // Agents can register thousands of commands. They must not hide what the files of the project have.
        let (of_agents, others): (Vec<&TrustItem>, Vec<&TrustItem>) =
            items.iter().partition(|item| item.kind == "session_hook");
        for item in others {
            print_item(app, output, snapshot, item, style.apply_to(word));
        }
        if !of_agents.is_empty() {
            output.line(format!("{word}, registered by agents: {}", of_agents.len()));
        }
        for item in of_agents.iter().take(MAX_SHOWN_OF_AGENTS) {
            print_item(app, output, snapshot, item, style.apply_to(word));
        }
        if let Some(more) = of_agents
            .len()
            .checked_sub(MAX_SHOWN_OF_AGENTS)
            .filter(|more| *more > 0)
        {
            output.line(format!(
                "… and {more} more of agents; `hookwright trust --list --json` lists all"
            ));
        }
    }
}

fn print_item(app: &App, output: &Output, snapshot: &Snapshot, item: &TrustItem, word: StyledLine) {
    output.line(line![word, "  ", TextStyle::Strong.apply_to(&item.hook)].single_line());
    output.line(line!["    ", shortened(&item.definition)].single_line());
    if !item.inherited.is_empty() {
        output.line(line!["    with ", &item.inherited].single_line());
    }
    if let Some(denied) = &item.denied {
        output.line(line!["    ", TextStyle::Deny.apply_to(&denied.why)].single_line());
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
        output.line(line!["    named, not covered: ", path, changed_note(path, &item.data_changed)].single_line());
    }
    for sentence in &item.not_covered {
        output.line(line!["    ", TextStyle::Fail.apply_to(&sentence.why)].single_line());
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
