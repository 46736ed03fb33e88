//! Tens of thousands of edits of files of every format, as people write them: the writer of people's files takes part,
//! other parsers read what it wrote, and no comment and no byte outside the change may be lost (`CONTRACTS.md` §2.7).
//!
//! `HOOKWRIGHT_EDITS` is the number of documents of each dialect; with `--nocapture` every run tells what it did.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails where it stands")]

mod json;
mod look;
mod paper;
mod reader;
mod values;
mod wish;
mod yaml;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hookwright_app::dto::EditDoc;
use hookwright_app::edit::Writing;
use hookwright_app::{App, Hosting, Surroundings, wall_clock};
use hookwright_model::{EditRequest, HookChange, TargetLayer};
use hookwright_testkit::Chance;

use look::Case;
use reader::Files;
use wish::{What, Wish};

/// Documents of each dialect, without a word from outside.
const DOCUMENTS: u64 = 24;
/// Edits of each, every one of the document as it was written.
const EDITS: usize = 14;

/// A home and a project in a folder, and who edits them.
struct Desk {
    _folder: tempfile::TempDir,
    root: PathBuf,
    project: PathBuf,
    app: App,
}

impl Desk {
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
        let around = Surroundings::new(vars, project.clone(), PathBuf::new()).expect("there is a home");
        let app = App::open(around, Hosting::OneShot, wall_clock());
        Self {
            _folder: folder,
            root,
            project,
            app,
        }
    }

    /// Every file as the world has it, and no other.
    fn reset(&self, files: &Files) {
        for path in reader::files(&self.root).keys() {
            if !files.contains_key(path) {
                std::fs::remove_file(self.root.join(path)).expect("it was there");
                let folders = self.root.join(path);
                for folder in folders.ancestors().skip(1).take(4) {
                    // Those that hold something stay.
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

    /// Approves every hook of the project: one that is not approved is not moved to the user layer.
    fn approve(&self) {
        let desk = self.app.desk(&self.project).expect("a folder");
        desk.refresh();
        let snapshot = desk.snapshot();
        let hooks = snapshot.all().filter(|hook| hook.source.project.is_some());
        let contents: Vec<_> = hooks.map(|hook| (&**hook, self.app.trust.content(hook))).collect();
        self.app
            .approve(&snapshot, &contents)
            .expect("the data folder can be written");
    }

    /// The numbers of the hooks by their ids.
    fn ids(&self, dialect: &str) -> BTreeMap<String, usize> {
        let desk = self.app.desk(&self.project).expect("a folder");
        desk.refresh();
        let list = self.app.list(&desk.snapshot(), Some(dialect), None);
        let hooks = list.hooks.into_iter();
        hooks
            .filter_map(|row| Some((row.hook, reader::tag(dialect, &row.definition)?)))
            .collect()
    }
}

/// What was done.
#[derive(Debug, Default)]
struct Tally {
    written: BTreeMap<What, usize>,
    refused: BTreeMap<String, usize>,
    failures: Vec<String>,
}

fn one_document(desk: &Desk, dialect: &'static str, seed: u64, tally: &mut Tally) {
    let mut chance = Chance::new(seed);
    let world = match dialect {
        "jcli" => yaml::jcli(&mut chance),
        "agent-hooks" => yaml::agent_hooks(&mut chance),
        "qoder" => json::qoder(&mut chance),
        "skill" => json::skill(&mut chance),
        _ => json::picoclaw(&mut chance),
    };
    let files: Files = world
        .files
        .iter()
        .map(|file| (file.path.clone(), (file.text().into_bytes(), file.mode)))
        .collect();
    let slots = reader::slots(dialect, &files).expect("the generator writes what can be read");
    desk.reset(&files);
    let known = desk.ids(dialect);
    let ids: BTreeMap<usize, String> = known.iter().map(|(id, number)| (*number, id.clone())).collect();
    if ids.len() != slots.len() {
        tally
            .failures
            .push(format!("seed {seed}: {} hooks are known of {}", ids.len(), slots.len()));
        return;
    }
    for _ in 0..EDITS {
        let Some(wish) = wish::random(&mut chance, dialect, &slots, &ids) else {
            continue;
        };
        desk.reset(&files);
        let case = Case {
            dialect,
            world: &world,
            slots: &slots,
            before: &files,
            wish: &wish,
            ids: &ids,
        };
        let looked = one_edit(desk, &case, chance.one_in(6), tally);
        if let Err(why) = looked {
            tally.failures.push(format!(
                "seed {seed}: {why}\n{:?}\n{}",
                wish.intention,
                shown(&case, &reader::files(&desk.root))
            ));
        }
    }
}

fn one_edit(desk: &Desk, case: &Case<'_>, dry: bool, tally: &mut Tally) -> Result<(), String> {
    let Wish { what, intention, .. } = case.wish;
    let dialect = matches!(intention, EditRequest::Add { .. }).then_some(case.dialect);
    let edit = |writing| desk.app.edit(&desk.project, dialect, intention, writing);
    if matches!(intention, EditRequest::Change { changes, .. } if changes.contains(&HookChange::ToShelf(TargetLayer::User)))
    {
        desk.approve();
    }
    let before = dry.then(|| edit(Writing::DryRun));
    if before.is_some() && reader::files(&desk.root) != *case.before {
        return Err("a dry run wrote".into());
    }
    match edit(Writing::Now) {
        Ok(doc) => {
            if let Some(Ok(before)) = before {
                let same = (&before.hook, &before.moved, &before.diff) == (&doc.hook, &doc.moved, &doc.diff);
                if !same || before.written {
                    return Err("a dry run told something else".into());
                }
            }
            *tally.written.entry(*what).or_default() += 1;
            case.look(&doc, &reader::files(&desk.root), &desk.ids(case.dialect))?;
            taken_back(desk, case, &doc)
        }
        Err(refused) => {
            let fault = refused.fault();
            *tally.refused.entry(fault.code.clone()).or_default() += 1;
            if reader::files(&desk.root) != *case.before {
                return Err(format!("refused ({fault}), and yet something is written"));
            }
            let fine = case.wish.refused_for.contains(&fault.code.as_str());
            // Empty lines behind a text that keeps them become its own when what parted them goes.
            let kept = case.before.keys().map(|path| reader::text(case.before, path));
            let kept = kept.into_iter().any(|text| text.contains("|+") || text.contains(">+"));
            if fault.code == "edit_differs" && kept {
                return Ok(());
            }
            let anchors = fault.code != "edit_shared_anchor" || case.world.anchored;
            if fine && anchors {
                Ok(())
            } else {
                Err(format!("refused: {}: {fault}", fault.code))
            }
        }
    }
}

/// An undo, and the removal of what was added, give back every byte.
fn taken_back(desk: &Desk, case: &Case<'_>, doc: &EditDoc) -> Result<(), String> {
    let done = match (&doc.hook, case.wish.what, &doc.edit) {
        (Some(hook), What::Add, _) => {
            let intention = EditRequest::Remove { hook: hook.clone() };
            let done = desk.app.edit(&desk.project, None, &intention, Writing::Now);
            done.map(|_| ()).map_err(hookwright_app::edit::Refused::fault)
        }
        (_, _, Some(edit)) => desk.app.undo(&desk.project, Some(edit)).map(|_| ()),
        (_, _, None) if doc.written => return Err("it is not kept".into()),
        (_, _, None) => Ok(()),
    };
    done.map_err(|fault| format!("not taken back: {fault}"))?;
    if reader::files(&desk.root) == *case.before {
        Ok(())
    } else {
        Err("taken back, and not as it was".into())
    }
}

/// The files that changed, before and after.
fn shown(case: &Case<'_>, after: &Files) -> String {
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
            .any(|slot| slot.file == *path && reader::tag(case.dialect, &slot.value) == case.wish.hook);
        if mine || old.map(|file| &file.0) != new.map(|file| &file.0) {
            let text = |file: Option<&(Vec<u8>, u32)>| file.map_or("gone".to_owned(), |file| visible(&file.0));
            out += &format!("── {path} before\n{}\n── after\n{}\n", text(old), text(new));
        }
    }
    out
}

fn over(dialect: &'static str) {
    let documents = std::env::var("HOOKWRIGHT_EDITS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(DOCUMENTS);
    let desk = Desk::new();
    let mut tally = Tally::default();
    for seed in 0..documents {
        one_document(&desk, dialect, seed, &mut tally);
    }
    let written: usize = tally.written.values().sum();
    let refused: usize = tally.refused.values().sum();
    println!(
        "{dialect}: {documents} documents, {written} edits written {:?}, {refused} refused {:?}",
        tally.written, tally.refused
    );
    let some: Vec<&str> = tally.failures.iter().take(6).map(String::as_str).collect();
    assert!(
        some.is_empty(),
        "{} edits failed\n{}",
        tally.failures.len(),
        some.join("\n\n")
    );
}

#[test]
fn yaml_of_j_cli() {
    over("jcli");
}

#[test]
fn json_of_qoder() {
    over("qoder");
}

#[test]
fn json_and_texts_of_skills() {
    over("skill");
}

#[test]
fn front_matter_texts_and_scripts_of_agent_hooks() {
    over("agent-hooks");
}

#[test]
fn json_of_picoclaw() {
    over("picoclaw");
}
