//! Review and approval of hooks that run content of a project.

mod content;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::{Handler, Hook, Layer, Message, render};
use hookwright_workspace::Snapshot;
use hookwright_workspace::approvals;
use hookwright_workspace::trust::{HookContent, Trust};

use crate::agent_programs;
use crate::app::App;
use crate::dto::{ApproveRequest, HookRequest, Pending, ProjectRequest, ReviewDoc, Sentence, TrustDoc, TrustItem};
use crate::fault::{Fault, REVIEW_IS_OLD};
use crate::found_words;
use crate::hooks::missing_project;
use content::{display_paths, file_hashes, not_covered_sentences};
pub(crate) use content::{old_content, with_file_texts};

hookwright_model::messages! {
    /// A user hook starts files of the project.
    STARTS_PROJECT = "starts_project_content" { "your hook starts these files of the project; what `-c`, `-m`, `make` or `npm` run there is not reviewed", "你的 Hook 会启动项目中的这些文件；`-c`、`-m`、`make`、`npm` 在项目中执行的内容不经审阅" };
    /// Approving a hook switches another hook off.
    REPLACES = "approval_replaces" { "once approved, this hook replaces {hook}, which then no longer runs", "批准后，此 Hook 会取代 {hook}，后者不再执行" } hint { "rename one of the two to keep both", "给其中一个改名，以保留两者" };
}

/// The command `trust.list`: which hooks of a project wait for approval, and which are approved.
///
/// # Errors
/// The project is not a directory.
pub async fn trust_list(app: &App, request: ProjectRequest) -> Result<TrustDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let mut doc = trust_doc(app, &open_project.snapshot());
    doc.problems.extend(missing_project(&request.project));
    for hook in session_hooks(app, &open_project.snapshot()) {
        let content = app.workspace.trust.content(&hook);
        let is_approved = app.workspace.trust.is_approved(&hook, &content);
        if !is_approved && app.check_session_hook(&hook).is_ok() {
            // It runs without an approval of its own.
            continue;
        }
        let item = TrustItem {
            kind: "session_hook".to_owned(),
            hook: hook.id.clone(),
            label: hook.label.clone(),
            event: hook.event.clone(),
            project: content.project.display().to_string(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            files: file_hashes(&content.files),
            data: display_paths(&content.covered.data),
            data_changed: Vec::new(),
            not_covered: not_covered_sentences(&content),
            old: None,
            agent_trust: hook.agent_trust,
            denied: why_denied(app, &hook, &content).filter(|_| !is_approved),
        };
        list_for(&mut doc, is_approved, item.denied.is_some()).push(item);
    }
    Ok(doc)
}

/// Why a hook counts as denied; `None` if it does not.
fn why_denied(app: &App, hook: &Hook, content: &HookContent) -> Option<Sentence> {
    app.workspace.trust.denial_message(hook, content).map(Sentence::from)
}

/// The list of the document for a hook with this decision.
fn list_for(doc: &mut TrustDoc, is_approved: bool, is_denied: bool) -> &mut Vec<TrustItem> {
    match (is_approved, is_denied) {
        (true, _) => &mut doc.approved,
        (false, true) => &mut doc.denied,
        (false, false) => &mut doc.pending,
    }
}

/// The hooks of this project's agents that need an approval, those that wait first. Hooks of one id belong to several
/// sessions; one of them is returned for each content. If it waits for one agent, it is the one that waits.
fn session_hooks(app: &App, snapshot: &Snapshot) -> Vec<Arc<Hook>> {
    let of_agents = app.agents.hooks_in(&snapshot.project);
    let mut hooks: Vec<Arc<Hook>> = of_agents
        .into_iter()
        .filter(|hook| Trust::needs_approval(hook))
        .collect();
    // The same hook can wait for one agent and run for another one that is always allowed.
    hooks.sort_by_cached_key(|hook| app.check_session_hook(hook).is_ok());
    let mut seen = HashSet::new();
    hooks.retain(|hook| seen.insert((hook.id.clone(), hook.definition_text.clone())));
    hooks
}

/// How many hooks of a project wait for approval, with those that its agents registered.
pub(crate) fn pending(app: &App, snapshot: &Snapshot) -> u32 {
    let waiting = u32::try_from(pending_session_hooks(app, snapshot).len()).unwrap_or(u32::MAX);
    approvals::pending(&app.workspace.trust, snapshot).saturating_add(waiting)
}

/// The hooks of a project that wait for approval: those of files, then those that its agents registered.
pub(crate) fn pending_hooks(app: &App, snapshot: &Snapshot) -> Vec<Arc<Hook>> {
    let trust = &app.workspace.trust;
    let of_files = approvals::hooks_to_review(trust, snapshot).into_iter();
    let waiting = of_files.filter(|(hook, content)| trust.is_waiting(hook, content));
    let mut hooks: Vec<_> = waiting.map(|(hook, _)| hook).collect();
    hooks.extend(pending_session_hooks(app, snapshot));
    hooks
}

/// The hooks of this project's agents that wait for approval.
fn pending_session_hooks(app: &App, snapshot: &Snapshot) -> Vec<Arc<Hook>> {
    let mut hooks = session_hooks(app, snapshot);
    let trust = &app.workspace.trust;
    hooks.retain(|hook| app.check_session_hook(hook).is_err() && !trust.is_denied(&trust.content(hook)));
    hooks
}

/// The hook with this id in the form in which it is reviewed: of the project, or of one of its agents.
pub(crate) fn hook_to_review(app: &App, snapshot: &Snapshot, id: &str) -> Result<Arc<Hook>, Message> {
    let of_agent = session_hooks(app, snapshot).into_iter().find(|hook| hook.id == id);
    of_agent.map_or_else(|| approvals::project_hook(&app.workspace.trust, snapshot, id), Ok)
}

/// Which hooks of a snapshot wait for approval, and which are approved.
#[must_use]
pub fn trust_doc(app: &App, snapshot: &Snapshot) -> TrustDoc {
    let mut doc = TrustDoc {
        pending: Vec::new(),
        approved: Vec::new(),
        denied: Vec::new(),
        problems: Vec::new(),
    };
    let standing = app
        .workspace
        .trust
        .current_fingerprints(snapshot.reviewed().map(|hook| &**hook));
    for (hook, content) in approvals::hooks_to_review(&app.workspace.trust, snapshot) {
        let trusted = app.workspace.trust.is_approved(&hook, &content);
        let item = TrustItem {
            kind: kind_of(&hook).to_owned(),
            hook: hook.id.clone(),
            label: hook.label.clone(),
            event: hook.event.clone(),
            project: content.project.display().to_string(),
            definition: hook.definition_text.clone(),
            inherited: hook.inherited_text.clone(),
            files: file_hashes(&content.files),
            data: display_paths(&content.covered.data),
            data_changed: display_paths(&app.workspace.trust.changed_data(&hook, &content, &standing)),
            not_covered: not_covered_sentences(&content),
            old: if trusted {
                None
            } else {
                old_content(app, &hook, &content, &standing)
            },
            agent_trust: hook.agent_trust,
            denied: why_denied(app, &hook, &content).filter(|_| !trusted),
        };
        list_for(&mut doc, trusted, item.denied.is_some()).push(item);
    }
    doc.approved.extend(agent_programs::approved_items(app));
    doc
}

/// What a reviewed hook is.
fn kind_of(hook: &Hook) -> &'static str {
    if hook.handler == Handler::SETTINGS {
        "settings"
    } else {
        "hook"
    }
}

/// The command `trust.review`: everything that the user must see before approving a hook.
///
/// # Errors
/// The project has no such hook, or the hook needs no approval.
pub async fn trust_review(app: &App, request: HookRequest) -> Result<ReviewDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    if agent_programs::is_program_id(&request.hook) {
        return Ok(agent_programs::review(app, &request.hook)?);
    }
    Ok(review(app, &snapshot, &*hook_to_review(app, &snapshot, &request.hook)?))
}

/// Everything that the user must see before approving this hook.
#[must_use]
pub fn review(app: &App, snapshot: &Snapshot, hook: &Hook) -> ReviewDoc {
    let (content, files) = with_file_texts(app, hook);
    let standing = app
        .workspace
        .trust
        .current_fingerprints(snapshot.reviewed().map(|hook| &**hook));
    let old = old_content(app, hook, &content, &standing);
    let trusted = app.workspace.trust.check_gate(hook).is_ok();
    let denied = why_denied(app, hook, &content).filter(|_| !trusted);
    let first = first_warnings(snapshot, hook).into_iter().map(Sentence::from);
    ReviewDoc {
        hook: hook.id.clone(),
        event: hook.event.clone(),
        label: hook.label.clone(),
        path: hook.source.path.display().to_string(),
        line: hook.source.line,
        first: denied.iter().cloned().chain(first).collect(),
        definition: hook.definition_text.clone(),
        inherited: hook.inherited_text.clone(),
        fingerprint: content.fingerprint.clone(),
        found: found_words::in_content(&hook.definition_text, &files, old.as_ref()),
        files,
        data: display_paths(&content.covered.data),
        data_changed: display_paths(&app.workspace.trust.changed_data(hook, &content, &standing)),
        not_covered: not_covered_sentences(&content),
        trusted,
        denied: denied.is_some(),
        old,
        agent: agent_programs::row_of(hook),
    }
}

/// The command `trust.approve`: approves exactly what the review showed. Returns how many hooks still wait.
///
/// # Errors
/// There is no such hook, its content changed after the review or cannot be approved, or the trust file cannot be
/// written.
pub async fn trust_approve(app: &App, request: ApproveRequest) -> Result<Pending, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    open_project.refresh();
    let snapshot = open_project.snapshot();
    if agent_programs::is_program_id(&request.hook) {
        if !agent_programs::approve(app, &request.hook, &request.fingerprint)? {
            return Err(render!(REVIEW_IS_OLD, "hook" => request.hook).into());
        }
        return Ok(Pending {
            pending: pending(app, &snapshot),
        });
    }
    let hook = hook_to_review(app, &snapshot, &request.hook)?;
    let content = app.workspace.trust.content(&hook);
    if content.fingerprint != request.fingerprint {
        return Err(render!(REVIEW_IS_OLD, "hook" => request.hook).into());
    }
    if let Some(message) = &content.covered.refusal {
        return Err(message.clone().into());
    }
    app.workspace.approve(&snapshot, &[(&*hook, content)])?;
    Ok(Pending {
        pending: pending(app, &snapshot),
    })
}

/// The command `trust.deny`: denies exactly what the review showed. The hook does not run, and no longer waits. Returns
/// how many hooks still wait.
///
/// # Errors
/// There is no such hook, its content changed after the review, or the trust file cannot be written.
pub async fn trust_deny(app: &App, request: ApproveRequest) -> Result<Pending, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    open_project.refresh();
    let snapshot = open_project.snapshot();
    let hook = hook_to_review(app, &snapshot, &request.hook)?;
    let content = app.workspace.trust.content(&hook);
    if content.fingerprint != request.fingerprint {
        return Err(render!(REVIEW_IS_OLD, "hook" => request.hook).into());
    }
    app.workspace.deny(&hook, &content)?;
    Ok(Pending {
        pending: pending(app, &snapshot),
    })
}

/// The command `trust.revoke`: revokes what was decided about a hook. Returns how many hooks wait now.
///
/// # Errors
/// There is no such hook, or the trust file cannot be written.
pub async fn trust_revoke(app: &App, request: HookRequest) -> Result<Pending, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    if agent_programs::is_program_id(&request.hook) {
        agent_programs::revoke(app, &request.hook)?;
    } else {
        let hook = hook_to_review(app, &snapshot, &request.hook)?;
        approvals::revoke(&app.workspace.trust, &snapshot, &hook)?;
    }
    Ok(Pending {
        pending: pending(app, &snapshot),
    })
}

/// What the user should know first about a hook that waits for approval.
#[must_use]
pub fn first_warnings(snapshot: &Snapshot, hook: &Hook) -> Vec<Message> {
    let of_user = (hook.source.layer == Layer::User).then(|| STARTS_PROJECT.render_plain());
    let replaced = snapshot.replaced_by(&hook.id).into_iter();
    let replaces = replaced.map(|other| render!(REPLACES, "hook" => other));
    of_user.into_iter().chain(replaces).collect()
}
