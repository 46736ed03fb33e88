//! What `hookwright trust` shows of a hook before it is approved.

use hookwright_app::agent_programs::is_program_id;
use hookwright_app::dto::{MAX_SHOWN_BYTES, ReviewDoc};
use hookwright_app::{App, hooks};
use hookwright_model::Hook;
use hookwright_workspace::Snapshot;

use crate::list::filter_text;
use crate::output::Output;
use crate::style::{TextStyle, indented_block};
use crate::{changes, line};

/// The events at which a hook runs, each with its condition.
pub fn runs_at(app: &App, snapshot: &Snapshot, hook: &Hook) -> Vec<String> {
    let rows = hooks::list(app, snapshot, Some(hook.dialect), None).hooks.into_iter();
    let mine = rows.filter(|row| row.hook == hook.id);
    mine.map(|row| match filter_text(&row) {
        Some(when) => format!("{} when {when}", row.event),
        None => row.event,
    })
    .collect()
}

/// Prints what is approved of what an agent registered. An agent program runs at no event of its own: what its approval
/// is for is in the first sentences of the review.
pub fn print_agent_review(output: &Output, review: &ReviewDoc) {
    let runs: &[String] = if review.event.is_empty() {
        &[]
    } else {
        std::slice::from_ref(&review.event)
    };
    print_review(output, review, runs);
}

/// Prints what is approved, and at which events it runs.
pub fn print_review(output: &Output, review: &ReviewDoc, runs: &[String]) {
    output.line("");
    output.line(line![TextStyle::Strong.apply_to(&review.hook), "  ", &review.label].single_line());
    let place = match &review.agent {
        _ if is_program_id(&review.hook) => "an agent program".to_owned(),
        Some(agent) if agent.refused.is_some() => format!("registered by {} ({})", agent.name, agent.program),
        Some(agent) => format!(
            "registered by {} ({}); to allow all of its commands: `hookwright trust {}`",
            agent.name, agent.program, agent.id
        ),
        None if review.path.is_empty() => "registered by a connected agent".to_owned(),
        None => format!("{}:{}", review.path, review.line),
    };
    output.line(TextStyle::Dim.apply_to(place).single_line());
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
    let found = review.found.iter().filter(|word| word.new || review.old.is_none());
    for word in found {
        let place = word.path.as_deref().unwrap_or("the definition");
        output.line(line!["found ", &word.word, format!(" in {place}:{}", word.line)].single_line());
    }
    if review.trusted {
        output.line(TextStyle::Allow.apply_to("already approved"));
    }
}

/// The note for a data file that changed since the approval.
pub fn changed_note(path: &String, changed: &[String]) -> &'static str {
    if changed.contains(path) {
        " (changed since it was approved)"
    } else {
        ""
    }
}
