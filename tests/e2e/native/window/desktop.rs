//! Runs the real desktop program in a sandbox with its own home, data folder and WebDriver. Everything ends with the
//! test.

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

/// Time limit of every wait. Then the test fails.
const WAIT_TIMEOUT: Duration = Duration::from_secs(30);
const SAMPLE: &str = "hooks-samples/jcli/starter";
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Variables that a window needs from the real environment. All others are from the sandbox.
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

/// The running program, controlled through WebDriver. Fields are dropped in this order: the driver before its sandbox.
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

    /// Starts the program with the starter sample as project. Its hooks are approved.
    pub async fn start_on_sample() -> Self {
        let sandbox = Self::sandbox();
        copy(&workspace().join(SAMPLE), &sandbox.project());
        sandbox.run(["trust", "--all"]).assert_exit(0);
        let project = sandbox.project().display().to_string();
        Self::start_in(sandbox, &["--project", &project]).await
    }

    /// Starts the program in a sandbox that the test has prepared.
    pub async fn start_in(sandbox: Sandbox, args: &[&str]) -> Self {
        let port = free_port();
        let driver = sandbox.start_program(Path::new("/usr/bin/WebKitWebDriver"), [format!("--port={port}")]);
        wait_for_port(port).await;
        let capabilities = json!({"webkitgtk:browserOptions": {"binary": program(), "args": args}});
        let capabilities = capabilities.as_object().cloned().unwrap_or_default();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities.into_iter().collect());
        // Without the timeout, this would wait forever for a program that does not start.
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

    /// Creates an empty sandbox with [`MACHINE_VARS`] and the variables that enable WebDriver.
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

    /// Copies the starter sample into the project directory. Returns the path of the project.
    pub fn copy_sample(&self) -> String {
        copy(&workspace().join(SAMPLE), &self.project);
        self.project.display().to_string()
    }

    /// Writes another hook at the end of a turn to the project's file. It waits for approval.
    pub fn add_hook(&self, program: &str) {
        let file = self.project.join(".jcli/hooks.yaml");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let head = if text.contains("\nsession_end:") {
            ""
        } else {
            "\nsession_end:\n"
        };
        std::fs::write(&file, format!("{text}{head}  - command: \"'./{program}'\"\n"))
            .expect("the file can be written");
    }

    /// Whether `is_so` returns `true` within two seconds.
    pub async fn comes_soon(&self, is_so: impl Fn() -> bool) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(2) {
            if is_so() {
                return true;
            }
            sleep(RETRY_INTERVAL).await;
        }
        false
    }

    /// Starts the program a second time and waits until that process exits.
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

    /// Runs the command line in the sandbox and with the project of the window, while the window is open.
    pub fn hookwright(&self, args: &[&str]) -> Finished {
        let project = self.project.display().to_string();
        self.sandbox.run(args.iter().copied().chain(["--project", &project]))
    }

    /// Waits until the page contains this text.
    pub async fn wait_for_text(&self, wanted: &str) {
        self.wait_for_text_in("body", wanted).await;
    }

    /// Waits until the text of the elements with the CSS selector `part` contains `wanted`.
    pub async fn wait_for_text_in(&self, part: &str, wanted: &str) {
        let begin = Instant::now();
        let mut last = String::new();
        while begin.elapsed() < WAIT_TIMEOUT {
            // The page can render again in the meantime and remove the elements. Then they are searched again.
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
            // The driver's own function for visible text leaves out text in cells that may be truncated.
            all.push_str(&element.prop("innerText").await?.unwrap_or_default());
            all.push('\n');
        }
        Ok(all)
    }

    /// Clicks the button that contains this label.
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

    /// Clicks the switch with this accessible name.
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

    /// Waits until `is_done` returns `true`. `what` is the message of the failure.
    pub async fn wait_until(&self, what: &str, is_done: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !is_done(self) {
            assert!(begin.elapsed() < WAIT_TIMEOUT, "{what}: that did not happen");
            sleep(RETRY_INTERVAL).await;
        }
    }

    /// Presses a key while the modifier keys are down.
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

    /// Saves a screenshot of the window in `$HOOKWRIGHT_ARTIFACTS`, by default in cargo's temporary folder.
    pub async fn save_screenshot(&self, name: &str) {
        let folder = std::env::var_os("HOOKWRIGHT_ARTIFACTS")
            .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
        std::fs::create_dir_all(&folder).expect("the folder for pictures can be made");
        // New content of the document is not on the screen at once: fonts may still load, and frames are drawn later.
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

/// Path of the desktop program: `$HOOKWRIGHT_DESKTOP_BIN`, by default the one that cargo built in this profile.
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
