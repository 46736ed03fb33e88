//! What starts at login, and the environment that a program started then lacks.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use hookwright_app::fault::LOGIN_FAILED;
use hookwright_app::{Fault, HostEnv};
use hookwright_model::args;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Runtime};
use tauri_plugin_autostart::ManagerExt as _;

/// Whether to start at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtLogin {
    /// Start, in the tray.
    Start,
    /// Do not.
    Leave,
}

/// The part of the desktop that starts programs.
pub fn plugin<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_autostart::Builder::new()
        .app_name("Hookwright")
        .args(["--hidden"])
        .build()
}

/// Whether Hookwright starts at login.
///
/// # Errors
/// The desktop does not tell.
pub fn is_on(app: &AppHandle) -> Result<bool, Fault> {
    app.autolaunch().is_enabled().map_err(failed)
}

/// Changes whether Hookwright starts at login.
///
/// # Errors
/// The desktop does not let us.
pub fn switch(app: &AppHandle, at_login: AtLogin) -> Result<(), Fault> {
    match at_login {
        AtLogin::Start => app.autolaunch().enable().map_err(failed),
        // Taking out what is not there is an error to some desktops.
        AtLogin::Leave if !is_on(app)? => Ok(()),
        AtLogin::Leave => app.autolaunch().disable().map_err(failed),
    }
}

fn failed(error: tauri_plugin_autostart::Error) -> Fault {
    LOGIN_FAILED.render(args! { "why" => error.to_string() }).into()
}

/// The environment for hooks. A program that the desktop started has no `PATH` to speak of, so the login shell is asked
/// once: its `PATH` counts, and whatever else it sets that we were not given. From a terminal, what we have is right.
pub async fn environment(around: HostEnv) -> HostEnv {
    let Some(shell) = around
        .var("SHELL")
        .filter(|_| cfg!(unix) && around.var("TERM").is_none())
    else {
        return around;
    };
    match hookwright_app::programs::login_environment(Path::new(&shell), &around.vars).await {
        Ok(login) => with_login(around, login),
        Err(words) => {
            tracing::warn!("{words}");
            around
        }
    }
}

/// What the variables say is asked anew: the login shell may be who sets `XDG_DATA_HOME`, and a terminal goes by it, too.
fn with_login(around: HostEnv, login: BTreeMap<OsString, OsString>) -> HostEnv {
    let mut vars = around.vars.clone();
    for (name, value) in login {
        if name == "PATH" || !vars.contains_key(&name) {
            vars.insert(name, value);
        }
    }
    // It had a home before, and nothing was taken away.
    HostEnv::new(vars, around.cwd.clone(), around.program.clone()).unwrap_or(around)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn vars(all: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        all.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn the_login_shell_gives_the_path_and_what_is_missing_and_changes_nothing_else() {
        let started = vars(&[("HOME", "/home/me"), ("PATH", "/usr/bin"), ("DISPLAY", ":0")]);
        let around = HostEnv::new(started, PathBuf::from("/"), PathBuf::from("/bin/true")).unwrap();
        let login = vars(&[
            ("HOME", "/other"),
            ("PATH", "/home/me/bin:/usr/bin"),
            ("NVM_DIR", "/home/me/.nvm"),
        ]);
        let around = with_login(around, login);
        assert_eq!(around.var("PATH").as_deref(), Some("/home/me/bin:/usr/bin"));
        assert_eq!(around.var("NVM_DIR").as_deref(), Some("/home/me/.nvm"));
        assert_eq!(
            (around.var("HOME").as_deref(), around.var("DISPLAY").as_deref()),
            (Some("/home/me"), Some(":0"))
        );
    }

    #[test]
    fn a_data_folder_that_only_the_login_shell_knows_is_the_one() {
        let started = vars(&[("HOME", "/home/me"), ("PATH", "/usr/bin")]);
        let around = HostEnv::new(started, PathBuf::from("/"), PathBuf::from("/bin/true")).unwrap();
        let around = with_login(around, vars(&[("XDG_DATA_HOME", "/home/me/data")]));
        assert_eq!(around.data_dir, PathBuf::from("/home/me/data/hookwright"));
        assert_eq!(around.program, PathBuf::from("/bin/true"));
    }
}
