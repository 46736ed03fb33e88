//! Tests of the time between reading a file and writing it.

use super::*;

fn planned(path: &Path, after: &str) -> PlannedFile {
    let before = read_content(path).unwrap();
    let after = FileContent {
        bytes: after.as_bytes().to_vec(),
        mode: 0o600,
        owner: None,
        attributes: Attributes::new(),
    };
    PlannedFile {
        path: path.to_owned(),
        before,
        after: Some(after),
    }
}

#[test]
fn a_write_by_another_program_during_an_edit_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    for before in [Some("stop: []\n"), None] {
        match before {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let file = planned(&path, "ours\n");
        let staged = staged_file::StagedFile::stage(&file, &mut WriteProgress::default()).unwrap();
        std::fs::write(&path, "theirs\n").unwrap();
        let message = staged.move_into_place(&file, None).unwrap_err();
        assert_eq!(message.code, CHANGED.code);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs\n");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing of ours stays"
        );
    }
}

#[test]
fn an_undo_keeps_what_another_program_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    std::fs::write(&path, "old\n").unwrap();
    let work = FileTransaction {
        files: vec![planned(&path, "new\n")],
        ..FileTransaction::default()
    };
    let back = write(&EditLock(None), &work).unwrap().inverse;
    std::fs::write(&path, "theirs\n").unwrap();
    let message = undo_writes(&back, CHANGED.render(args! { "path" => "x" }));
    assert_eq!(message.code, NOT_RESTORED.code);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs\n");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_as_one() {
    let full = unwritable(Path::new("/x"), &io::ErrorKind::StorageFull.into());
    assert!(full.hint.unwrap().contains("free space"));
    let closed = unwritable(Path::new("/x"), &io::ErrorKind::PermissionDenied.into());
    assert!(closed.hint.unwrap().contains("owner and mode"));
}

#[cfg(target_os = "linux")]
#[test]
fn extended_attributes_are_kept() {
    use rustix::fs::{XattrFlags, setxattr};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    std::fs::write(&path, "old\n").unwrap();
    if setxattr(&path, "user.note", b"mine", XattrFlags::empty()).is_err() {
        // This file system has no extended attributes.
        return;
    }
    let before = read_content(&path).unwrap().unwrap();
    assert_eq!(before.attributes, [("user.note".to_owned(), b"mine".to_vec())]);
    let work = FileTransaction {
        files: vec![planned(&path, "new\n")],
        ..FileTransaction::default()
    };
    assert!(write(&EditLock(None), &work).unwrap().notices.is_empty());
    assert_eq!(read_content(&path).unwrap().unwrap().attributes, before.attributes);
    // The file is removed, and created again from the stored content.
    std::fs::remove_file(&path).unwrap();
    let again = PlannedFile {
        path: path.clone(),
        before: None,
        after: Some(before.clone()),
    };
    let work = FileTransaction {
        files: vec![again],
        ..FileTransaction::default()
    };
    write(&EditLock(None), &work).unwrap();
    assert_eq!(read_content(&path).unwrap().unwrap(), before);
}
