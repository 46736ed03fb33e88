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
    let back = write(&EditLock(None), &work, || Ok(())).unwrap().inverse;
    std::fs::write(&path, "theirs\n").unwrap();
    let failure = undo_writes(&back, CHANGED.render(args! { "path" => "x" }));
    assert_eq!((failure.message.code, failure.is_undone), (NOT_RESTORED.code, false));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs\n");
}

#[test]
fn a_write_that_is_refused_says_whether_all_files_are_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|name| folder.path().join(name));
    for path in &paths {
        std::fs::write(path, "old\n").unwrap();
    }
    let work = FileTransaction {
        files: paths.iter().map(|path| planned(path, "new\n")).collect(),
        ..FileTransaction::default()
    };
    let texts = || paths.each_ref().map(|path| std::fs::read_to_string(path).unwrap());
    // Another program saves the second file after all files were compared.
    let save = || {
        std::fs::write(&paths[1], "theirs\n").unwrap();
        Ok(())
    };
    let failure = write(&EditLock(None), &work, save).unwrap_err();
    assert_eq!((failure.message.code, failure.is_undone), (CHANGED.code, true));
    assert_eq!(texts(), ["old\n", "theirs\n"]);
    std::fs::write(&paths[1], "old\n").unwrap();
    let failure = write(&EditLock(None), &work, || Err(CHANGED.render(args! { "path" => "x" }))).unwrap_err();
    assert!(failure.is_undone);
    assert_eq!(texts(), ["old\n", "old\n"]);
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
    assert!(write(&EditLock(None), &work, || Ok(())).unwrap().notices.is_empty());
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
    write(&EditLock(None), &work, || Ok(())).unwrap();
    assert_eq!(read_content(&path).unwrap().unwrap(), before);
}
