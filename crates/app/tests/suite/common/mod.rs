//! A home and a project for tests, and functions that wait for a condition.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookwright_app::dto::ListRequest;
use hookwright_app::{App, hooks};
use hookwright_model::ListDoc;
use hookwright_workspace::discovery::{PendingFiles, load_with};
use hookwright_workspace::{HostEnv, OpenProject, ProcessRole, Snapshot, wall_clock};

/// Longer than any awaited change takes on a busy machine. Only a failing test waits this long.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);
const EVENT_KEY: &str = "pre_send_message:\n";

/// A home and a project in a temporary folder.
pub struct TestHome {
    pub folder: tempfile::TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
}

impl TestHome {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = dunce::canonicalize(folder.path()).expect("it exists");
        let (home, project) = (root.join("home"), root.join("project"));
        std::fs::create_dir_all(home.join("data")).expect("a home");
        std::fs::create_dir_all(&project).expect("a project");
        std::fs::write(home.join("data/settings.toml"), "[watch]\nsettle_ms = 40\n").expect("settings");
        Self { folder, home, project }
    }

    /// A project with an empty folder `.jcli/hooks`.
    pub fn with_config_folder() -> Self {
        let test_home = Self::new();
        std::fs::create_dir_all(test_home.project.join(".jcli/hooks")).expect("a folder");
        test_home
    }

    pub fn root(&self) -> &Path {
        self.home.parent().expect("made in new")
    }

    pub fn hooks_file(&self) -> PathBuf {
        self.project.join(".jcli/hooks.yaml")
    }

    pub fn user_file(&self) -> PathBuf {
        self.home.join(".jdata/agent/hooks.yaml")
    }

    pub fn app(&self, role: ProcessRole) -> Arc<App> {
        let vars = [
            ("HOME", self.home.clone()),
            ("HOOKWRIGHT_DATA", self.home.join("data")),
            ("PATH", "/usr/bin:/bin".into()),
        ];
        let vars: BTreeMap<OsString, OsString> = vars
            .into_iter()
            .map(|(name, value)| (name.into(), value.into_os_string()))
            .collect();
        let env = HostEnv::new(vars, self.home.clone(), PathBuf::new()).expect("there is a home");
        Arc::new(App::open(env, role, wall_clock()))
    }

    /// An engine that has opened the project and watches it.
    pub async fn open_watched(&self) -> (Arc<App>, Arc<OpenProject>) {
        let app = self.app(ProcessRole::Engine);
        let open_project = app.workspace.open_project(&self.project).expect("it is a folder");
        wait_until("the watch begins", || {
            open_project.watch_mode() != hookwright_workspace::watcher::WatchMode::Starting
        })
        .await;
        (app, open_project)
    }
}

/// The text of a hook file with these commands.
pub fn hooks(commands: &[&str]) -> String {
    let items: Vec<String> = commands
        .iter()
        .map(|command| format!("  - command: {}\n", serde_json::Value::from(*command)))
        .collect();
    format!("{EVENT_KEY}{}", items.concat())
}

pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("its folder");
    std::fs::write(path, text).expect("it can be written");
}

/// The commands of all hooks in a snapshot.
pub fn commands(snapshot: &Snapshot) -> Vec<String> {
    snapshot
        .all()
        .filter_map(|hook| hook.definition["command"].as_str().map(str::to_owned))
        .collect()
}

/// Waits until the open project has exactly these commands. Returns how long it took.
pub async fn wait_for_commands(open_project: &OpenProject, wanted: &[&str]) -> Duration {
    let begin = Instant::now();
    wait_until(&format!("{wanted:?} are in force"), || {
        commands(&open_project.snapshot()) == wanted
    })
    .await;
    begin.elapsed()
}

/// Waits for a condition. Panics if the condition is not met within [`WAIT_TIMEOUT`].
pub async fn wait_until(what: &str, mut is_met: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_met() {
        assert!(begin.elapsed() < WAIT_TIMEOUT, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Reads a snapshot from the present files of a project.
pub fn load(app: &App, project: &Path) -> Snapshot {
    load_with(
        &app.workspace.env,
        project,
        None,
        &PendingFiles::default(),
        app.workspace.now(),
    )
}

pub fn codes(open_project: &OpenProject) -> Vec<String> {
    open_project
        .problems(None)
        .iter()
        .map(|problem| problem.code.as_str().to_owned())
        .collect()
}

pub async fn list(app: &App, project: &Path) -> ListDoc {
    let request = ListRequest {
        project: Some(project.display().to_string()),
    };
    hooks::hooks_list(app, request).await.expect("a list").list
}
