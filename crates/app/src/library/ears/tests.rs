use super::*;

#[test]
fn why_changes_are_not_told_has_a_code_and_arguments() {
    let words = reason(&notify::Error::new(notify::ErrorKind::MaxFilesWatch));
    assert_eq!(
        (words.code, words.args["case"].as_str()),
        ("not_live", Some("too_many"))
    );
    assert!(words.hint.is_some());
    let words = reason(&notify::Error::io(std::io::Error::other("no hands")));
    assert_eq!(
        words.text,
        "changes are looked for every 5 s, because the system does not tell of them: no hands"
    );
    assert_eq!(words.args["why"], "no hands");
}

#[test]
fn where_a_watcher_begins_anew_at_every_call_only_another_folder_is_watched_again() {
    let (this, other) = (Some((1, 1)), Some((1, 2)));
    assert!(must_watch(None, this, true) && must_watch(Some(this), other, true));
    assert!(!must_watch(Some(this), this, true));
    // Where folders have no identity, each may be another one.
    assert!(must_watch(Some(None), None, true));
    assert!(must_watch(Some(this), this, false));
}

#[cfg(unix)]
mod names {
    use std::time::Duration;

    use super::*;

    fn place(path: PathBuf) -> Wanted {
        Wanted {
            places: vec![path],
            signs: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// A listener at that place, who has looked.
    fn listener(ears: &Arc<Ears>, path: PathBuf) -> (Ear, mpsc::Receiver<()>) {
        let (tell, told) = mpsc::channel(1);
        let ear = ears.attach(tell);
        ear.listen(&place(path));
        (ear, told)
    }

    async fn hears(told: &mut mpsc::Receiver<()>) {
        let patience = Duration::from_secs(20);
        tokio::time::timeout(patience, told.recv())
            .await
            .expect("it is told")
            .unwrap();
        // One change has several signs; what is told of it is not what comes next.
        while tokio::time::timeout(Duration::from_millis(50), told.recv())
            .await
            .is_ok()
        {}
    }

    fn world() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        for name in ["deep", "a", "b"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::write(root.join("deep/shared"), "1").unwrap();
        (folder, root)
    }

    #[tokio::test]
    async fn the_target_of_a_link_is_heard_however_others_call_its_folder() {
        let (_folder, root) = world();
        std::os::unix::fs::symlink("../deep/shared", root.join("a/link")).unwrap();
        std::os::unix::fs::symlink("../deep", root.join("b/folder")).unwrap();
        let ears = Arc::<Ears>::default();
        let (_first, mut through_link) = listener(&ears, root.join("a/link"));
        let (second, mut itself) = listener(&ears, root.join("deep/shared"));
        let (third, mut through_folder) = listener(&ears, root.join("b/folder/shared"));
        std::fs::write(root.join("deep/shared"), "2").unwrap();
        hears(&mut through_link).await;
        hears(&mut itself).await;
        hears(&mut through_folder).await;
        drop(second);
        std::fs::write(root.join("deep/shared"), "3").unwrap();
        hears(&mut through_link).await;
        hears(&mut through_folder).await;
        drop(third);
        std::fs::write(root.join("deep/shared"), "4").unwrap();
        hears(&mut through_link).await;
    }

    #[tokio::test]
    async fn giving_up_one_of_two_names_leaves_the_other_heard_and_says_so() {
        let (_folder, root) = world();
        let ears = Arc::<Ears>::default();
        let (_ear, mut told) = listener(&ears, root.join("a/x"));
        // As a folder has while it was moved and not everybody has looked.
        std::os::unix::fs::symlink("a", root.join("moved")).unwrap();
        {
            let mut device = lock(&ears.device);
            device.watch(&root.join("moved"), &mut BTreeSet::new()).unwrap();
            let disturbed = BTreeSet::from_iter(device.forget(&root.join("moved")));
            assert_eq!(disturbed, BTreeSet::from([root.join("a")]));
            ears.tell(&device, &disturbed);
        }
        hears(&mut told).await;
        std::fs::write(root.join("a/x"), "1").unwrap();
        hears(&mut told).await;
    }

    #[test]
    fn a_new_name_in_a_known_folder_is_news() {
        let (_folder, root) = world();
        let ears = Arc::<Ears>::default();
        let ear = ears.attach(mpsc::channel(1).0);
        assert!(ear.listen(&place(root.join("a/x"))).grew);
        assert!(!ear.listen(&place(root.join("a/x"))).grew);
        assert!(ear.listen(&place(root.join("a/y"))).grew, "it may have changed already");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_cannot_be_watched_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o300)).unwrap();
    if std::fs::read_dir(&closed).is_ok() {
        // Nothing is closed to the superuser.
        return;
    }
    let ears = Arc::<Ears>::default();
    let wanted = Wanted {
        places: vec![closed.join("hooks.yaml")],
        signs: Vec::new(),
        folders: Vec::new(),
    };
    let heard = ears.attach(mpsc::channel(1).0).listen(&wanted);
    assert!(matches!(heard.live, Live::Polling(words) if words.code == "not_live"));
}
