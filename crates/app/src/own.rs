//! Our own small files in a process that lives: what of them is in force, and what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use hookwright_exec::{Exec, GuardianProgram, ModelEndpoint};
use hookwright_model::{Code, Message, Problem, Severity};

use crate::history::History;
use crate::mutes::Mutes;
use crate::owned::{self, OwnedError};
use crate::pushes::Topic;
use crate::redact::Redactor;
use crate::settings::Settings;
use crate::surroundings::Surroundings;
use crate::trust::Trust;

/// A small file of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Own {
    Settings,
    Trust,
    Mutes,
}

/// Settings, approvals and mutes as they are in force, with everything that goes by the settings.
#[derive(Debug)]
pub(crate) struct OwnFiles {
    around: Arc<Surroundings>,
    pub(crate) exec: Exec,
    pub(crate) trust: Arc<Trust>,
    pub(crate) mutes: Mutes,
    history: Arc<History>,
    settings: ArcSwap<Settings>,
    redactor: ArcSwap<Redactor>,
    problems: Mutex<BTreeMap<Own, Vec<Problem>>>,
}

impl OwnFiles {
    /// Takes into force what was read.
    pub(crate) fn new(
        around: Arc<Surroundings>,
        settings: Settings,
        history: Arc<History>,
        (trust, trust_error): (Trust, Option<OwnedError>),
        (mutes, mutes_error): (Mutes, Option<OwnedError>),
    ) -> Self {
        let guardian = Some(around.program.clone())
            .filter(|program| !program.as_os_str().is_empty())
            .map(|program| GuardianProgram::new(program, around.run_dir()));
        let exec = Exec::new(hook_environment(&around, &settings), guardian);
        exec.use_model(model_endpoint(&around, &settings));
        around.use_skills_roots(&settings.watch.skills_roots);
        let problems = BTreeMap::from([
            (
                Own::Settings,
                with_shared(settings.path(), settings.problems().to_vec()),
            ),
            (Own::Trust, problems_of(trust_error.as_ref())),
            (Own::Mutes, with_shared(mutes.path(), problems_of(mutes_error.as_ref()))),
        ]);
        Self {
            exec,
            trust: Arc::new(trust),
            mutes,
            history,
            redactor: ArcSwap::from_pointee(redactor(&around, &settings)),
            settings: ArcSwap::from_pointee(settings),
            problems: Mutex::new(problems),
            around,
        }
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    pub(crate) fn redactor(&self) -> Arc<Redactor> {
        self.redactor.load_full()
    }

    /// Takes changed settings into force.
    pub(crate) fn take(&self, settings: Settings) {
        let before = self.settings();
        let models_differ = before.model != settings.model;
        // The list of projects changes often; nothing below depends on it.
        if models_differ {
            self.exec.use_environment(hook_environment(&self.around, &settings));
            self.exec.use_model(model_endpoint(&self.around, &settings));
        }
        self.around.use_skills_roots(&settings.watch.skills_roots);
        if models_differ || before.redaction != settings.redaction {
            self.redactor.store(Arc::new(redactor(&self.around, &settings)));
        }
        self.history.use_settings(&settings);
        self.found(
            Own::Settings,
            with_shared(settings.path(), settings.problems().to_vec()),
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
        problems.get(&Own::Settings).cloned().unwrap_or_default()
    }

    /// Whether nobody knows what the settings want masked: their file cannot be read as it is now, or a list of what is to
    /// be masked in it has an error.
    pub(crate) fn redaction_unknown(&self) -> bool {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems
            .get(&Own::Settings)
            .is_some_and(|found| found.iter().any(|it| is_unreadable(it) || is_of_redaction(it)))
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
    pub(crate) fn look_again(&self) -> Vec<Topic> {
        let mut topics = BTreeSet::new();
        let before = (self.trust.approvals(), self.mutes.all());
        // A broken file trusts nothing and mutes nothing; who asks is told.
        let mut told = self.found(Own::Trust, problems_of(self.trust.reload().err().as_ref()));
        let mutes = problems_of(self.mutes.reload().err().as_ref());
        told |= self.found(Own::Mutes, with_shared(self.mutes.path(), mutes));
        if told || before != (self.trust.approvals(), self.mutes.all()) {
            topics.extend([Topic::Hooks, Topic::Trust, Topic::State]);
        }
        if self.look_at_settings() {
            topics.extend([Topic::Settings, Topic::Projects, Topic::State]);
        }
        topics.into_iter().collect()
    }

    /// While the file does not parse, what was in force stays: a slip of the pen must not let secrets through.
    fn look_at_settings(&self) -> bool {
        let now = self.settings();
        let next = Settings::read(now.path(), &self.around.home);
        if next.problems().iter().any(is_unreadable) {
            return self.found(Own::Settings, with_shared(next.path(), next.problems().to_vec()));
        }
        let told = self.found(Own::Settings, with_shared(next.path(), next.problems().to_vec()));
        if *now != next {
            self.take(next);
            return true;
        }
        told
    }

    /// Notes what is wrong with a file. Returns whether that is news.
    fn found(&self, file: Own, found: Vec<Problem>) -> bool {
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
fn is_of_redaction(problem: &Problem) -> bool {
    let key = problem.args.get("key").and_then(serde_json::Value::as_str);
    problem.severity == Severity::Error && matches!(key, Some("redaction.keys" | "redaction.patterns"))
}

/// With the warning that others may write the file.
fn with_shared(path: &Path, mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.extend(owned::shared_problem(path));
    problems
}

fn problems_of(error: Option<&OwnedError>) -> Vec<Problem> {
    error.into_iter().filter_map(OwnedError::problem).collect()
}

/// The engine's environment without the variable that holds the model's key (`engine.md` §8).
fn hook_environment(around: &Surroundings, settings: &Settings) -> Vec<(OsString, OsString)> {
    let secret = settings.model.api_key_env.as_deref();
    let kept = around
        .vars
        .iter()
        .filter(|(name, _)| secret.is_none_or(|secret| name.as_os_str() != secret));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The endpoint for prompt hooks, or why there is none.
pub(crate) fn model_endpoint(around: &Surroundings, settings: &Settings) -> Result<ModelEndpoint, Message> {
    let config = settings.model(|name| around.var(name))?;
    let key = config.api_key.map(|secret| secret.reveal().to_owned());
    Ok(ModelEndpoint::new(config.provider, &config.base_url, config.model, key))
}

/// The redactor of these settings; it also masks the values of secret-looking variables and of the settings' own secrets.
fn redactor(around: &Surroundings, settings: &Settings) -> Redactor {
    let env = around.vars.iter().map(|(name, value)| (name.clone(), value.clone()));
    // The model's key is a secret whatever its variable is called.
    let named = settings.model.api_key_env.as_deref().and_then(|name| around.var(name));
    let own = settings.secrets().chain(named.map(|key| ("api_key".to_owned(), key)));
    let own = own.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Redactor::new(env.chain(own), &settings.redaction)
}
