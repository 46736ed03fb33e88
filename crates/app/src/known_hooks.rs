//! The hooks that figures and recorded events can be about, with all definitions that they had (`engine.md` §13).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hookwright_store::{KnownHook, WantedHook};
use hookwright_workspace::identities::Identities;
use hookwright_workspace::{ProcessRole, Snapshot};

use crate::app::App;

/// The snapshots of the hooks that figures can be about: of a project, or of all open ones, and of the user.
pub(crate) fn known_snapshots(app: &App, project: Option<&str>) -> Vec<Arc<Snapshot>> {
    let workspace = &app.workspace;
    let mut open: Vec<Arc<Snapshot>> = workspace.open_projects().iter().map(|open| open.snapshot()).collect();
    if let Some(project) = project {
        let path = workspace.env.absolute(Path::new(project));
        open.retain(|snapshot| snapshot.project == path);
        if open.is_empty() && workspace.role == ProcessRole::OneShot {
            open.extend(workspace.open_project(&path).ok().map(|open| open.snapshot()));
        }
    }
    if open.is_empty() {
        open.push(workspace.user_hooks().snapshot());
    }
    open
}

/// The hook with this identity, for a filter of traces.
pub(crate) fn wanted_hook(app: &App, project: Option<&str>, uid: String) -> WantedHook {
    let identities = Identities::read(&app.workspace.env.data_dir);
    WantedHook {
        known: known_hooks(&known_snapshots(app, project), &identities),
        uid,
    }
}

/// The hooks of these snapshots with all definitions that they had.
pub(crate) fn known_hooks(snapshots: &[Arc<Snapshot>], identities: &Identities) -> Vec<KnownHook> {
    let mut known: BTreeMap<(String, String), KnownHook> = BTreeMap::new();
    for source in snapshots.iter().flat_map(|snapshot| &snapshot.sources) {
        for hook in source.hooks.iter().filter(|hook| !hook.uid.is_empty()) {
            let path = hook.source.path.display().to_string();
            let entry = known.entry((hook.uid.clone(), path.clone())).or_insert_with(|| {
                let versions = identities.find(source, &hook.uid).map(|known| &known.versions);
                let versions = versions.into_iter().flatten().map(|version| version.definition.clone());
                KnownHook {
                    uid: hook.uid.clone(),
                    dialect: hook.dialect.to_owned(),
                    path,
                    hook: hook.id.clone(),
                    events: Vec::new(),
                    versions: versions
                        .chain([hook.version()])
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .collect(),
                }
            });
            if !entry.events.contains(&hook.event) {
                entry.events.push(hook.event.clone());
            }
        }
    }
    known.into_values().collect()
}
