//! Tests of interrupted edits, and of how long edits are stored.

use super::super::user_files::PlannedFile;
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
        label: None,
        path: PathBuf::from("/p/x"),
        made: Vec::new(),
        gone: Vec::new(),
        connects: false,
        script: false,
        turning: None,
        files: Vec::new(),
    }
}

fn written(bytes: &str) -> FileContent {
    FileContent {
        bytes: bytes.as_bytes().to_vec(),
        mode: 0o640,
        owner: None,
        attributes: Vec::new(),
    }
}

/// Two files that contain `old`, and a transaction that changes both to `new`.
fn two_files(folder: &Path) -> FileTransaction {
    let plan = |name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, "old").unwrap();
        let before = user_files::read_content(&Opener::user(), &path).unwrap();
        let mode = before.as_ref().unwrap().mode;
        PlannedFile {
            after: Some(FileContent { mode, ..written("new") }),
            before,
            path,
        }
    };
    FileTransaction {
        files: vec![plan("one"), plan("two")],
        ..FileTransaction::default()
    }
}

fn finish(edits: &EditStore, pending: &PendingEdit) {
    edits.mark_pending(pending).unwrap();
    edits.finish(pending, &TransferUndo::default()).unwrap();
}

/// Where a process is killed in the middle of an edit of two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Killed {
    /// The record is written.
    AfterBegin,
    /// The record says that files are replaced.
    AfterMark,
    /// One of the two files is replaced.
    AfterOneFile,
    /// Both files are replaced.
    AfterBothFiles,
}

/// What the stored edits say after a process was killed. Afterwards another program may save the first file.
fn states_after_kill(killed: Killed, saved_by_another: bool) -> Vec<EditState> {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut work = two_files(folder.path());
    let pending = edits.begin(record(EditKind::Edit), &mut work).unwrap();
    let replace = |name: &str| std::fs::write(folder.path().join(name), "new").unwrap();
    if killed != Killed::AfterBegin {
        edits.mark_pending(&pending).unwrap();
    }
    if matches!(killed, Killed::AfterOneFile | Killed::AfterBothFiles) {
        replace("one");
    }
    if killed == Killed::AfterBothFiles {
        replace("two");
    }
    if saved_by_another {
        std::fs::write(folder.path().join("one"), "of another program").unwrap();
    }
    edits.resolve_pending();
    edits.all().iter().map(|kept| kept.state).collect()
}

#[test]
fn after_a_kill_no_edit_is_kept_that_never_happened_and_none_is_lost_that_did() {
    for (killed, alone, with_another) in [
        (Killed::AfterBegin, vec![], vec![]),
        // Nobody can know whether the save replaced the old text or the new one.
        (Killed::AfterMark, vec![], vec![EditState::Pending]),
        (Killed::AfterOneFile, vec![EditState::Pending], vec![EditState::Pending]),
        (Killed::AfterBothFiles, vec![EditState::Done], vec![EditState::Pending]),
    ] {
        assert_eq!(states_after_kill(killed, false), alone, "{killed:?}");
        assert_eq!(
            states_after_kill(killed, true),
            with_another,
            "{killed:?}, saved by another"
        );
    }
}

#[test]
fn an_edit_that_has_changed_nothing_yet_is_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let pending = edits
        .begin(record(EditKind::Edit), &mut two_files(folder.path()))
        .unwrap();
    assert!(edits.all().is_empty());
    finish(&edits, &pending);
    assert_eq!(edits.all().len(), 1);
}

#[test]
fn a_pending_edit_without_changes_is_removed_and_a_complete_one_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut work = two_files(folder.path());
    let pending = edits.begin(record(EditKind::Edit), &mut work).unwrap();
    edits.mark_pending(&pending).unwrap();
    edits.resolve_pending();
    assert!(edits.all().is_empty());
    let pending = edits.begin(record(EditKind::Edit), &mut work).unwrap();
    edits.mark_pending(&pending).unwrap();
    for name in ["one", "two"] {
        std::fs::write(folder.path().join(name), "new").unwrap();
    }
    edits.resolve_pending();
    let all = edits.all();
    assert_eq!(
        (all[0].record.edit.as_str(), all[0].state),
        (pending.id.as_str(), EditState::Done)
    );
}

#[test]
fn an_interrupted_edit_is_undone_first_and_has_both_texts() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut work = two_files(folder.path());
    let pending = edits.begin(record(EditKind::Edit), &mut work).unwrap();
    edits.mark_pending(&pending).unwrap();
    std::fs::write(folder.path().join("one"), "new").unwrap();
    edits.resolve_pending();
    let index = UndoIndex(edits.all());
    let last = index.last_active(Path::new("/p")).unwrap();
    assert_eq!(last.state, EditState::Pending);
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
fn a_damaged_copy_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let pending = edits
        .begin(record(EditKind::Edit), &mut two_files(folder.path()))
        .unwrap();
    finish(&edits, &pending);
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
        finish(&edits, &pending);
        std::fs::create_dir_all(edits.trash(&pending.id)).unwrap();
        ids.push(pending.id);
    }
    assert!(ids.is_sorted());
    let at = |days: i64| {
        let made = Ulid::from_string(&ids[0]).unwrap().timestamp_ms();
        Timestamp::from_millisecond(i64::try_from(made).unwrap()).unwrap() + SignedDuration::from_hours(24 * days)
    };
    edits.prune(Ages::Until(at(29)));
    assert_eq!(edits.all().len(), 3);
    edits.prune(Ages::Wait {
        until: at(31),
        jump: None,
    });
    assert_eq!(edits.all().len(), 3);
    edits.prune(Ages::Until(at(31)));
    let left: Vec<String> = edits.all().into_iter().map(|kept| kept.record.edit).collect();
    assert_eq!(left, [ids[2].clone()]);
    assert!(edits.trash(&ids[2]).exists() && !edits.trash(&ids[0]).exists());
}

#[test]
fn beyond_the_limit_the_oldest_edits_are_removed_first() {
    let folder = tempfile::tempdir().unwrap();
    let edits = EditStore::new(&folder.path().join("data"));
    let mut ids = Vec::new();
    for _ in 0..3 {
        let pending = edits
            .begin(record(EditKind::Remove), &mut two_files(folder.path()))
            .unwrap();
        finish(&edits, &pending);
        std::fs::create_dir_all(edits.trash(&pending.id)).unwrap();
        // A sparse file occupies no space on the disk.
        let large = File::create(edits.trash(&pending.id).join("large")).unwrap();
        large.set_len(MAX_BYTES / 2).unwrap();
        ids.push(pending.id);
    }
    let at = Ulid::from_string(&ids[2]).unwrap().timestamp_ms();
    let at = Timestamp::from_millisecond(i64::try_from(at).unwrap()).unwrap();
    edits.prune(Ages::Until(at));
    let left: Vec<String> = edits.all().into_iter().map(|kept| kept.record.edit).collect();
    assert_eq!(left, [ids[2].clone()]);
}
