//! What stands between looking at a file and writing it.

use super::*;

fn planned(path: &Path, after: &str) -> Planned {
    let before = content(path).unwrap();
    let after = Content {
        bytes: after.as_bytes().to_vec(),
        mode: 0o600,
        owner: None,
        attributes: Attributes::new(),
    };
    Planned {
        path: path.to_owned(),
        before,
        after: Some(after),
    }
}

#[test]
fn what_somebody_writes_while_the_new_text_is_written_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    for before in [Some("stop: []\n"), None] {
        match before {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let file = planned(&path, "ours\n");
        let ready = place::Ready::of(&file, &mut Way::default()).unwrap();
        std::fs::write(&path, "theirs\n").unwrap();
        let fault = ready.place(&file, None).unwrap_err();
        assert_eq!(fault.code, CHANGED.code);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs\n");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing of ours stays"
        );
    }
}

#[test]
fn what_somebody_wrote_is_not_lost_when_a_change_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    std::fs::write(&path, "old\n").unwrap();
    let work = Work {
        files: vec![planned(&path, "new\n")],
        ..Work::default()
    };
    let back = write(&Lock(None), &work).unwrap().back;
    std::fs::write(&path, "theirs\n").unwrap();
    let fault = take_back(&back, CHANGED.render(args! { "path" => "x" }).into());
    assert_eq!(fault.code, NOT_BACK.code);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs\n");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_as_one() {
    let full = unwritable(Path::new("/x"), &io::ErrorKind::StorageFull.into());
    assert!(full.hint.unwrap().contains("make room"));
    let closed = unwritable(Path::new("/x"), &io::ErrorKind::PermissionDenied.into());
    assert!(closed.hint.unwrap().contains("owner and mode"));
}

#[cfg(target_os = "linux")]
#[test]
fn extended_attributes_come_along() {
    use rustix::fs::{XattrFlags, setxattr};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    std::fs::write(&path, "old\n").unwrap();
    if setxattr(&path, "user.note", b"mine", XattrFlags::empty()).is_err() {
        // This file system has none.
        return;
    }
    let before = content(&path).unwrap().unwrap();
    assert_eq!(before.attributes, [("user.note".to_owned(), b"mine".to_vec())]);
    let work = Work {
        files: vec![planned(&path, "new\n")],
        ..Work::default()
    };
    assert!(write(&Lock(None), &work).unwrap().notices.is_empty());
    assert_eq!(content(&path).unwrap().unwrap().attributes, before.attributes);
    // Gone and made anew from what was kept.
    std::fs::remove_file(&path).unwrap();
    let again = Planned {
        path: path.clone(),
        before: None,
        after: Some(before.clone()),
    };
    let work = Work {
        files: vec![again],
        ..Work::default()
    };
    write(&Lock(None), &work).unwrap();
    assert_eq!(content(&path).unwrap().unwrap(), before);
}
