//! Guards against recorded events, and trying a hook that is not saved.
//!
//! A hook is tried in a folder of its own below the data folder: its definition and its scripts are written there, the
//! event fires with only this hook, and the folder is removed. Nothing is recorded, and no file of the user is touched.

use std::path::Path;

use hookwright_dialects::guard;
use hookwright_dialects::lookup::find_event;
use hookwright_model::{Card, Dialect, Message, Origin, TargetLayer, Trace, args, render};
use hookwright_redact::REPLACEMENT;
use hookwright_workspace::Snapshot;
use hookwright_workspace::blocking::blocking;
use hookwright_workspace::data_files::locked_file;
use hookwright_workspace::discovery::{self, PendingFiles};
use hookwright_workspace::edit::added_hooks::{self, AddedHooks, NewHook};
use hookwright_workspace::project;

use crate::app::App;
use crate::dto::{GuardDoc, GuardDraft, GuardRequest, TryHookRequest};
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::fire::{Caller, FireJob, fire_once};
use crate::hook_files;
use crate::output_doctor::with_output_problems;
use crate::payload::ParsedPayload;
use crate::scratch_folder::ScratchFolder;
use crate::sessions::SessionRequest;

hookwright_model::messages! {
    /// The folder in which a hook is tried cannot be created.
    NO_SCRATCH = "try_unwritable" { "{path} cannot be created: {why}", "无法创建 {path}：{why}" } hint { "check the owner and mode of the data folder", "检查数据文件夹的所有者和权限" };
}

/// The command `guards.draft`: the hook that blocks a recorded event, with its script. Nothing is written.
///
/// # Errors
/// The dialect or the event is unknown.
pub async fn guards_draft(_app: &App, request: GuardRequest) -> Result<GuardDoc, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    let guard = guard::guard(dialect.card(), spec, &request.payload);
    Ok(GuardDoc {
        can_block: guard::can_guard(dialect.card(), spec),
        guard: guard.map(|guard| GuardDraft {
            masked: guard.value.to_string().contains(REPLACEMENT),
            script: hook_files::to_dto(&guard.script),
            definition: guard.definition,
            field: guard.field,
            value: guard.value,
        }),
    })
}

/// The command `hooks.try`: fires an event with only a hook that is not saved. `fire.stop` stops it.
///
/// # Errors
/// The hook cannot be defined, a name is unknown, or the payload is too large or contradicts the event.
pub async fn hooks_try(app: &App, request: TryHookRequest) -> Result<Trace, Fault> {
    let payload = request.payload.clone().read()?;
    let run = app.runs.begin(request.run.clone());
    let (dialect, _) = find_event(&request.dialect, &request.event)?;
    let (scratch, snapshot) = blocking(|| -> Result<_, Fault> {
        let scratch = ScratchProject::create(app)?;
        let snapshot = scratch.write(app, dialect, &request)?;
        Ok((scratch, snapshot))
    })?;
    let session = SessionRequest {
        dialect: request.dialect,
        id: None,
        project: scratch.folder.path().to_owned(),
    };
    let job = FireJob {
        event: request.event,
        payload: without_folder(dialect.card(), payload),
        origin: Origin::Test,
        caller: Caller::ThisProcess,
        consent: Consent::Granted,
        recording: Recording::Off,
        cancel: run.cancel().clone(),
        run: Some(request.run),
    };
    let fired = fire_once(app, &snapshot, session, job).await;
    blocking(|| drop(scratch));
    Ok(with_output_problems(fired?.recorded))
}

/// A payload without the directories that the recorded one had. Missing common fields are filled in.
fn without_folder(card: &Card, mut payload: ParsedPayload) -> ParsedPayload {
    payload
        .fields
        .retain(|name, _| !(name == "cwd" && card.common.iter().any(|field| field.name == name)));
    payload
}

/// A folder that is a project for one run.
struct ScratchProject {
    folder: ScratchFolder,
}

impl ScratchProject {
    fn create(app: &App) -> Result<Self, Fault> {
        let (data_dir, run_id) = (&app.workspace.env.data_dir, app.run_id());
        let folder = ScratchFolder::create(data_dir, &run_id);
        let path = ScratchFolder::path_for(data_dir, &run_id);
        Ok(Self {
            folder: folder.map_err(|error| unwritable(&path, &error))?,
        })
    }

    /// Writes the hook with its files, and loads it alone.
    fn write(&self, app: &App, dialect: &dyn Dialect, request: &TryHookRequest) -> Result<Snapshot, Fault> {
        let (workspace, folder) = (&app.workspace, self.folder.path());
        let locations = workspace.env.locations(folder);
        for root in dialect.roots(&locations, &hook_files::NoDirs) {
            // A dialect may look for a project in the folders above one that has none of its files.
            let parent = root.path.parent().filter(|parent| parent.starts_with(folder));
            let created = |parent: &Path| std::fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error));
            parent.map_or(Ok(()), created)?;
        }
        let files: Vec<_> = request.files.iter().cloned().map(hook_files::from_dto).collect();
        let layers = dialect.card().edit_support.target_layers;
        let project_layer = layers.iter().find(|layer| **layer != TargetLayer::User);
        let layer = project_layer.copied().unwrap_or(TargetLayer::Project);
        let hook = NewHook {
            event: request.event.clone(),
            definition: request.definition.clone(),
        };
        let placed = hook_files::place(app, dialect, (folder, layer), &[hook], &files)?;
        let added = AddedHooks {
            dialect: dialect.card().id,
            layer,
            hooks: &placed.hooks,
            files: &placed.files,
            label: dialect.card().name,
        };
        let planned = added_hooks::planned_files(workspace, folder, &added);
        for file in planned.map_err(|refusal| Fault::from(refusal.message()))? {
            if !file.path.starts_with(folder) {
                let path = file.path.display().to_string();
                return Err(render!(hook_files::NOT_IN_PROJECT, "path" => path).into());
            }
            locked_file::atomic_write(&file.path, &file.bytes, file.mode).map_err(Message::from)?;
        }
        let mut snapshot =
            discovery::load_with(&workspace.env, folder, None, &PendingFiles::default(), workspace.now());
        // The user's own hooks stay out of it.
        snapshot.sources.retain(|source| source.root.path.starts_with(folder));
        snapshot.cross_file_results = discovery::resolve_conflicts(&workspace.env, &mut snapshot);
        project::compile_patterns(&snapshot, &workspace.trust);
        Ok(snapshot)
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    let args = args! { "path" => path.display().to_string(), "why" => error.to_string() };
    NO_SCRATCH.render(args).into()
}
