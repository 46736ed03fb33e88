//! A desktop with the real program in it: own home, own data folder, own driver. All of it ends with the test.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hookwright_testkit::program::workspace;
use hookwright_testkit::{Finished, Running, Sandbox};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// Something that takes longer does not come.
const WAIT_TIMEOUT: Duration = Duration::from_secs(30);
const SAMPLE: &str = "hooks-samples/jcli/starter";
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// What a window needs of the machine it is tested on; everything else is the sandbox's.
const MACHINE_VARS: [&str; 9] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "GDK_BACKEND",
    "NO_AT_BRIDGE",
    "GTK_A11Y",
    "GTK_USE_PORTAL",
    "LIBGL_ALWAYS_SOFTWARE",
];

/// The running program, seen through WebDriver. Fields end in the order they stand in.
pub struct Desktop {
    client: Client,
    _driver: Running,
    sandbox: Sandbox,
    project: PathBuf,
}

impl Desktop {
    /// Starts the program with these arguments, in an empty home.
    pub async fn start(args: &[&str]) -> Self {
        Self::start_in(Self::sandbox(), args).await
    }

    /// Starts it on the starter sample, whose hooks are approved.
    pub async fn start_on_sample() -> Self {
        let sandbox = Self::sandbox();
        copy(&workspace().join(SAMPLE), &sandbox.project());
        sandbox.run(["trust", "--all"]).assert_exit(0);
        let project = sandbox.project().display().to_string();
        Self::start_in(sandbox, &["--project", &project]).await
    }

    /// Starts it in a place where something happened already.
    pub async fn start_in(sandbox: Sandbox, args: &[&str]) -> Self {
        let port = free_port();
        let driver = sandbox.start_program(Path::new("/usr/bin/WebKitWebDriver"), [format!("--port={port}")]);
        wait_for_port(port).await;
        let capabilities = json!({"webkitgtk:browserOptions": {"binary": program(), "args": args}});
        let capabilities = capabilities.as_object().cloned().unwrap_or_default();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities.into_iter().collect());
        // A program that does not start would make this wait for ever.
        let connected = timeout(WAIT_TIMEOUT, builder.connect(&format!("http://127.0.0.1:{port}"))).await;
        let client = connected
            .unwrap_or_else(|_| panic!("the window does not open\n{}", driver.stderr()))
            .unwrap_or_else(|error| panic!("the window does not open: {error}\n{}", driver.stderr()));
        let project = sandbox.project();
        Self {
            client,
            _driver: driver,
            sandbox,
            project,
        }
    }

    /// An empty home, with what a window needs of this machine.
    pub fn sandbox() -> Sandbox {
        let machine_vars = MACHINE_VARS
            .iter()
            .filter_map(|name| Some((*name, std::env::var_os(name)?)));
        let automated = [
            ("TAURI_AUTOMATION", "true".into()),
            ("TAURI_WEBVIEW_AUTOMATION", "true".into()),
        ];
        machine_vars
            .chain(automated)
            .fold(Sandbox::new(), |sandbox, (name, value)| sandbox.with_var(name, value))
    }

    /// Copies the starter sample into the project; its path.
    pub fn copy_sample(&self) -> String {
        copy(&workspace().join(SAMPLE), &self.project);
        self.project.display().to_string()
    }

    /// Starts the program once more, to its end.
    pub fn start_again(&self, args: &[&str]) -> Finished {
        self.sandbox.start_program(&program(), args).finish()
    }

    /// Whether the desktop would start the program at login.
    pub fn has_login_entry(&self) -> bool {
        self.sandbox
            .home()
            .join(".config/autostart/Hookwright.desktop")
            .is_file()
    }

    /// Runs the command line beside the window, in its project.
    pub fn hookwright(&self, args: &[&str]) -> Finished {
        let project = self.project.display().to_string();
        self.sandbox.run(args.iter().copied().chain(["--project", &project]))
    }

    /// Waits until the page says this.
    pub async fn wait_for_text(&self, wanted: &str) {
        self.wait_for_text_in("body", wanted).await;
    }

    /// Waits until a part of the page says this.
    pub async fn wait_for_text_in(&self, part: &str, wanted: &str) {
        let begin = Instant::now();
        let mut last = String::new();
        while begin.elapsed() < WAIT_TIMEOUT {
            // The page draws itself anew under our hands: what is gone is looked for again.
            if let Ok(text) = self.text(part).await {
                if text.contains(wanted) {
                    return;
                }
                last = text;
            }
            sleep(RETRY_INTERVAL).await;
        }
        self.save_screenshot("failed").await;
        panic!("{part} never said {wanted:?}; it says:\n{last}");
    }

    async fn text(&self, part: &str) -> Result<String, CmdError> {
        let mut all = String::new();
        for element in self.client.find_all(Locator::Css(part)).await? {
            // The driver's own idea of visible text leaves out what stands in a cell that may be cut short.
            all.push_str(&element.prop("innerText").await?.unwrap_or_default());
            all.push('\n');
        }
        Ok(all)
    }

    /// Clicks the button that says this.
    pub async fn click(&self, label: &str) {
        let path = format!("//button[contains(normalize-space(.), {})]", json!(label));
        let button: Element = match self
            .client
            .wait()
            .at_most(WAIT_TIMEOUT)
            .for_element(Locator::XPath(&path))
            .await
        {
            Ok(button) => button,
            Err(error) => {
                self.save_screenshot("failed").await;
                panic!("there is no button {label:?}: {error}");
            }
        };
        button.click().await.expect("a button that was found can be clicked");
    }

    /// Turns the switch of that name the other way.
    pub async fn switch(&self, name: &str) {
        let css = format!("[role=switch][aria-label={}]", json!(name));
        let found = self
            .client
            .wait()
            .at_most(WAIT_TIMEOUT)
            .for_element(Locator::Css(&css))
            .await;
        let switch = found.unwrap_or_else(|error| panic!("there is no switch {name:?}: {error}"));
        switch.click().await.expect("a switch that was found can be clicked");
    }

    /// Waits until something holds.
    pub async fn wait_until(&self, what: &str, is_done: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !is_done(self) {
            assert!(begin.elapsed() < WAIT_TIMEOUT, "{what}: that did not happen");
            sleep(RETRY_INTERVAL).await;
        }
    }

    /// Presses a key while others are held.
    pub async fn press(&self, modifiers: &[Key], key: impl Into<char>) {
        let mut keys = KeyActions::new("keyboard".to_owned());
        for key in modifiers {
            keys = keys.then(KeyAction::Down { value: (*key).into() });
        }
        let value = key.into();
        keys = keys.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        for key in modifiers.iter().rev() {
            keys = keys.then(KeyAction::Up { value: (*key).into() });
        }
        self.client.perform_actions(keys).await.expect("keys can be pressed");
    }

    /// Keeps a picture of the window.
    pub async fn save_screenshot(&self, name: &str) {
        let folder = std::env::var_os("HOOKWRIGHT_ARTIFACTS")
            .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
        std::fs::create_dir_all(&folder).expect("the folder for pictures can be made");
        // What is in the document is not yet on the screen: fonts may still load, and frames are drawn when there is time.
        let drawn = "const done = arguments[0]; document.fonts.ready.then(() => requestAnimationFrame(\
            () => requestAnimationFrame(() => done(true))))";
        let drawn = self.client.execute_async(drawn, Vec::new()).await;
        drawn.expect("the page draws itself");
        let picture = self.client.screenshot().await.expect("the window can be pictured");
        let test = std::thread::current()
            .name()
            .and_then(|name| name.rsplit("::").next().map(str::to_owned))
            .unwrap_or_default();
        std::fs::write(folder.join(format!("{test}-{name}.png")), picture).expect("a picture can be written");
    }
}

/// The program as cargo built it: `$HOOKWRIGHT_DESKTOP_BIN`, else beside this test's folder.
fn program() -> PathBuf {
    let built = || {
        let me = std::env::current_exe().expect("a running program has a path");
        let profile = me.ancestors().nth(2).expect("a test program lies two folders deep");
        profile.join("hookwright-desktop")
    };
    let path = std::env::var_os("HOOKWRIGHT_DESKTOP_BIN").map_or_else(built, PathBuf::from);
    assert!(
        path.is_file(),
        "{} is not there; `cargo build -p hookwright-desktop` makes it",
        path.display()
    );
    path
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it was just bound").port()
}

async fn wait_for_port(port: u16) {
    let begin = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(begin.elapsed() < WAIT_TIMEOUT, "the driver does not listen");
        sleep(RETRY_INTERVAL).await;
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("the sample is there") {
        let entry = entry.expect("the sample can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}
