//! Random edits of generated files in every format, in the form that users write. The real writer of user files runs,
//! and other parsers read its result. No comment and no byte outside the change may be lost (`CONTRACTS.md` §2.7).
//!
//! `HOOKWRIGHT_EDITS` is the number of documents of each dialect; a large number gives tens of thousands of edits. With
//! `--nocapture` every test prints what it did.

mod checks;
mod document;
mod json;
mod random_edit;
mod reader;
mod values;
mod yaml;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hookwright_app::{App, hooks};
use hookwright_model::{EditDoc, EditRequest, HookChange, TargetLayer};
use hookwright_testkit::TestRng;
use hookwright_workspace::edit::{WriteMode, turned_off, undo};
use hookwright_workspace::{HostEnv, ProcessRole, edit, wall_clock};

use self::checks::EditCase;
use self::random_edit::{EditAction, RandomEdit};
use self::reader::Files;

/// The number of documents of each dialect, if `HOOKWRIGHT_EDITS` is not set.
const DOCUMENTS: u64 = 24;
/// The number of edits of each document. Every edit starts from the generated document.
const EDITS: usize = 14;

/// A home and a project in a temporary folder, and the app that edits them.
struct EditSandbox {
    _folder: tempfile::TempDir,
    root: PathBuf,
    project: PathBuf,
    app: App,
}

impl EditSandbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = dunce::canonicalize(folder.path()).expect("it exists");
        let (home, project) = (root.join("home"), root.join("project"));
        std::fs::create_dir_all(home.join("data")).expect("a home");
        std::fs::create_dir_all(&project).expect("a project");
        let vars: BTreeMap<OsString, OsString> = [
            ("HOME", home.as_path()),
            ("HOOKWRIGHT_DATA", &home.join("data")),
            ("PATH", Path::new("/usr/bin:/bin")),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        let env = HostEnv::new(vars, project.clone(), PathBuf::new()).expect("there is a home");
        let app = App::open(env, ProcessRole::OneShot, wall_clock());
        Self {
            _folder: folder,
            root,
            project,
            app,
        }
    }

    /// Writes exactly these files into the sandbox and removes all others, with the stored edits of the last document:
    /// each edit reads those before it.
    fn reset(&self, files: &Files) {
        for stored in ["edits", "trash"] {
            let folder = self.root.join("home/data").join(stored);
            if folder.exists() {
                std::fs::remove_dir_all(folder).expect("no edit is under way");
            }
        }
        for path in reader::files(&self.root).keys() {
            if !files.contains_key(path) {
                std::fs::remove_file(self.root.join(path)).expect("it was there");
                let folders = self.root.join(path);
                for folder in folders.ancestors().skip(1).take(4) {
                    // A folder that is not empty stays.
                    let _full = std::fs::remove_dir(folder);
                }
            }
        }
        std::fs::create_dir_all(&self.project).expect("a project");
        for (path, (bytes, mode)) in files {
            let path = self.root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
            std::fs::write(&path, bytes).expect("it can be written");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(*mode)).expect("it is ours");
        }
    }

    /// Approves every hook of the project, because an unapproved hook is not moved to the user layer.
    fn approve(&self) {
        let open_project = self.app.workspace.open_project(&self.project).expect("a folder");
        open_project.refresh();
        let snapshot = open_project.snapshot();
        let hooks = snapshot.all().filter(|hook| hook.source.project.is_some());
        let contents: Vec<_> = hooks
            .map(|hook| (&**hook, self.app.workspace.trust.content(hook)))
            .collect();
        self.app
            .workspace
            .approve(&snapshot, &contents)
            .expect("the data folder can be written");
    }

    /// The numbers of the hooks by their ids.
    fn numbers_by_id(&self, dialect: &str) -> BTreeMap<String, usize> {
        let open_project = self.app.workspace.open_project(&self.project).expect("a folder");
        open_project.refresh();
        let list = hooks::list(&self.app, &open_project.snapshot(), Some(dialect), None);
        let hooks = list.hooks.into_iter();
        hooks
            .filter_map(|row| Some((row.hook, reader::tag(dialect, &row.definition)?)))
            .collect()
    }
}

/// The edits that were written, refused or wrong.
#[derive(Debug, Default)]
struct EditReport {
    written: BTreeMap<EditAction, usize>,
    refused: BTreeMap<String, usize>,
    failures: Vec<String>,
}

fn run_document(sandbox: &EditSandbox, dialect: &'static str, seed: u64, report: &mut EditReport) {
    let mut rng = TestRng::new(seed);
    let generated = match dialect {
        "jcli" => yaml::jcli(&mut rng),
        "agent-hooks" => yaml::agent_hooks(&mut rng),
        "qoder" => json::qoder(&mut rng),
        "skill" => json::skill(&mut rng),
        _ => json::picoclaw(&mut rng),
    };
    let files: Files = generated
        .files
        .iter()
        .map(|file| (file.path.clone(), (file.text().into_bytes(), file.mode)))
        .collect();
    let slots = reader::hook_spans(dialect, &files).expect("the generator writes what can be read");
    sandbox.reset(&files);
    let known = sandbox.numbers_by_id(dialect);
    let ids: BTreeMap<usize, String> = known.iter().map(|(id, number)| (*number, id.clone())).collect();
    if ids.len() != slots.len() {
        report
            .failures
            .push(format!("seed {seed}: {} hooks are known of {}", ids.len(), slots.len()));
        return;
    }
    // PicoClaw has a field for it.
    if dialect != "picoclaw" {
        for id in ids.values() {
            sandbox.reset(&files);
            if let Err(why) = check_turning(sandbox, id, &files, generated.anchored) {
                report
                    .failures
                    .push(format!("seed {seed}: {id} turned off and on: {why}"));
            }
        }
    }
    for _ in 0..EDITS {
        let Some(edit) = random_edit::random(&mut rng, dialect, &slots, &ids) else {
            continue;
        };
        sandbox.reset(&files);
        let case = EditCase {
            dialect,
            generated: &generated,
            slots: &slots,
            before: &files,
            edit: &edit,
            ids: &ids,
        };
        let result = run_edit(sandbox, &case, rng.one_in(6), report);
        if let Err(why) = result {
            report.failures.push(format!(
                "seed {seed}: {why}\n{:?}\n{}",
                edit.request,
                changed_files(&case, &reader::files(&sandbox.root))
            ));
        }
    }
}

fn run_edit(sandbox: &EditSandbox, case: &EditCase<'_>, dry: bool, report: &mut EditReport) -> Result<(), String> {
    let RandomEdit { what, request, .. } = case.edit;
    let dialect = matches!(request, EditRequest::Add { .. }).then_some(case.dialect);
    let edit = |writing| edit::perform(&sandbox.app.workspace, &sandbox.project, dialect, request, writing);
    if matches!(request, EditRequest::Change { changes, .. } if changes.contains(&HookChange::ToLayer(TargetLayer::User)))
    {
        sandbox.approve();
    }
    let before = dry.then(|| edit(WriteMode::DryRun));
    if before.is_some() && reader::files(&sandbox.root) != *case.before {
        return Err("a dry run wrote".into());
    }
    match edit(WriteMode::Now) {
        Ok(doc) => {
            if let Some(Ok(before)) = before {
                let same = (&before.hook, &before.moved, &before.diff) == (&doc.hook, &doc.moved, &doc.diff);
                if !same || before.written {
                    return Err("a dry run told something else".into());
                }
            }
            *report.written.entry(*what).or_default() += 1;
            case.check(
                &doc,
                &reader::files(&sandbox.root),
                &sandbox.numbers_by_id(case.dialect),
            )?;
            check_undo(sandbox, case, &doc)
        }
        Err(refused) => {
            let fault = refused.message();
            *report.refused.entry(fault.code.to_owned()).or_default() += 1;
            if reader::files(&sandbox.root) != *case.before {
                return Err(format!("refused ({fault}), and yet something is written"));
            }
            let is_expected = case.edit.refused_for.contains(&fault.code);
            // A YAML text that includes its trailing empty lines also includes further ones after the lines between
            // them are removed.
            let keeps_empty_lines = case.before.keys().map(|path| reader::text(case.before, path));
            let keeps_empty_lines = keeps_empty_lines
                .into_iter()
                .any(|text| text.contains("|+") || text.contains(">+"));
            if fault.code == "edit_differs" && keeps_empty_lines {
                return Ok(());
            }
            let has_anchors = fault.code != "edit_shared_anchor" || case.generated.anchored;
            if is_expected && has_anchors {
                Ok(())
            } else {
                Err(format!("refused: {}: {fault}", fault.code))
            }
        }
    }
}

/// Checks that an undo restores every byte. After `Add`, the removal of the new hook must restore them.
fn check_undo(sandbox: &EditSandbox, case: &EditCase<'_>, doc: &EditDoc) -> Result<(), String> {
    let done = match (&doc.hook, case.edit.what, &doc.edit) {
        (Some(hook), EditAction::Add, _) => {
            let request = EditRequest::Remove { hook: hook.clone() };
            let done = edit::perform(&sandbox.app.workspace, &sandbox.project, None, &request, WriteMode::Now);
            done.map(|_| ())
                .map_err(hookwright_workspace::edit::EditRefusal::message)
        }
        (_, _, Some(edit)) => {
            undo::undo(&sandbox.app.workspace, &sandbox.project, Some(edit), WriteMode::Now).map(|_| ())
        }
        (_, _, None) if doc.written => return Err("it is not kept".into()),
        (_, _, None) => Ok(()),
    };
    done.map_err(|fault| format!("not taken back: {fault}"))?;
    if reader::files(&sandbox.root) == *case.before {
        Ok(())
    } else {
        Err("taken back, and not as it was".into())
    }
}

/// Turns a hook off and on. Then every byte must be as before.
fn check_turning(sandbox: &EditSandbox, hook: &str, before: &Files, anchored: bool) -> Result<(), String> {
    let workspace = &sandbox.app.workspace;
    let off = match turned_off::turn_off(workspace, &sandbox.project, hook, WriteMode::Now) {
        Ok(doc) => doc,
        Err(refused) => {
            let fault = refused.message();
            let keeps_empty_lines = before.keys().any(|path| {
                let text = reader::text(before, path);
                text.contains("|+") || text.contains(">+")
            });
            let is_expected = match fault.code {
                "edit_shared_anchor" => anchored,
                "edit_differs" => keeps_empty_lines,
                _ => false,
            };
            return if is_expected {
                Ok(())
            } else {
                Err(format!("refused: {fault}"))
            };
        }
    };
    let id = off.turned_off.ok_or("it is not kept")?;
    let kept = turned_off::list(
        workspace,
        &workspace
            .open_project(&sandbox.project)
            .map_err(|fault| fault.text)?
            .snapshot(),
        None,
    );
    if !kept.hooks.iter().any(|kept| kept.id == id) {
        return Err("it is not listed".into());
    }
    let on = turned_off::turn_on(workspace, &sandbox.project, &id, WriteMode::Now);
    let on = on.map_err(|refused| format!("not put back: {}", refused.message()))?;
    if on.hook.as_deref() != Some(hook) {
        return Err(format!("it is {:?} now", on.hook));
    }
    if reader::files(&sandbox.root) == *before {
        Ok(())
    } else {
        Err("not as before".into())
    }
}

/// The files that changed, before and after.
fn changed_files(case: &EditCase<'_>, after: &Files) -> String {
    let visible = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\r', "␍").replace('\t', "␉");
    let mut out = String::new();
    for path in case
        .before
        .keys()
        .chain(after.keys().filter(|path| !case.before.contains_key(*path)))
    {
        let (old, new) = (case.before.get(path), after.get(path));
        let mine = case
            .slots
            .iter()
            .any(|slot| slot.file == *path && reader::tag(case.dialect, &slot.value) == case.edit.hook);
        if mine || old.map(|file| &file.0) != new.map(|file| &file.0) {
            let text = |file: Option<&(Vec<u8>, u32)>| file.map_or("gone".to_owned(), |file| visible(&file.0));
            out += &format!("── {path} before\n{}\n── after\n{}\n", text(old), text(new));
        }
    }
    out
}

fn run_documents(dialect: &'static str) {
    let documents = std::env::var("HOOKWRIGHT_EDITS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(DOCUMENTS);
    let sandbox = EditSandbox::new();
    let mut report = EditReport::default();
    for seed in 0..documents {
        run_document(&sandbox, dialect, seed, &mut report);
    }
    let written: usize = report.written.values().sum();
    let refused: usize = report.refused.values().sum();
    println!(
        "{dialect}: {documents} documents, {written} edits written {:?}, {refused} refused {:?}",
        report.written, report.refused
    );
    let some: Vec<&str> = report.failures.iter().take(6).map(String::as_str).collect();
    assert!(
        some.is_empty(),
        "{} edits failed\n{}",
        report.failures.len(),
        some.join("\n\n")
    );
}

#[test]
fn yaml_of_j_cli() {
    run_documents("jcli");
}

#[test]
fn json_of_qoder() {
    run_documents("qoder");
}

#[test]
fn json_and_texts_of_skills() {
    run_documents("skill");
}

#[test]
fn front_matter_texts_and_scripts_of_agent_hooks() {
    run_documents("agent-hooks");
}

#[test]
fn json_of_picoclaw() {
    run_documents("picoclaw");
}
