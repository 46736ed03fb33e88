//! Follows an engine and sends the notifications.

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use hookwright_model::{Layer, QueueLimits};
use hookwright_workspace::blocking::blocking;
use tokio::time::sleep_until;

use super::board::NoticeBoard;
use super::pending::{PendingHooks, Waiting, WaitingFrom};
use super::{findings, is_on};
use crate::app::App;
use crate::pushes::NoticeReason;
use crate::review;

/// What waits to be looked at. A notification of what does not fit is lost; the history has it.
const QUEUE: QueueLimits = QueueLimits {
    entries: 1024,
    bytes: 16 << 20,
    wake_at: 256,
};
/// Approvals change often in a short time, such as when a project is opened. They are looked at once after it.
const SETTLE: Duration = Duration::from_millis(300);

/// Sends notifications to every receiver of pushes until the engine ends.
pub async fn watch(app: Weak<App>) {
    let Some(engine) = app.upgrade() else { return };
    let follower = engine.history.journal().follow(QUEUE);
    let mut review_changes = engine.review_changes();
    drop(engine);
    let (mut board, mut pending) = (NoticeBoard::default(), PendingHooks::default());
    let mut look_at: Option<Instant> = None;
    loop {
        let next = [look_at, board.due()].into_iter().flatten().min();
        tokio::select! {
            has_more = follower.wait() => if !has_more { return },
            changed = review_changes.changed() => match changed {
                Ok(()) => { look_at.get_or_insert_with(|| Instant::now() + SETTLE); }
                Err(_) => return,
            },
            () = sleep_until(next.unwrap_or_else(Instant::now).into()), if next.is_some() => {}
        }
        let Some(app) = app.upgrade() else { return };
        let entries = follower.take().entries;
        // A window that comes later shows what happened before it.
        if !app.has_receivers() {
            (board, pending, look_at) = (NoticeBoard::default(), PendingHooks::default(), None);
            continue;
        }
        let settings = app.workspace.settings().notifications;
        for entry in &entries {
            for finding in findings::of_trace(&entry.trace, &settings) {
                let waits = finding.reason == NoticeReason::WaitsForApproval;
                if !waits || pending.tell(finding.project.as_deref(), &finding.hook) {
                    board.add(finding, Instant::now());
                }
            }
        }
        if look_at.is_some_and(|at| at <= Instant::now()) {
            look_at = None;
            blocking(|| look_at_pending(&app, &mut pending, &mut board));
        }
        for push in board.take(Instant::now(), &app.workspace.redactor()) {
            app.push(push);
        }
    }
}

/// Adds the hooks that began to wait for approval in a project that is open.
fn look_at_pending(app: &Arc<App>, pending: &mut PendingHooks, board: &mut NoticeBoard) {
    let settings = app.workspace.settings();
    if !is_on(NoticeReason::WaitsForApproval, &settings.notifications) {
        // What waits when it is switched on is not new.
        *pending = PendingHooks::default();
        return;
    }
    let open_projects = app.workspace.open_projects();
    for open_project in &open_projects {
        let project = open_project.project.display().to_string();
        let hooks = review::pending_hooks(app, &open_project.snapshot());
        let waiting: Vec<Waiting<'_>> = hooks
            .iter()
            .map(|hook| Waiting {
                hook: &hook.id,
                definition: &hook.definition_text,
                from: if hook.source.layer == Layer::Session {
                    WaitingFrom::Agent
                } else {
                    WaitingFrom::File
                },
            })
            .collect();
        for index in pending.update(&project, &waiting) {
            board.add(findings::of_pending(&hooks[index], &project), Instant::now());
        }
    }
    pending.keep(|project| {
        let is_open = open_projects.iter().any(|open| open.project == Path::new(project));
        is_open
            || settings
                .watch
                .projects
                .iter()
                .any(|listed| listed == Path::new(project))
    });
}
