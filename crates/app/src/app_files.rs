//! Hookwright's app files in a running process: the values that apply now, and what is wrong with the files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use hookwright_exec::{Exec, GuardianProgram, ModelEndpoint};
use hookwright_model::{Code, Message, Problem, Severity};

use crate::history::History;
use crate::host_env::HostEnv;
use crate::locked_file::{self, LockedFileError};
use crate::mutes::Mutes;
use crate::pushes::Topic;
use crate::settings::Settings;
use crate::trust::Trust;
use hookwright_redact::Redactor;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AppFile {
    Settings,
    Trust,
    Mutes,
}

/// The current settings, approvals and mutes, with everything that depends on the settings.
#[derive(Debug)]
pub(crate) struct AppFiles {
    env: Arc<HostEnv>,
    pub(crate) exec: Exec,
    pub(crate) trust: Arc<Trust>,
    pub(crate) mutes: Mutes,
    history: Arc<History>,
    settings: ArcSwap<Settings>,
    redactor: ArcSwap<Redactor>,
    problems: Mutex<BTreeMap<AppFile, Vec<Problem>>>,
}

impl AppFiles {
    /// Applies what was read from the files.
    pub(crate) fn new(
        env: Arc<HostEnv>,
        settings: Settings,
        history: Arc<History>,
        (trust, trust_error): (Trust, Option<LockedFileError>),
        (mutes, mutes_error): (Mutes, Option<LockedFileError>),
    ) -> Self {
        let guardian = Some(env.program.clone())
            .filter(|program| !program.as_os_str().is_empty())
            .map(|program| GuardianProgram::new(program, env.run_dir()));
        let exec = Exec::new(hook_environment(&env, &settings), guardian);
        exec.use_model(model_endpoint(&env, &settings));
        env.set_skills_roots(&settings.watch.skills_roots);
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
            exec,
            trust: Arc::new(trust),
            mutes,
            history,
            redactor: ArcSwap::from_pointee(redactor(&env, &settings)),
            settings: ArcSwap::from_pointee(settings),
            problems: Mutex::new(problems),
            env,
        }
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.redactor.load_full()
    }

    /// Applies changed settings.
    pub(crate) fn apply(&self, settings: Settings) {
        let before = self.settings();
        let models_differ = before.model != settings.model;
        // The list of projects changes often. Nothing below depends on it.
        if models_differ {
            self.exec.use_environment(hook_environment(&self.env, &settings));
            self.exec.use_model(model_endpoint(&self.env, &settings));
        }
        self.env.set_skills_roots(&settings.watch.skills_roots);
        if models_differ || before.redaction != settings.redaction {
            self.redactor.store(Arc::new(redactor(&self.env, &settings)));
        }
        self.history.apply_settings(&settings);
        self.set_problems(
            AppFile::Settings,
            with_permission_warning(settings.path(), settings.problems().to_vec()),
        );
        self.settings.store(Arc::new(settings));
    }

    /// The Problems of the three files now.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.values().flatten().cloned().collect()
    }

    /// The Problems of the settings file now.
    pub(crate) fn settings_problems(&self) -> Vec<Problem> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.get(&AppFile::Settings).cloned().unwrap_or_default()
    }

    /// Whether it is unknown what the settings want to mask. That is so if their file cannot be read now, or if a list
    /// of what to mask has an error.
    pub(crate) fn is_redaction_unknown(&self) -> bool {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems
            .get(&AppFile::Settings)
            .is_some_and(|found| found.iter().any(|it| is_unreadable(it) || is_redaction_problem(it)))
    }

    /// The paths of the three files.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        vec![
            self.settings().path().to_owned(),
            self.trust.path().to_owned(),
            self.mutes.path().to_owned(),
        ]
    }

    /// Reads the files again, because another program may have changed them. Returns the topics whose data changed.
    pub(crate) fn refresh(&self) -> Vec<Topic> {
        let mut topics = BTreeSet::new();
        let before = (self.trust.approvals(), self.mutes.all());
        // A broken file approves nothing and mutes nothing. Its Problem is shown.
        let mut problems_changed = self.set_problems(AppFile::Trust, problems_of(self.trust.reload().err().as_ref()));
        let mutes = problems_of(self.mutes.reload().err().as_ref());
        problems_changed |= self.set_problems(AppFile::Mutes, with_permission_warning(self.mutes.path(), mutes));
        if problems_changed || before != (self.trust.approvals(), self.mutes.all()) {
            topics.extend([Topic::Hooks, Topic::Trust, Topic::State]);
        }
        if self.refresh_settings() {
            topics.extend([Topic::Settings, Topic::Projects, Topic::State]);
        }
        topics.into_iter().collect()
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
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
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

/// The engine's environment without the variable that contains the model's key (`engine.md` §8).
fn hook_environment(env: &HostEnv, settings: &Settings) -> Vec<(OsString, OsString)> {
    let secret = settings.model.api_key_env.as_deref();
    let inherited = env
        .vars
        .iter()
        .filter(|(name, _)| secret.is_none_or(|secret| name.as_os_str() != secret));
    inherited.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The endpoint for prompt hooks, or why there is none.
pub(crate) fn model_endpoint(env: &HostEnv, settings: &Settings) -> Result<ModelEndpoint, Message> {
    let config = settings.model_endpoint(|name| env.var(name))?;
    let key = config.api_key.map(|secret| secret.reveal().to_owned());
    Ok(ModelEndpoint::new(config.provider, &config.base_url, config.model, key))
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
