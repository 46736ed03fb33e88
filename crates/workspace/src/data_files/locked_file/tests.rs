use std::collections::BTreeMap;

use super::*;

type Table = BTreeMap<String, u32>;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn add(path: &Path, key: &str, value: u32) -> Result<Table, LockedFileError> {
    change_json(path, |table: &mut Table| {
        table.insert(key.to_owned(), value);
    })
}

#[test]
fn an_absent_file_is_the_default() {
    let dir = folder();
    assert_eq!(read_json::<Table>(&dir.path().join("t.json")).unwrap(), Table::new());
    assert_eq!(read_text(&dir.path().join("none/t.json")).unwrap(), None);
}

#[test]
fn a_change_reads_again_what_others_wrote() {
    let dir = folder();
    let path = dir.path().join("t.json");
    add(&path, "a", 1).unwrap();
    std::fs::write(&path, r#"{"b": 2}"#).unwrap();
    let now = add(&path, "c", 3).unwrap();
    assert_eq!(
        now.into_iter().collect::<Vec<_>>(),
        [("b".to_owned(), 2), ("c".to_owned(), 3)]
    );
    assert_eq!(read_json::<Table>(&path).unwrap().len(), 2);
}

#[test]
fn changes_at_once_lose_nothing() {
    let dir = folder();
    let path = dir.path().join("t.json");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for change in 0..10 {
                    add(path, &format!("{thread}-{change}"), change).unwrap();
                }
            });
        }
    });
    assert_eq!(read_json::<Table>(&path).unwrap().len(), 40);
}

#[test]
fn a_broken_file_is_named_with_its_place_and_kept() {
    let dir = folder();
    let path = dir.path().join("t.json");
    let text = "{\n  \"密\": 1 \"码\": 2\n}";
    std::fs::write(&path, text).unwrap();
    let error = add(&path, "a", 1).unwrap_err();
    let shown = error.to_string();
    assert!(
        shown.starts_with(&format!("{}:2:10 does not parse: expected", path.display())),
        "{shown}"
    );
    assert!(!shown.contains("at line"), "{shown}");
    let problem = error.problem().unwrap();
    assert_eq!(
        (problem.code.as_str(), problem.line, problem.column),
        ("syntax", Some(2), Some(10))
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_place() {
    let dir = folder();
    let path = dir.path().join("t.json");
    std::fs::write(&path, b"{\n\"a\": \xff}").unwrap();
    let problem = read_text(&path).unwrap_err().problem().unwrap();
    assert_eq!((problem.line, problem.column), (Some(2), Some(6)));
}

#[test]
fn a_byte_order_mark_is_dropped() {
    let dir = folder();
    let path = dir.path().join("t.json");
    std::fs::write(&path, "\u{feff}{\"a\": 1}").unwrap();
    assert_eq!(read_json::<Table>(&path).unwrap()["a"], 1);
}

#[test]
fn a_broken_trust_file_names_the_reset_command() {
    let dir = folder();
    let path = dir.path().join("trust.json");
    std::fs::write(&path, "[").unwrap();
    assert!(
        read_json::<Table>(&path)
            .unwrap_err()
            .to_string()
            .contains("hookwright trust --reset")
    );
}

#[test]
fn a_quarantined_file_keeps_its_text_under_a_name_with_the_time() {
    let dir = folder();
    let path = dir.path().join("trust.json");
    let now: Timestamp = "2026-01-15T10:30:00Z".parse().unwrap();
    assert_eq!(quarantine(&path, now).unwrap(), None);
    for (text, name) in [
        ("one", "trust.json.aside-20260115T103000Z"),
        ("two", "trust.json.aside-20260115T103000Z-1"),
    ] {
        std::fs::write(&path, text).unwrap();
        let quarantined = quarantine(&path, now).unwrap().unwrap();
        assert_eq!(quarantined.file_name().unwrap(), name);
        assert_eq!(std::fs::read_to_string(quarantined).unwrap(), text);
        assert!(!path.exists());
    }
}

#[test]
fn a_change_waits_for_the_lock_of_another_program() {
    let dir = folder();
    let path = dir.path().join("t.json");
    let lock = lock_file(&path).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| add(&path, "a", 1));
        assert!(!waiting.is_finished());
        drop(lock);
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(read_json::<Table>(&path).unwrap()["a"], 1);
}

#[test]
fn the_callers_refusal_leaves_the_file_alone() {
    let dir = folder();
    let path = dir.path().join("settings.toml");
    std::fs::write(&path, "a = 1\n").unwrap();
    let refused = change_text(&path, |text| {
        assert_eq!(text, Some("a = 1\n"));
        Err::<String, _>(LockedFileError::Busy { path: path.clone() })
    });
    assert!(refused.is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a = 1\n");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn files_are_private_and_so_are_the_folders_made_for_them() {
        let dir = folder();
        let path = dir.path().join("data/deep/t.json");
        add(&path, "a", 1).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(mode(&dir.path().join("data")), 0o700);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        add(&path, "a", 2).unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn a_changed_file_leaves_only_its_lock() {
        let dir = folder();
        add(&dir.path().join("t.json"), "a", 1).unwrap();
        let mut names: Vec<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["t.json", "t.json.lock"]);
    }

    #[test]
    fn an_unchanged_text_is_not_written() {
        let dir = folder();
        let path = dir.path().join("t.json");
        add(&path, "a", 1).unwrap();
        let before = path.metadata().unwrap().ino();
        add(&path, "a", 1).unwrap();
        assert_eq!(path.metadata().unwrap().ino(), before);
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = folder();
        let (real, link) = (dir.path().join("dotfiles/t.json"), dir.path().join("t.json"));
        std::fs::create_dir(dir.path().join("dotfiles")).unwrap();
        symlink("dotfiles/t.json", &link).unwrap();
        let dead = add(&link, "a", 1).unwrap_err();
        assert!(dead.message().text.contains("missing file") && !real.exists(), "{dead}");
        assert!(read_json::<Table>(&link).is_err(), "a dead link is not an absent file");
        add(&real, "a", 1).unwrap();
        add(&link, "b", 2).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(read_json::<Table>(&real).unwrap().len(), 2);
    }

    #[test]
    fn links_in_a_ring_are_an_error() {
        let dir = folder();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        symlink(&two, &one).unwrap();
        symlink(&one, &two).unwrap();
        assert!(matches!(read_text(&one), Err(LockedFileError::Unreadable { .. })));
        assert!(matches!(
            atomic_write(&one, b"", 0o600),
            Err(LockedFileError::Unwritable { .. })
        ));
    }

    #[test]
    fn a_folder_in_the_files_place_is_an_error_with_the_path() {
        let dir = folder();
        let path = dir.path().join("t.json");
        std::fs::create_dir(&path).unwrap();
        let error = read_json::<Table>(&path).unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }

    #[test]
    fn a_file_where_the_folder_should_be_is_an_error_with_the_path() {
        let dir = folder();
        std::fs::write(dir.path().join("data"), "").unwrap();
        let path = dir.path().join("data/t.json");
        let error = add(&path, "a", 1).unwrap_err();
        assert!(matches!(
            error,
            LockedFileError::Unwritable { .. } | LockedFileError::Unreadable { .. }
        ));
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }

    #[test]
    fn atomic_write_sets_the_given_mode() {
        let dir = folder();
        let path = dir.path().join("samples/run.sh");
        atomic_write(&path, b"#!/bin/sh\n", 0o700).unwrap();
        assert_eq!(mode(&path), 0o700);
        assert_eq!(std::fs::read(&path).unwrap(), b"#!/bin/sh\n");
    }
}

#[test]
fn a_json_list_is_a_broken_file() {
    #[derive(Debug, Default, serde::Deserialize)]
    struct Fields {
        #[serde(default)]
        _version: u32,
    }
    let dir = folder();
    let path = dir.path().join("t.json");
    std::fs::write(&path, "\n []").unwrap();
    let error = read_json::<Fields>(&path).unwrap_err();
    assert!(error.to_string().contains("t.json:2:2 does not parse"), "{error}");
}
