use super::*;

#[test]
fn the_reason_for_polling_has_a_code_and_arguments() {
    let message = failure_message(&notify::Error::new(notify::ErrorKind::MaxFilesWatch));
    assert_eq!(
        (message.code, message.args["case"].as_str()),
        ("not_live", Some("too_many"))
    );
    assert!(message.hint.is_some());
    let message = failure_message(&notify::Error::io(std::io::Error::other("no hands")));
    assert_eq!(
        message.text,
        "file watching is not available (no hands); files are checked every 5 s"
    );
    assert_eq!(message.args["why"], "no hands");
}

#[test]
fn a_watcher_that_restarts_watches_only_new_folders_again() {
    let (this, other) = (Some((1, 1)), Some((1, 2)));
    assert!(needs_watch(None, this, true) && needs_watch(Some(this), other, true));
    assert!(!needs_watch(Some(this), this, true));
    // Folders without an identity may be different ones, so each is watched again.
    assert!(needs_watch(Some(None), None, true));
    assert!(needs_watch(Some(this), this, false));
}

#[cfg(unix)]
mod names {
    use std::time::Duration;

    use super::*;

    fn watch_set(path: PathBuf) -> WatchSet {
        WatchSet {
            files: vec![path],
            markers: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// A listener whose subscription watches this path.
    fn subscribed(hub: &Arc<WatchHub>, path: PathBuf) -> (Subscription, mpsc::Receiver<()>) {
        let (sender, receiver) = mpsc::channel(1);
        let subscription = hub.subscribe(sender);
        subscription.watch(&watch_set(path));
        (subscription, receiver)
    }

    async fn expect_notification(receiver: &mut mpsc::Receiver<()>) {
        let timeout = Duration::from_secs(20);
        tokio::time::timeout(timeout, receiver.recv())
            .await
            .expect("it is told")
            .unwrap();
        // One change causes several events. The rest of them must not count as the next change.
        while tokio::time::timeout(Duration::from_millis(50), receiver.recv())
            .await
            .is_ok()
        {}
    }

    fn sandbox() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        for name in ["deep", "a", "b"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::write(root.join("deep/shared"), "1").unwrap();
        (folder, root)
    }

    #[tokio::test]
    async fn changes_of_a_link_target_are_received_under_every_name_of_its_folder() {
        let (_folder, root) = sandbox();
        std::os::unix::fs::symlink("../deep/shared", root.join("a/link")).unwrap();
        std::os::unix::fs::symlink("../deep", root.join("b/folder")).unwrap();
        let hub = Arc::<WatchHub>::default();
        let (_first, mut through_link) = subscribed(&hub, root.join("a/link"));
        let (second, mut itself) = subscribed(&hub, root.join("deep/shared"));
        let (third, mut through_folder) = subscribed(&hub, root.join("b/folder/shared"));
        std::fs::write(root.join("deep/shared"), "2").unwrap();
        expect_notification(&mut through_link).await;
        expect_notification(&mut itself).await;
        expect_notification(&mut through_folder).await;
        drop(second);
        std::fs::write(root.join("deep/shared"), "3").unwrap();
        expect_notification(&mut through_link).await;
        expect_notification(&mut through_folder).await;
        drop(third);
        std::fs::write(root.join("deep/shared"), "4").unwrap();
        expect_notification(&mut through_link).await;
    }

    #[tokio::test]
    async fn unwatching_one_of_two_names_keeps_the_other_watched() {
        let (_folder, root) = sandbox();
        let hub = Arc::<WatchHub>::default();
        let (_ear, mut receiver) = subscribed(&hub, root.join("a/x"));
        // A folder has two names like this after it was moved, until every watch has checked its files.
        std::os::unix::fs::symlink("a", root.join("moved")).unwrap();
        {
            let mut os_watcher = lock(&hub.os_watcher);
            os_watcher.watch(&root.join("moved"), &mut BTreeSet::new()).unwrap();
            let rewatched = BTreeSet::from_iter(os_watcher.unwatch(&root.join("moved")));
            assert_eq!(rewatched, BTreeSet::from([root.join("a")]));
            hub.notify(&os_watcher, &rewatched);
        }
        expect_notification(&mut receiver).await;
        std::fs::write(root.join("a/x"), "1").unwrap();
        expect_notification(&mut receiver).await;
    }

    #[test]
    fn a_new_name_in_a_watched_folder_is_a_new_path() {
        let (_folder, root) = sandbox();
        let hub = Arc::<WatchHub>::default();
        let subscription = hub.subscribe(mpsc::channel(1).0);
        assert!(subscription.watch(&watch_set(root.join("a/x"))).has_new_paths);
        assert!(!subscription.watch(&watch_set(root.join("a/x"))).has_new_paths);
        assert!(
            subscription.watch(&watch_set(root.join("a/y"))).has_new_paths,
            "it may have changed already"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_cannot_be_watched_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o300)).unwrap();
    if std::fs::read_dir(&closed).is_ok() {
        // The superuser may read every folder.
        return;
    }
    let hub = Arc::<WatchHub>::default();
    let watch_set = WatchSet {
        files: vec![closed.join("hooks.yaml")],
        markers: Vec::new(),
        folders: Vec::new(),
    };
    let result = hub.subscribe(mpsc::channel(1).0).watch(&watch_set);
    assert!(matches!(result.mode, WatchMode::Polling(message) if message.code == "not_live"));
}
