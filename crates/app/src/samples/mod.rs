//! The samples that are compiled into the program: hooks with their scripts, to look at and to add to a project.
//!
//! How it works: the build script takes the samples of the tables in `hooks-samples/README.md` and its Chinese
//! translation. [`embedded`] reads a sample's hooks as its dialect would. Adding one is one edit of the workspace:
//! entries go to the end of the file that the project or the user has, and all other files are new.

mod embedded;

use std::path::{Path, PathBuf};

use hookwright_model::{Bilingual, EditDoc, Message, TargetLayer, render};
use hookwright_workspace::edit::added_hooks::{self, AddedHooks};
use hookwright_workspace::edit::requests::target_layer;
use hookwright_workspace::edit::{EditRefusal, WriteMode};

use crate::app::App;
use crate::dto::{AddSampleRequest, Empty, Sample, SamplesDoc};
use crate::edit_commands::{to_answer, write_mode};
use crate::fault::Fault;
use crate::hook_files;
use embedded::LoadedSample;

hookwright_model::messages! {
    /// No sample has this id.
    UNKNOWN_SAMPLE = "sample_unknown" { "unknown sample {sample}", "未知的示例项目 {sample}" } hint { "write one of {known}; `hookwright samples` describes them", "写为以下之一：{known}；`hookwright samples` 会说明各项" };
}

/// The command `samples.list`: every sample with its hooks and files.
///
/// # Errors
/// Never.
pub async fn samples_list(app: &App, _: Empty) -> Result<SamplesDoc, Fault> {
    Ok(list(app))
}

/// Every sample with its hooks and files.
#[must_use]
pub fn list(app: &App) -> SamplesDoc {
    let samples = embedded::ALL
        .iter()
        .filter_map(|sample| LoadedSample::load(app, sample));
    SamplesDoc {
        samples: samples.map(|sample| to_dto(&sample)).collect(),
    }
}

/// The command `samples.add`: adds a sample's hooks with their scripts, as one edit.
///
/// # Errors
/// The sample or the layer is unknown, or the edit is refused. No file was changed then.
pub async fn samples_add(app: &App, request: AddSampleRequest) -> Result<EditDoc, Fault> {
    let mode = write_mode(request.dry_run);
    let layer = request.layer.as_deref().map(target_layer).transpose()?;
    let done = add(app, Path::new(&request.project), &request.sample, layer, mode);
    to_answer(done, mode)
}

/// Adds a sample's hooks with their scripts, as one edit.
///
/// # Errors
/// The sample or the layer is unknown, or the edit is refused. No file was changed then.
pub fn add(
    app: &App,
    project: &Path,
    id: &str,
    layer: Option<TargetLayer>,
    mode: WriteMode,
) -> Result<EditDoc, EditRefusal> {
    let sample = find(app, id)?;
    let layer = layer.unwrap_or_else(|| sample.usual_layer());
    let dialect = sample.dialect;
    let placed = hook_files::place(app, dialect, (project, layer), &[], &sample.files)?;
    // Comments of the sample's file come along where the whole file does.
    let is_whole = |path: &Path, placed: &Path| {
        layer != TargetLayer::User && layer != TargetLayer::Local && path_is_free(placed)
            || !sample.entries.iter().any(|entry| entry.path == path)
    };
    let paths: Vec<(&PathBuf, &PathBuf)> = sample
        .files
        .iter()
        .zip(&placed.files)
        .map(|(file, placed)| (&file.path, &placed.path))
        .collect();
    let appended = |path: &Path| {
        paths
            .iter()
            .any(|(own, placed)| *own == path && !is_whole(path, placed))
    };
    let hooks: Vec<_> = sample
        .entries
        .iter()
        .filter(|entry| appended(&entry.path))
        .map(|entry| entry.hook.clone())
        .collect();
    let others: Vec<_> = sample
        .files
        .iter()
        .filter(|file| !appended(&file.path))
        .cloned()
        .collect();
    let placed = hook_files::place(app, dialect, (project, layer), &hooks, &others)?;
    let request = AddedHooks {
        dialect: dialect.card().id,
        layer,
        hooks: &placed.hooks,
        files: &placed.files,
        label: sample.name,
    };
    added_hooks::add(&app.workspace, &placed.project, &request, mode)
}

fn path_is_free(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

fn find(app: &App, id: &str) -> Result<LoadedSample, Message> {
    let mut all = embedded::ALL.iter();
    let found = all.find(|sample| id == format!("{}/{}", sample.dialect, sample.name));
    found
        .and_then(|sample| LoadedSample::load(app, sample))
        .ok_or_else(|| unknown_sample(id))
}

/// Names the samples of the dialect that the id begins with; without one, all of them.
fn unknown_sample(id: &str) -> Message {
    let dialect = id.split_once('/').map(|(dialect, _)| dialect);
    let of_dialect = |sample: &&embedded::EmbeddedSample| dialect == Some(sample.dialect);
    let mut known: Vec<_> = embedded::ALL.iter().filter(of_dialect).collect();
    if known.is_empty() {
        known.extend(embedded::ALL);
    }
    let known: Vec<String> = known
        .iter()
        .map(|sample| format!("{}/{}", sample.dialect, sample.name))
        .collect();
    render!(UNKNOWN_SAMPLE, "sample" => id, "known" => known.join(", "))
}

fn to_dto(sample: &LoadedSample) -> Sample {
    let dialect = sample.dialect.card().id;
    let mut layers = sample.layers();
    layers.sort_by_key(|layer| *layer != sample.usual_layer());
    Sample {
        sample: format!("{dialect}/{}", sample.name),
        dialect: dialect.to_owned(),
        name: sample.name.to_owned(),
        about: Bilingual {
            en: sample.about.en.to_owned(),
            zh: sample.about.zh.to_owned(),
        },
        events: sample.events(),
        layers: layers.iter().map(|layer| layer.as_str().to_owned()).collect(),
        hooks: sample.hooks.clone(),
        files: sample.files.iter().map(hook_files::to_dto).collect(),
    }
}
