//! What a process that was killed leaves, and how long edits are kept.

use super::super::people::Planned;
use super::*;

fn record(what: EditKind) -> EditRecord {
    EditRecord {
        version: 1,
        edit: String::new(),
        at: Timestamp::UNIX_EPOCH,
        what,
        undoes: None,
        dialect: "jcli".to_owned(),
        project: PathBuf::from("/p"),
        in_project: false,
        hook: None,
        path: PathBuf::from("/p/x"),
        made: Vec::new(),
        gone: Vec::new(),
        files: Vec::new(),
    }
}

fn written(bytes: &str) -> Content {
    Content {
        bytes: bytes.as_bytes().to_vec(),
        mode: 0o640,
        owner: None,
        attributes: Vec::new(),
    }
}

/// Two files that hold `old`, and what makes it `new`.
fn two_files(folder: &Path) -> Work {
    let plan = |name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, "old").unwrap();
        Planned {
            before: people::content(&path).unwrap(),
            after: Some(written("new")),
            path,
        }
    };
    Work {
        files: vec![plan("one"), plan("two")],
        ..Work::default()
    }
}

#[test]
fn an_edit_that_changed_nothing_is_forgotten_and_one_that_changed_all_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut work = two_files(folder.path());
    edits.begin(record(EditKind::Edit), &mut work).unwrap();
    edits.settle();
    assert!(edits.all().is_empty());
    let pending = edits.begin(record(EditKind::Edit), &mut work).unwrap();
    for name in ["one", "two"] {
        std::fs::write(folder.path().join(name), "new").unwrap();
    }
    edits.settle();
    let all = edits.all();
    assert_eq!(
        (all[0].record.edit.as_str(), all[0].state),
        (pending.id.as_str(), State::Done)
    );
}

#[test]
fn an_edit_that_was_broken_off_is_the_one_to_undo_and_has_both_texts() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut work = two_files(folder.path());
    edits.begin(record(EditKind::Edit), &mut work).unwrap();
    std::fs::write(folder.path().join("one"), "new").unwrap();
    edits.settle();
    let book = UndoIndex(edits.all());
    let last = book.last(Path::new("/p")).unwrap();
    assert_eq!(last.state, State::Pending);
    for index in 0..2 {
        let content = edits.content(last, index).unwrap();
        assert_eq!(
            (content.bytes.as_slice(), content.hash()),
            (
                b"old".as_slice(),
                last.record.files[index].before.as_ref().unwrap().hash.clone()
            )
        );
    }
}

#[test]
fn a_copy_that_is_damaged_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let pending = edits
        .begin(record(EditKind::Edit), &mut two_files(folder.path()))
        .unwrap();
    edits.finish(&pending, &Carried::default()).unwrap();
    let path = folder.path().join("data/edits").join(&pending.id);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("oldold", "oldodd")).unwrap();
    let all = edits.all();
    assert!(edits.content(&all[0], 0).is_some() && edits.content(&all[0], 1).is_none());
}

#[test]
fn edits_are_kept_for_thirty_days_and_the_latest_always() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut ids = Vec::new();
    for _ in 0..3 {
        let pending = edits
            .begin(record(EditKind::Remove), &mut two_files(folder.path()))
            .unwrap();
        edits.finish(&pending, &Carried::default()).unwrap();
        std::fs::create_dir_all(edits.trash(&pending.id)).unwrap();
        ids.push(pending.id);
    }
    assert!(ids.is_sorted());
    let at = |days: i64| {
        let made = Ulid::from_string(&ids[0]).unwrap().timestamp_ms();
        Timestamp::from_millisecond(i64::try_from(made).unwrap()).unwrap() + SignedDuration::from_hours(24 * days)
    };
    edits.prune(at(29));
    assert_eq!(edits.all().len(), 3);
    edits.prune(at(31));
    let left: Vec<String> = edits.all().into_iter().map(|kept| kept.record.edit).collect();
    assert_eq!(left, [ids[2].clone()]);
    assert!(edits.trash(&ids[2]).exists() && !edits.trash(&ids[0]).exists());
}

#[test]
fn beyond_the_limit_the_oldest_go_first() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut ids = Vec::new();
    for _ in 0..3 {
        let pending = edits
            .begin(record(EditKind::Remove), &mut two_files(folder.path()))
            .unwrap();
        edits.finish(&pending, &Carried::default()).unwrap();
        std::fs::create_dir_all(edits.trash(&pending.id)).unwrap();
        // Sparse: it takes no room on this disk.
        let large = File::create(edits.trash(&pending.id).join("large")).unwrap();
        large.set_len(MAX_BYTES / 2).unwrap();
        ids.push(pending.id);
    }
    let at = Ulid::from_string(&ids[2]).unwrap().timestamp_ms();
    edits.prune(Timestamp::from_millisecond(i64::try_from(at).unwrap()).unwrap());
    let left: Vec<String> = edits.all().into_iter().map(|kept| kept.record.edit).collect();
    assert_eq!(left, [ids[2].clone()]);
}
