//! Hookwright's own files in a running process: the values that apply now, and what is wrong with the files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use hookwright_model::{Code, Problem, Severity};
use hookwright_redact::Redactor;

use crate::data_files::locked_file::{self, LockedFileError};
use crate::host_env::HostEnv;
use crate::listener::{Changes, Listener};
use crate::lock::lock;
use crate::mutes::{Mutes, MutesFile};
use crate::settings::Settings;
use crate::trust::{Trust, TrustFile};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AppFile {
    Settings,
    Trust,
    Mutes,
}

/// The current settings, approvals and mutes, with everything that depends on the settings.
pub struct AppFiles {
    env: Arc<HostEnv>,
    listener: Arc<dyn Listener>,
    trust: Arc<Trust>,
    /// The mutes.
    pub mutes: Mutes,
    settings: ArcSwap<Settings>,
    problems: Mutex<BTreeMap<AppFile, Vec<Problem>>>,
    /// The approvals and mutes that the last [`AppFiles::refresh`] found. A check of a hook reads a changed `trust.json`
    /// too, so what is in memory does not show whether the change was reported.
    reported: Mutex<(Arc<TrustFile>, Arc<MutesFile>)>,
}

impl AppFiles {
    /// Takes the settings, and reads the approvals and mutes.
    #[must_use]
    pub fn new(env: Arc<HostEnv>, settings: Settings, listener: Arc<dyn Listener>) -> Self {
        let path = env.var("PATH").unwrap_or_default();
        let (trust, trust_error) = Trust::open(&env.data_dir, &env.home, path.as_ref());
        let (mutes, mutes_error) = Mutes::open(&env.data_dir);
        env.set_skills_roots(&settings.watch.skills_roots);
        env.set_redactor(redactor(&env, &settings));
        let problems = BTreeMap::from([
            (
                AppFile::Settings,
                with_permission_warning(settings.path(), settings.problems().to_vec()),
            ),
            (AppFile::Trust, problems_of(trust_error.as_ref())),
            (
                AppFile::Mutes,
                with_permission_warning(mutes.path(), problems_of(mutes_error.as_ref())),
            ),
        ]);
        Self {
            reported: Mutex::new((trust.approvals(), mutes.all())),
            trust: Arc::new(trust),
            mutes,
            settings: ArcSwap::from_pointee(settings),
            problems: Mutex::new(problems),
            env,
            listener,
        }
    }

    /// The approvals.
    #[must_use]
    pub fn trust(&self) -> &Arc<Trust> {
        &self.trust
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    /// The redactor of these settings.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        self.env.redactor()
    }

    /// Applies changed settings.
    pub fn apply(&self, settings: Settings) {
        let before = self.settings();
        // The list of projects changes often. Nothing below depends on it.
        self.env.set_skills_roots(&settings.watch.skills_roots);
        if before.model != settings.model || before.redaction != settings.redaction {
            self.env.set_redactor(redactor(&self.env, &settings));
        }
        self.listener.settings_changed(&before, &settings);
        self.set_problems(
            AppFile::Settings,
            with_permission_warning(settings.path(), settings.problems().to_vec()),
        );
        self.settings.store(Arc::new(settings));
    }

    /// The Problems of the three files now.
    pub fn problems(&self) -> Vec<Problem> {
        let problems = lock(&self.problems);
        problems.values().flatten().cloned().collect()
    }

    /// The Problems of the settings file now.
    pub fn settings_problems(&self) -> Vec<Problem> {
        let problems = lock(&self.problems);
        problems.get(&AppFile::Settings).cloned().unwrap_or_default()
    }

    /// Whether it is unknown what the settings want to mask. That is so if their file cannot be read now, or if a list
    /// of what to mask has an error.
    pub fn is_redaction_unknown(&self) -> bool {
        let problems = lock(&self.problems);
        problems
            .get(&AppFile::Settings)
            .is_some_and(|found| found.iter().any(|it| is_unreadable(it) || is_redaction_problem(it)))
    }

    /// The paths of the three files.
    pub fn paths(&self) -> Vec<PathBuf> {
        vec![
            self.settings().path().to_owned(),
            self.trust.path().to_owned(),
            self.mutes.path().to_owned(),
        ]
    }

    /// Reads the files again, because another program may have changed them. Returns what changed.
    pub fn refresh(&self) -> Changes {
        // A broken file approves nothing and mutes nothing. Its Problem is shown.
        let mut problems_changed = self.set_problems(AppFile::Trust, problems_of(self.trust.reload().err().as_ref()));
        let mutes = problems_of(self.mutes.reload().err().as_ref());
        problems_changed |= self.set_problems(AppFile::Mutes, with_permission_warning(self.mutes.path(), mutes));
        let now = (self.trust.approvals(), self.mutes.all());
        let before = std::mem::replace(&mut *lock(&self.reported), now.clone());
        Changes {
            hooks: problems_changed || before != now,
            settings: self.refresh_settings(),
            watch_mode: false,
        }
    }

    /// Reads the settings again. Returns whether anything changed. While the file does not parse, the former settings
    /// stay: a typing error must not expose secrets.
    fn refresh_settings(&self) -> bool {
        let now = self.settings();
        let next = Settings::read(now.path(), &self.env.home);
        if next.problems().iter().any(is_unreadable) {
            return self.set_problems(
                AppFile::Settings,
                with_permission_warning(next.path(), next.problems().to_vec()),
            );
        }
        let problems_changed = self.set_problems(
            AppFile::Settings,
            with_permission_warning(next.path(), next.problems().to_vec()),
        );
        if *now != next {
            self.apply(next);
            return true;
        }
        problems_changed
    }

    /// Stores the Problems of a file. Returns whether they changed.
    fn set_problems(&self, file: AppFile, found: Vec<Problem>) -> bool {
        let mut problems = lock(&self.problems);
        problems
            .insert(file, found.clone())
            .is_some_and(|before| before != found)
    }
}

/// Whether the whole file cannot be used.
fn is_unreadable(problem: &Problem) -> bool {
    problem.severity == Severity::Error && matches!(problem.code, Code::Syntax | Code::Unreadable)
}

/// Whether something that should be masked is not known.
fn is_redaction_problem(problem: &Problem) -> bool {
    let key = problem.args.get("key").and_then(serde_json::Value::as_str);
    problem.severity == Severity::Error && matches!(key, Some("redaction.keys" | "redaction.patterns"))
}

/// Adds the warning that the file belongs to another user, or that other users can write it.
fn with_permission_warning(path: &Path, mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.extend(locked_file::permission_warning(path));
    problems
}

fn problems_of(error: Option<&LockedFileError>) -> Vec<Problem> {
    error.into_iter().filter_map(LockedFileError::problem).collect()
}

/// The redactor of these settings. It also masks the values of secret-looking variables, and the secrets in the
/// settings.
fn redactor(env: &HostEnv, settings: &Settings) -> Redactor {
    let vars = env.vars.iter().map(|(name, value)| (name.clone(), value.clone()));
    // The model's key is a secret whatever its variable is called.
    let named = settings.model.api_key_env.as_deref().and_then(|name| env.var(name));
    let secrets = settings.secrets().chain(named.map(|key| ("api_key".to_owned(), key)));
    let secrets = secrets.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Redactor::new(vars.chain(secrets), &settings.redaction)
}
