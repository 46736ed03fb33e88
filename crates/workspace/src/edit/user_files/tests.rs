//! Tests of the time between reading a file and writing it.

use super::*;

fn read(path: &Path) -> Option<FileContent> {
    read_content(&Opener::user(), path).unwrap()
}

fn write_now(work: &FileTransaction) -> WriteResult {
    write(&EditLock(None), &EditOpeners::default(), work, || Ok(())).unwrap()
}

fn planned(path: &Path, after: &str) -> PlannedFile {
    let before = read(path);
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
        let place = Opener::user().place(&path).unwrap();
        let staged = staged_file::StagedFile::stage(&place, &file, &mut WriteProgress::default()).unwrap();
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
    let back = write_now(&work).inverse;
    std::fs::write(&path, "theirs\n").unwrap();
    let failure = undo_writes(&EditOpeners::default(), &back, render!(CHANGED, "path" => "x"));
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
    let failure = write(&EditLock(None), &EditOpeners::default(), &work, save).unwrap_err();
    assert_eq!((failure.message.code, failure.is_undone), (CHANGED.code, true));
    assert_eq!(texts(), ["old\n", "theirs\n"]);
    std::fs::write(&paths[1], "old\n").unwrap();
    let failure = write(&EditLock(None), &EditOpeners::default(), &work, || {
        Err(render!(CHANGED, "path" => "x"))
    })
    .unwrap_err();
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
    let before = read(&path).unwrap();
    assert_eq!(before.attributes, [("user.note".to_owned(), b"mine".to_vec())]);
    let work = FileTransaction {
        files: vec![planned(&path, "new\n")],
        ..FileTransaction::default()
    };
    assert!(write_now(&work).notices.is_empty());
    assert_eq!(read(&path).unwrap().attributes, before.attributes);
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
    write_now(&work);
    assert_eq!(read(&path).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_folder_swapped_for_a_link_during_an_edit_leads_no_write_outside() {
    use std::os::unix::fs::symlink;
    for removes in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let (project, private) = (dir.path().join("project"), dir.path().join("private"));
        std::fs::create_dir_all(project.join("hooks")).unwrap();
        std::fs::create_dir(&private).unwrap();
        let path = project.join("hooks/hooks.yaml");
        std::fs::write(&path, "old\n").unwrap();
        std::fs::write(private.join("hooks.yaml"), "old\n").unwrap();
        let mut file = planned(&path, "new\n");
        file.after = file.after.filter(|_| !removes);
        let openers = EditOpeners::of_project(Some(&project));
        let mut progress = WriteProgress::default();
        let place = staged_file::find_place(&openers.of(&path), &file, &mut progress).unwrap();
        let staged = staged_file::StagedFile::stage(&place, &file, &mut progress).unwrap();
        // The moment between writing the new text and its rename.
        std::fs::rename(project.join("hooks"), project.join("aside")).unwrap();
        symlink(&private, project.join("hooks")).unwrap();
        staged.move_into_place(&file, None).unwrap();
        assert_eq!(std::fs::read_to_string(private.join("hooks.yaml")).unwrap(), "old\n");
        assert_eq!(std::fs::read_dir(&private).unwrap().count(), 1);
        let edited = std::fs::read_to_string(project.join("aside/hooks.yaml")).ok();
        assert_eq!(edited.as_deref(), (!removes).then_some("new\n"));
        // An edit that begins now is refused, also where it would create a file.
        for (name, before) in [("hooks.yaml", read(&path)), ("new.yaml", None)] {
            let work = FileTransaction {
                files: vec![PlannedFile {
                    path: project.join("hooks").join(name),
                    before,
                    ..planned(&private.join("hooks.yaml"), "new\n")
                }],
                ..FileTransaction::default()
            };
            let message = write(&EditLock(None), &openers, &work, || Ok(())).unwrap_err().message;
            assert_eq!(message.code, OUTSIDE.code);
        }
        assert_eq!(std::fs::read_dir(&private).unwrap().count(), 1);
    }
}
