//! Our own small files in a process that lives: what of them is in force, and what is wrong with them.

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
use crate::redact::Redactor;
use crate::settings::Settings;
use crate::trust::Trust;

/// A small file of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AppFile {
    Settings,
    Trust,
    Mutes,
}

/// Settings, approvals and mutes as they are in force, with everything that goes by the settings.
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
    /// Takes into force what was read.
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

    /// Takes changed settings into force.
    pub(crate) fn apply(&self, settings: Settings) {
        let before = self.settings();
        let models_differ = before.model != settings.model;
        // The list of projects changes often; nothing below depends on it.
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

    /// What is wrong with the files now.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.values().flatten().cloned().collect()
    }

    /// What is wrong with the settings.
    pub(crate) fn settings_problems(&self) -> Vec<Problem> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.get(&AppFile::Settings).cloned().unwrap_or_default()
    }

    /// Whether nobody knows what the settings want masked: their file cannot be read as it is now, or a list of what is to
    /// be masked in it has an error.
    pub(crate) fn is_redaction_unknown(&self) -> bool {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems
            .get(&AppFile::Settings)
            .is_some_and(|found| found.iter().any(|it| is_unreadable(it) || is_redaction_problem(it)))
    }

    /// The files.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        vec![
            self.settings().path().to_owned(),
            self.trust.path().to_owned(),
            self.mutes.path().to_owned(),
        ]
    }

    /// Reads the files again, after somebody else may have changed them. Returns what is shown otherwise now.
    pub(crate) fn refresh(&self) -> Vec<Topic> {
        let mut topics = BTreeSet::new();
        let before = (self.trust.approvals(), self.mutes.all());
        // A broken file trusts nothing and mutes nothing; who asks is told.
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

    /// While the file does not parse, what was in force stays: a slip of the pen must not let secrets through.
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

    /// Notes what is wrong with a file. Returns whether that is news.
    fn set_problems(&self, file: AppFile, found: Vec<Problem>) -> bool {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems
            .insert(file, found.clone())
            .is_some_and(|before| before != found)
    }
}

/// The whole file says nothing.
fn is_unreadable(problem: &Problem) -> bool {
    problem.severity == Severity::Error && matches!(problem.code, Code::Syntax | Code::Unreadable)
}

/// Something that was to be masked is not known.
fn is_redaction_problem(problem: &Problem) -> bool {
    let key = problem.args.get("key").and_then(serde_json::Value::as_str);
    problem.severity == Severity::Error && matches!(key, Some("redaction.keys" | "redaction.patterns"))
}

/// With the warning that others may write the file.
fn with_permission_warning(path: &Path, mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.extend(locked_file::permission_warning(path));
    problems
}

fn problems_of(error: Option<&LockedFileError>) -> Vec<Problem> {
    error.into_iter().filter_map(LockedFileError::problem).collect()
}

/// The engine's environment without the variable that holds the model's key (`engine.md` §8).
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

/// The redactor of these settings; it also masks the values of secret-looking variables and of the settings' own secrets.
fn redactor(env: &HostEnv, settings: &Settings) -> Redactor {
    let vars = env.vars.iter().map(|(name, value)| (name.clone(), value.clone()));
    // The model's key is a secret whatever its variable is called.
    let named = settings.model.api_key_env.as_deref().and_then(|name| env.var(name));
    let secrets = settings.secrets().chain(named.map(|key| ("api_key".to_owned(), key)));
    let secrets = secrets.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Redactor::new(vars.chain(secrets), &settings.redaction)
}
