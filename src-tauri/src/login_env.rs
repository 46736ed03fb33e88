//! The environment of the login shell, which is missing in a program that the desktop started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use hookwright_app::programs;
use hookwright_workspace::HostEnv;

/// The environment for hooks. A program that the desktop started has an incomplete `PATH`, so the login shell is asked
/// once. Its `PATH` is used, and every variable that is not yet set. In a program started from a terminal, the
/// environment is already right.
pub async fn with_login_shell(env: HostEnv) -> HostEnv {
    let Some(shell) = env.var("SHELL").filter(|_| cfg!(unix) && env.var("TERM").is_none()) else {
        return env;
    };
    match programs::login_environment(Path::new(&shell), &env.vars).await {
        Ok(login) => merge_login_vars(env, login),
        Err(message) => {
            tracing::warn!("{message}");
            env
        }
    }
}

/// Merges the variables and computes `HostEnv` again. The login shell may set `XDG_DATA_HOME`, which programs in a
/// terminal use too.
fn merge_login_vars(env: HostEnv, login: BTreeMap<OsString, OsString>) -> HostEnv {
    let mut vars = env.vars.clone();
    for (name, value) in login {
        if name == "PATH" || !vars.contains_key(&name) {
            vars.insert(name, value);
        }
    }
    // There was a home directory before, and no variable was removed.
    HostEnv::new(vars, env.cwd.clone(), env.program.clone()).unwrap_or(env)
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
        let env = HostEnv::new(started, PathBuf::from("/"), PathBuf::from("/bin/true")).unwrap();
        let login = vars(&[
            ("HOME", "/other"),
            ("PATH", "/home/me/bin:/usr/bin"),
            ("NVM_DIR", "/home/me/.nvm"),
        ]);
        let env = merge_login_vars(env, login);
        assert_eq!(env.var("PATH").as_deref(), Some("/home/me/bin:/usr/bin"));
        assert_eq!(env.var("NVM_DIR").as_deref(), Some("/home/me/.nvm"));
        assert_eq!(
            (env.var("HOME").as_deref(), env.var("DISPLAY").as_deref()),
            (Some("/home/me"), Some(":0"))
        );
    }

    #[test]
    fn a_data_folder_that_only_the_login_shell_sets_is_used() {
        let started = vars(&[("HOME", "/home/me"), ("PATH", "/usr/bin")]);
        let env = HostEnv::new(started, PathBuf::from("/"), PathBuf::from("/bin/true")).unwrap();
        let env = merge_login_vars(env, vars(&[("XDG_DATA_HOME", "/home/me/data")]));
        assert_eq!(env.data_dir, PathBuf::from("/home/me/data/hookwright"));
        assert_eq!(env.program, PathBuf::from("/bin/true"));
    }
}
