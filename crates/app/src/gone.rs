//! Guards that another program removed from their files: restored, or accepted.

use std::path::Path;

use hookwright_model::{EditDoc, EditRequest, Layer, Message, TargetLayer, render};
use hookwright_workspace::edit::{self, WriteMode};
use hookwright_workspace::identities::{GoneGuard, Identities, IdentityFile};

use crate::app::App;
use crate::dto::{Empty, GoneRequest, RestoreGoneRequest};
use crate::edit_commands::{to_answer, write_mode};
use crate::fault::Fault;

hookwright_model::messages! {
    /// No guard with this identity is gone.
    UNKNOWN = "gone_unknown" { "no guard with the id {uid} is missing", "没有 id 为 {uid} 的缺失防护 Hook" } hint { "run `hookwright status --json` to see the guards that are missing, with their ids", "执行 `hookwright status --json` 查看缺失的防护 Hook 及其 id" };
    /// The guard was a folder, and its files are not kept.
    NOT_KEPT = "gone_not_kept" { "{label} cannot be restored: it was a folder with separate files", "无法恢复 {label}：它是一个带有文件的文件夹" } hint { "restore it from your own copy or with Git, or accept that it no longer exists", "从自己的副本或用 Git 恢复，或接受其缺失" };
    /// No file of the dialect is the one that the guard was in.
    NO_PLACE = "gone_not_kept" / "place" { "{label} cannot be restored to {path}", "无法将 {label} 恢复到 {path}" } hint { "add it by hand, or accept that it no longer exists", "手工添加，或接受其缺失" };
}

/// The command `gone.restore`: adds a guard again that was removed from its file, after the others of its list.
///
/// # Errors
/// No such guard is gone, or the edit is refused. No file was changed then.
pub async fn gone_restore(app: &App, request: RestoreGoneRequest) -> Result<EditDoc, Fault> {
    let mode = write_mode(request.dry_run);
    let guard = find(app, request.project.as_deref(), &request.uid)?;
    let Some(definition) = guard.addition.clone() else {
        return Err(render!(NOT_KEPT, "label" => guard.label).into());
    };
    let project = guard.project.clone().unwrap_or_else(|| app.workspace.env.home.clone());
    let event = guard.event.split(',').next().unwrap_or_default().to_owned();
    let layers: &[TargetLayer] = match guard.layer {
        Layer::User => &[TargetLayer::User],
        Layer::Project => &[TargetLayer::Project, TargetLayer::Local],
        Layer::Skill => &[TargetLayer::Skill],
        Layer::Builtin | Layer::Session => &[],
    };
    for layer in layers {
        let addition = EditRequest::Add {
            event: event.clone(),
            layer: *layer,
            definition: definition.clone(),
        };
        let perform = |mode| edit::perform(&app.workspace, &project, Some(&guard.dialect), &addition, mode);
        let planned = perform(WriteMode::DryRun);
        if planned.is_ok_and(|planned| Path::new(&planned.path) == guard.path) {
            return to_answer(perform(mode), mode);
        }
    }
    let path = guard.path.display().to_string();
    Err(render!(NO_PLACE, "label" => guard.label, "path" => path).into())
}

/// The command `gone.accept`: the user accepts that a guard was removed from its file.
///
/// # Errors
/// No such guard is gone, or that cannot be stored.
pub async fn gone_accept(app: &App, request: GoneRequest) -> Result<Empty, Fault> {
    let guard = find(app, request.project.as_deref(), &request.uid)?;
    IdentityFile::new(&app.workspace.env.data_dir)
        .accept(&[guard.uid], app.workspace.clock())
        .map_err(Message::from)?;
    Ok(Empty {})
}

fn find(app: &App, project: Option<&str>, uid: &str) -> Result<GoneGuard, Message> {
    let open_project = match project {
        Some(project) => app.workspace.open_project(Path::new(project))?,
        None => app.workspace.user_hooks(),
    };
    open_project.refresh();
    let known = Identities::read(&app.workspace.env.data_dir);
    let snapshot = open_project.snapshot();
    let mut gone = known.gone(&snapshot.sources);
    gone.find(|gone| gone.uid == uid)
        .ok_or_else(|| render!(UNKNOWN, "uid" => uid))
}
