use std::path::PathBuf;

use super::*;

fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

fn link(target: impl AsRef<Path>, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

/// A folder `root` with a file `file`, and a file `secret` beside the folder.
fn folders() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    std::fs::create_dir_all(root.join("inner")).unwrap();
    std::fs::write(root.join("file"), "inside").unwrap();
    std::fs::write(root.join("inner/file"), "inner").unwrap();
    std::fs::write(dir.path().join("secret"), "outside").unwrap();
    (dir, root)
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let (_dir, root) = folders();
    pipe(&root.join("pipe"));
    link("/dev/zero", &root.join("zero"));
    let _listener = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    for opener in [Opener::user(), Opener::beneath(&root)] {
        for name in ["pipe", "zero", "socket", "inner", ""] {
            let path = root.join(name);
            assert!(matches!(opener.read(&path, 10), Err(ReadError::Io(_))), "{name}");
            assert!(matches!(opener.hash(&path, 10), Err(ReadError::Io(_))), "{name}");
            assert!(!opener.contains(&path, b"", &mut Vec::new()), "{name}");
        }
    }
}

#[test]
fn reading_stops_at_the_limit() {
    let (_dir, root) = folders();
    let path = root.join("file");
    let user = Opener::user();
    File::create(&path).unwrap().set_len(10 << 30).unwrap();
    assert!(matches!(user.read(&path, 100), Err(ReadError::TooLarge { limit: 100 })));
    assert!(matches!(user.hash(&path, 100), Err(ReadError::TooLarge { limit: 100 })));
    std::fs::write(&path, "four").unwrap();
    assert_eq!(user.read(&path, 4).unwrap(), b"four");
    assert_eq!(user.hash(&path, 4).unwrap(), blake3::hash(b"four"));
    assert!(user.read(&path, 3).is_err());
    assert_eq!(user.read_text(&path, 9).as_deref(), Some("four"));
}

#[test]
fn contains_compares_the_whole_file() {
    let (_dir, root) = folders();
    let path = root.join("file");
    std::fs::write(&path, "four").unwrap();
    let contains = |path: &Path, bytes: &str| Opener::user().contains(path, bytes.as_bytes(), &mut vec![b'u'; 2]);
    assert!(contains(&path, "four"));
    for other in ["", "fou", "fous", "fouru", "four "] {
        assert!(!contains(&path, other), "{other:?}");
    }
    assert!(!contains(&root.join("gone"), "") && !contains(&root, ""));
}

#[test]
fn a_link_is_followed_only_while_it_stays_in_the_folder() {
    let (dir, root) = folders();
    let secret = dir.path().join("secret");
    link("inner/file", &root.join("relative"));
    link(root.join("inner/file"), &root.join("absolute"));
    link(&root, &root.join("itself"));
    link("../secret", &root.join("out"));
    link(&secret, &root.join("absolute_out"));
    link(dir.path(), &root.join("above"));
    link("/proc/self/root", &root.join("magic"));
    link(dir.path().join("missing"), &root.join("dead"));
    let opener = Opener::beneath(&root);
    for (path, text) in [
        ("file", "inside"),
        ("relative", "inner"),
        ("absolute", "inner"),
        ("itself/itself/file", "inside"),
    ] {
        assert_eq!(opener.read_text(&root.join(path), 99).as_deref(), Some(text), "{path}");
    }
    let magic = format!("magic{}", secret.display());
    for path in ["out", "absolute_out", "above/secret", "../secret", "dead", &*magic] {
        let error = opener.open(&root.join(path)).unwrap_err();
        assert!(is_outside(&error), "{path}: {error}");
    }
    assert!(is_outside(&opener.open(&secret).unwrap_err()), "a path elsewhere");
    assert_eq!(
        Opener::user().read_text(&root.join("out"), 99).as_deref(),
        Some("outside")
    );
}

#[test]
fn a_folder_may_be_named_through_links() {
    let (dir, root) = folders();
    let named = dir.path().join("named");
    link(&root, &named);
    let opener = Opener::beneath(&named);
    for path in [named.join("file"), root.join("file")] {
        assert_eq!(
            opener.read_text(&path, 99).as_deref(),
            Some("inside"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn an_opener_keeps_its_folder_when_the_path_leads_elsewhere() {
    let (dir, root) = folders();
    let opener = Opener::beneath(&root);
    assert!(opener.open(&root.join("file")).is_ok());
    let inner = opener.inner(&root.join("inner")).unwrap();
    std::fs::rename(&root, dir.path().join("moved")).unwrap();
    std::fs::create_dir_all(dir.path().join("private/inner")).unwrap();
    std::fs::write(dir.path().join("private/inner/file"), "private").unwrap();
    link("private", &root);
    assert_eq!(inner.read_text(&root.join("inner/file"), 99).as_deref(), Some("inner"));
    assert_eq!(opener.read_text(&root.join("inner/file"), 99).as_deref(), Some("inner"));
}

#[test]
fn a_folder_that_is_gone_is_the_reason_that_is_given() {
    let (_dir, root) = folders();
    let opener = Opener::beneath(&root.join("gone"));
    let error = opener.open(&root.join("gone/file")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_of_another_user_in_the_folder_is_refused() {
    let (_dir, root) = folders();
    let file = root.join("file");
    // Only root may give a file away.
    if std::os::unix::fs::chown(&file, Some(12345), None).is_err() {
        return;
    }
    let error = Opener::beneath(&root).open(&file).unwrap_err();
    assert_eq!(error.to_string(), "belongs to another user");
    assert!(Opener::user().open(&file).is_ok());
    std::os::unix::fs::chown(&root, Some(12345), None).unwrap();
    assert!(
        Opener::beneath(&root).open(&file).is_ok(),
        "the owner of the folder that the user chose"
    );
}

fn write(place: &FilePlace, text: &str) {
    let next = place.create_next().unwrap();
    io::Write::write_all(&mut next.file(), text.as_bytes()).unwrap();
    next.replace().unwrap();
}

#[test]
fn a_link_stays_and_its_target_is_written_beside_itself() {
    let (_dir, root) = folders();
    link("relative", &root.join("first"));
    link(root.join("inner/file"), &root.join("relative"));
    let opener = Opener::beneath(&root);
    write(&opener.place(&root.join("first")).unwrap(), "new");
    assert_eq!(std::fs::read_to_string(root.join("inner/file")).unwrap(), "new");
    assert!(root.join("first").is_symlink() && root.join("relative").is_symlink());
}

#[test]
fn a_place_outside_the_folder_is_refused() {
    let (dir, root) = folders();
    link("../secret", &root.join("out"));
    link(dir.path(), &root.join("above"));
    link("ring", &root.join("ring"));
    let opener = Opener::beneath(&root);
    for path in ["out", "above/new", "above/new/folder/file"] {
        let error = opener
            .place_in_new_folder(&root.join(path), &mut Vec::new())
            .unwrap_err();
        assert!(is_outside(&error), "{path}: {error}");
    }
    assert!(opener.place(&root.join("ring")).is_err());
    assert!(!dir.path().join("new").exists());
}

#[test]
fn a_folder_swapped_for_a_link_leads_no_write_elsewhere() {
    let (dir, root) = folders();
    let private = dir.path().join("private");
    std::fs::create_dir(&private).unwrap();
    std::fs::write(private.join("file"), "private").unwrap();
    let place = Opener::beneath(&root).place(&root.join("inner/file")).unwrap();
    std::fs::rename(root.join("inner"), root.join("aside")).unwrap();
    link(&private, &root.join("inner"));
    assert_eq!(place.open().unwrap().unwrap().1.len(), 5);
    write(&place, "edited");
    place.remove().unwrap();
    place.create().unwrap();
    assert_eq!(std::fs::read_to_string(private.join("file")).unwrap(), "private");
    assert_eq!(std::fs::read_dir(&private).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(root.join("aside/file")).unwrap(), "");
}

#[test]
fn a_file_swapped_for_a_link_is_not_read_and_the_link_is_replaced() {
    let (_dir, root) = folders();
    let place = Opener::beneath(&root).place(&root.join("file")).unwrap();
    std::fs::remove_file(root.join("file")).unwrap();
    link("../secret", &root.join("file"));
    assert!(place.open().is_err());
    write(&place, "edited");
    assert_eq!(std::fs::read_to_string(root.join("../secret")).unwrap(), "outside");
    assert_eq!(std::fs::read_to_string(root.join("file")).unwrap(), "edited");
}

#[test]
fn missing_folders_are_made_and_listed_inner_ones_first() {
    let (_dir, root) = folders();
    let mut made = Vec::new();
    let opener = Opener::beneath(&root);
    let place = opener.place_in_new_folder(&root.join("a/b/file"), &mut made).unwrap();
    assert_eq!(made, [root.join("a/b"), root.join("a")]);
    assert!(place.open().unwrap().is_none());
    let next = place.create_next().unwrap();
    next.become_new().unwrap();
    let next = place.create_next().unwrap();
    assert_eq!(next.become_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(
        std::fs::read_dir(root.join("a/b")).unwrap().count(),
        1,
        "no temporary file is left"
    );
    place.remove().unwrap();
    for folder in made {
        opener.entry(&folder).unwrap().remove_empty_folder().unwrap();
    }
    assert!(!root.join("a").exists());
}

#[test]
fn only_a_folder_without_other_files_is_removed_and_no_link_to_one() {
    let (_dir, root) = folders();
    std::fs::create_dir(root.join("empty")).unwrap();
    link("empty", &root.join("link"));
    let opener = Opener::beneath(&root);
    for name in ["inner", "link", "file"] {
        assert!(
            opener.entry(&root.join(name)).unwrap().remove_empty_folder().is_err(),
            "{name}"
        );
    }
    std::fs::write(root.join("empty").join(temp_files::new_name()), "").unwrap();
    opener
        .entry(&root.join("empty"))
        .unwrap()
        .remove_empty_folder()
        .unwrap();
    assert!(!root.join("empty").exists());
}
