//! A person's folders of their own, and waiting for what was promised.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookwright_app::dto::ProjectRequest;
use hookwright_app::library::{Overlay, Snapshot, load_with};
use hookwright_app::{App, Desk, Hosting, Surroundings, wall_clock};
use hookwright_model::ListDoc;

/// Longer than anything promised here takes on a busy machine; only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(20);
const HEADER: &str = "pre_send_message:\n";

/// A home and a project in a temporary folder.
pub struct World {
    pub folder: tempfile::TempDir,
    pub home: PathBuf,
    pub project: PathBuf,
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = dunce::canonicalize(folder.path()).expect("it exists");
        let (home, project) = (root.join("home"), root.join("project"));
        std::fs::create_dir_all(home.join("data")).expect("a home");
        std::fs::create_dir_all(&project).expect("a project");
        std::fs::write(home.join("data/settings.toml"), "[watch]\nsettle_ms = 40\n").expect("settings");
        Self { folder, home, project }
    }

    /// With an empty `.jcli` folder.
    pub fn with_folder() -> Self {
        let world = Self::new();
        std::fs::create_dir_all(world.project.join(".jcli/hooks")).expect("a folder");
        world
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

    pub fn app(&self, hosting: Hosting) -> Arc<App> {
        let vars = [
            ("HOME", self.home.clone()),
            ("HOOKWRIGHT_DATA", self.home.join("data")),
            ("PATH", "/usr/bin:/bin".into()),
        ];
        let vars: BTreeMap<OsString, OsString> = vars
            .into_iter()
            .map(|(name, value)| (name.into(), value.into_os_string()))
            .collect();
        let around = Surroundings::new(vars, self.home.clone(), PathBuf::new()).expect("there is a home");
        Arc::new(App::open(around, hosting, wall_clock()))
    }

    /// An engine with the project on its desk, watched.
    pub async fn watched(&self) -> (Arc<App>, Arc<Desk>) {
        let app = self.app(Hosting::Engine);
        let desk = app.desk(&self.project).expect("it is a folder");
        until("the watch begins", || {
            desk.live() != hookwright_app::library::Live::NotYet
        })
        .await;
        (app, desk)
    }
}

/// The text of a file with these commands.
pub fn hooks(commands: &[&str]) -> String {
    let items: Vec<String> = commands
        .iter()
        .map(|command| format!("  - command: {}\n", serde_json::Value::from(*command)))
        .collect();
    format!("{HEADER}{}", items.concat())
}

pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("its folder");
    std::fs::write(path, text).expect("it can be written");
}

/// What the hooks in force run.
pub fn commands(snapshot: &Snapshot) -> Vec<String> {
    snapshot
        .all()
        .filter_map(|hook| hook.definition["command"].as_str().map(str::to_owned))
        .collect()
}

/// Waits until the desk has exactly these commands. Returns how long it took.
pub async fn shows(desk: &Desk, wanted: &[&str]) -> Duration {
    let begin = Instant::now();
    until(&format!("{wanted:?} are in force"), || {
        commands(&desk.snapshot()) == wanted
    })
    .await;
    begin.elapsed()
}

/// Waits for a condition; fails when it does not come true in any sensible time.
pub async fn until(what: &str, mut fits: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !fits() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What the files of a project say now.
pub fn load(app: &App, project: &Path) -> Snapshot {
    load_with(&app.around, project, None, &Overlay::default())
}

pub fn codes(desk: &Desk) -> Vec<String> {
    desk.problems(None)
        .iter()
        .map(|problem| problem.code.word().to_owned())
        .collect()
}

pub async fn list(app: &App, project: &Path) -> ListDoc {
    let request = ProjectRequest {
        project: project.display().to_string(),
    };
    app.hooks_list(request).await.expect("a list")
}
