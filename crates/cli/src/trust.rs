//! `hookwright trust`: reviews and approves the hooks of a project.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hookwright_app::agent_programs::{self, is_program_id};
use hookwright_app::{App, Fault, review};
use hookwright_model::Hook;
use hookwright_workspace::data_files::locked_file;
use hookwright_workspace::{Snapshot, approvals};

use crate::args::TrustArgs;
use crate::output::{Output, confirmed};
use crate::style::TextStyle;
use crate::trust_agents::RegisteredHooks;
use crate::trust_deny;
use crate::trust_list::{print_list, print_list_again};
use crate::trust_review::{print_agent_review, print_review, runs_at};
use crate::{CommandResult, EXIT_FAILED, line};

/// What a command is about: the hooks of the project's files, and those that its agents registered.
pub(crate) struct Scope<'a> {
    pub(crate) app: &'a App,
    pub(crate) output: &'a Output,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) agents: RegisteredHooks<'a>,
}

/// Lists, approves and revokes hooks, or resets the trust file.
pub async fn run(app: &App, output: &Output, project: &Path, what: &TrustArgs) -> CommandResult {
    if what.reset {
        return reset(app, output);
    }
    app.workspace.trust.reload()?;
    let open_project = app.workspace.open_project(project)?;
    let snapshot = open_project.snapshot();
    let scope = Scope {
        app,
        output,
        snapshot: &snapshot,
        agents: RegisteredHooks::of_running_engine(app, output, &snapshot.project).await,
    };
    let (of_agents, of_files): (Vec<String>, Vec<String>) = what
        .hooks
        .iter()
        .cloned()
        .partition(|id| scope.agents.has(id) || is_program_id(id));
    if what.revoke {
        return revoke(&scope, &of_files, &of_agents).await;
    }
    if what.deny {
        return trust_deny::run(&scope, &of_files, &of_agents).await;
    }
    let only_agents = of_files.is_empty() && !of_agents.is_empty();
    let chosen = if only_agents {
        Vec::new()
    } else {
        chosen_hooks(app, &snapshot, &of_files)?
    };
    // What agents registered is approved by name only (`CONTRACTS.md` §2.5).
    let approves_files = what.hooks.is_empty() && (what.all || what.yes);
    let of_agents = match approves_files {
        true => Vec::new(),
        false => scope.agents.chosen(&what.hooks),
    };
    if what.list {
        return Ok(print_list(&scope, &what.hooks, ExitCode::SUCCESS));
    }
    if what.all || what.yes {
        return approve_all(&scope, &chosen, &of_agents).await;
    }
    if chosen.is_empty() && of_agents.is_empty() {
        return Ok(print_list(&scope, &what.hooks, ExitCode::SUCCESS));
    }
    if output.json || !std::io::stdin().is_terminal() {
        return show_without_asking(&scope, &what.hooks, &chosen, &of_agents).await;
    }
    ask_one_by_one(&scope, &chosen, &of_agents).await
}

/// Prints what would be asked. The exit code says whether something is pending.
async fn show_without_asking(
    scope: &Scope<'_>,
    named: &[String],
    chosen: &[Arc<Hook>],
    of_agents: &[String],
) -> CommandResult {
    let Scope {
        app, output, snapshot, ..
    } = *scope;
    let mut pending = chosen.iter().any(|hook| app.workspace.trust.check_gate(hook).is_err());
    pending |= of_agents
        .iter()
        .any(|id| scope.agents.is_pending(id) || is_program_id(id));
    let code = if pending {
        ExitCode::from(EXIT_FAILED)
    } else {
        ExitCode::SUCCESS
    };
    if output.json {
        return Ok(print_list(scope, &[], code));
    }
    if named.is_empty() {
        print_list(scope, &[], code);
    } else {
        for hook in chosen {
            let runs = runs_at(app, snapshot, hook);
            print_review(output, &review::review(app, snapshot, hook), &runs);
        }
        for id in of_agents {
            let review = scope.agents.review(id).await?;
            print_agent_review(output, &review);
        }
    }
    if pending {
        output.print_note(
            "nothing was approved, because without a terminal you cannot be asked; add `--yes` to approve what is shown",
        );
    }
    Ok(code)
}

/// The named hooks, or all pending hooks of the project.
fn chosen_hooks(app: &App, snapshot: &Snapshot, named: &[String]) -> Result<Vec<Arc<Hook>>, Fault> {
    if named.is_empty() {
        let pending = approvals::hooks_to_review(&app.workspace.trust, snapshot)
            .into_iter()
            .map(|(hook, _)| hook);
        let trust = &app.workspace.trust;
        return Ok(pending
            .filter(|hook| trust.check_gate(hook).is_err() && !trust.is_denied(&trust.content(hook)))
            .collect());
    }
    let found = named
        .iter()
        .map(|id| Ok(approvals::project_hook(&app.workspace.trust, snapshot, id)?));
    found.collect()
}

async fn approve_all(scope: &Scope<'_>, hooks: &[Arc<Hook>], of_agents: &[String]) -> CommandResult {
    let Scope {
        app, output, snapshot, ..
    } = *scope;
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
    let mut approved: Vec<(String, String)> = contents
        .iter()
        .filter(|(_, content)| content.covered.refusal.is_none())
        .map(|(hook, _)| (hook.id.clone(), hook.label.clone()))
        .collect();
    for id in of_agents {
        let review = scope.agents.review(id).await?;
        match scope.agents.approve(&review).await {
            Ok(()) => approved.push((review.hook, review.label)),
            Err(fault) => {
                output.print_note(format!("{id} was not approved: {fault}"));
                code = ExitCode::from(EXIT_FAILED);
            }
        }
    }
    if of_agents.is_empty() {
        scope.agents.print_waiting(output);
    }
    if output.json {
        return print_list_again(scope, code).await;
    }
    if hooks.is_empty() && of_agents.is_empty() {
        output.line(match scope.agents.pending.is_empty() {
            true => "No hooks are pending here.",
            false => "No hooks of files are pending here.",
        });
    }
    for (id, label) in approved {
        output.line(line![TextStyle::Allow.apply_to("approved"), format!(" {id}  {label}")].single_line());
    }
    Ok(code)
}

/// Revokes the approvals of the named hooks, or without names all of the project.
async fn revoke(scope: &Scope<'_>, named: &[String], of_agents: &[String]) -> CommandResult {
    let Scope {
        app, output, snapshot, ..
    } = *scope;
    let mut ended = Vec::new();
    if named.is_empty() && of_agents.is_empty() {
        ended.push(approvals::revoke_all(&app.workspace.trust, snapshot)?);
    }
    for hook in named {
        ended.push(approvals::revoke(
            &app.workspace.trust,
            snapshot,
            &*approvals::project_hook(&app.workspace.trust, snapshot, hook)?,
        )?);
    }
    let mut revoked: Vec<(String, String)> = Vec::new();
    for approvals::Revoked { approvals, denials } in ended {
        revoked.extend(
            approvals
                .into_iter()
                .map(|approval| (approval.hook, approval.definition)),
        );
        revoked.extend(denials.into_iter().map(|denial| (denial.hook, denial.definition)));
    }
    let of_agents_named = of_agents;
    let (programs, of_agents): (Vec<&String>, Vec<&String>) = of_agents.iter().partition(|id| is_program_id(id));
    for id in programs {
        let gone = agent_programs::revoke(app, id)?;
        revoked.extend(
            gone.iter()
                .map(|known| (id.clone(), known.program.display().to_string())),
        );
    }
    for id in of_agents {
        revoked.extend(
            scope
                .agents
                .revoke(id)
                .await?
                .map(|definition| (id.clone(), definition)),
        );
    }
    if output.json {
        return print_list_again(scope, ExitCode::SUCCESS).await;
    }
    if revoked.is_empty() {
        let named = named.iter().chain(of_agents_named);
        match named.map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => output.line("No hooks are approved or denied here."),
            [one] => output.line(format!("{one} was neither approved nor denied")),
            several => output.line(format!("{} were neither approved nor denied", several.join(", "))),
        }
    }
    for (id, definition) in revoked {
        output.line(format!("revoked {id}  {definition}"));
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

async fn ask_one_by_one(scope: &Scope<'_>, hooks: &[Arc<Hook>], of_agents: &[String]) -> CommandResult {
    let Scope {
        app, output, snapshot, ..
    } = *scope;
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
    for id in of_agents {
        let review = scope.agents.review(id).await?;
        print_agent_review(output, &review);
        if !confirmed("Approve exactly this?")? {
            remaining += 1;
        } else if let Err(fault) = scope.agents.approve(&review).await {
            output.print_note(format!("{id} was not approved: {fault}"));
            remaining += 1;
        }
    }
    Ok(if remaining == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(EXIT_FAILED)
    })
}
