//! Health: whether each hook can do its work (`engine.md` §13). It is computed here only, and said alike by the list, by
//! explanations, by `status` and by the window.
//!
//! Nothing is run for it. What a hook's text shows comes from the problems of its dialect, and which of them is a fault
//! is a field of the problem. An unapproved hook is read like any other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    Args, Code, Diagnosis, EVERY_EVENT, Handler, Health, HealthFault, HealthState, Hook, HookId, Layer, Message,
    OnFailureEffect, Problem, StartFault, args, render,
};

use crate::host_env::HostEnv;
use crate::snapshot::{LoadedSource, Snapshot};

hookwright_model::messages! {
    /// A way to block is there and cannot be reached.
    NEVER_BLOCKS = "never_blocks" { "it never blocks", "从不拦截" };
    /// A guard refuses with an exit code that does not block.
    OTHER_CODE = "other_code" { "exit 1 does not block", "exit 1 不会拦截" };
    /// What a guard returns is dropped.
    ANSWER_DROPPED = "answer_dropped" { "its output is discarded", "其返回结果会被丢弃" };
    /// A hook that asks a model, and no model is configured.
    NO_MODEL = "no_model" / "hook" { "no model is configured", "未配置模型" } hint { "set up a model in the settings", "在设置中配置模型" };
    /// The last runs of a hook failed.
    FAILING = "failing" { "{failed} of {runs} runs failed", "{runs} 次执行中失败 {failed} 次" };
}

/// How the runs of one version of a hook ended lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedRuns {
    /// Runs that count.
    pub runs: u64,
    /// Those of them that failed or timed out.
    pub failed: u64,
}

/// A definition of a hook in its file, by which runs are counted. Its id moves with its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// The file.
    pub path: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// The version of the definition.
    pub version: String,
}

/// What the recorded runs say of hooks.
#[derive(Debug, Clone, Default)]
pub struct KnownRuns {
    /// The hooks whose last runs failed.
    pub failing: HashMap<RunKey, FailedRuns>,
    /// The hooks that denied or asked.
    pub blockers: HashSet<RunKey>,
}

impl KnownRuns {
    fn failing(&self, hook: &Hook) -> Option<FailedRuns> {
        let mut of_hook = self.failing.iter().filter(|(key, _)| key.is_of(hook));
        match hook.event.as_str() {
            EVERY_EVENT => of_hook.next().map(|(_, runs)| *runs),
            _ => self.failing.get(&RunKey::of(hook)).copied(),
        }
    }

    fn has_blocked(&self, hook: &Hook) -> bool {
        match hook.event.as_str() {
            EVERY_EVENT => self.blockers.iter().any(|key| key.is_of(hook)),
            _ => self.blockers.contains(&RunKey::of(hook)),
        }
    }
}

impl RunKey {
    fn of(hook: &Hook) -> Self {
        Self {
            path: hook.source.path.display().to_string(),
            event: hook.event.clone(),
            version: hook.version(),
        }
    }

    /// Whether it is of a hook that serves every event.
    fn is_of(&self, hook: &Hook) -> bool {
        self.version == hook.version() && hook.source.path.display().to_string() == self.path
    }
}

/// What the process knows in addition to the files.
#[derive(Debug, Clone, Default)]
pub struct RunKnowledge {
    /// What the recorded runs say.
    pub runs: Arc<KnownRuns>,
    /// Whether prompt hooks can ask a model.
    pub has_model: bool,
}

/// Approval and mute of a hook.
#[derive(Debug, Clone, Copy)]
pub struct HookConsent {
    /// Whether its content is approved, or needs no approval.
    pub trusted: bool,
    /// Whether the user muted it.
    pub muted: bool,
}

/// Everything about the hooks of a snapshot that their health depends on.
#[derive(Debug)]
pub struct HealthFacts {
    /// The faults and errors of each hook, the gravest first. A problem may name thousands of hooks, which share it.
    faults: HashMap<HookId, Vec<Fault>>,
    /// The guards, by id and event.
    guards: HashSet<(HookId, String)>,
    /// Hooks of an older version of their file, by id, with what is wrong with the file.
    held: HashMap<HookId, Health>,
    known: RunKnowledge,
}

/// A fault of a hook. Hooks that have one problem in common share it.
#[derive(Debug, Clone)]
struct Fault {
    state: HealthState,
    /// The code of that health, such as `never_blocks`.
    code: &'static str,
    args: Arc<Args>,
    problem: Arc<Problem>,
}

impl HealthFacts {
    /// Collects the facts of all hooks of a snapshot, or of those of one dialect.
    #[must_use]
    pub fn new(env: &HostEnv, snapshot: &Snapshot, dialect: Option<&str>, known: RunKnowledge) -> Self {
        let mut faults: HashMap<HookId, Vec<Fault>> = HashMap::new();
        let mut guards = HashSet::new();
        let is_wanted = |whose: &str| dialect.is_none_or(|wanted| wanted == whose);
        let mut add = |problem: &Arc<Problem>| {
            if problem.fault.is_none() {
                return;
            }
            // Of a problem that several hooks have in common, each has its own words and its own end.
            let single = match problem.merged.as_slice() {
                [] => std::slice::from_ref(problem),
                merged => merged,
            };
            for problem in single {
                let Some(HealthFault { state, code }) = problem.fault else {
                    continue;
                };
                let args = Arc::new(problem.args.clone());
                for hook in problem.hooks() {
                    faults.entry(hook.to_owned()).or_default().push(Fault {
                        state,
                        code,
                        args: args.clone(),
                        problem: problem.clone(),
                    });
                }
            }
        };
        let shared = |problem: &Problem| Arc::new(problem.clone());
        for source in snapshot.sources.iter().filter(|source| is_wanted(source.dialect)) {
            let of_source = source.problems.iter().filter(|problem| problem.fault.is_some());
            of_source.map(shared).for_each(|problem| add(&problem));
        }
        let across = snapshot.cross_file_results.iter();
        across
            .filter(|result| is_wanted(result.dialect))
            .for_each(|result| add(&shared(&result.problem)));
        for known_dialect in hookwright_dialects::all() {
            if is_wanted(known_dialect.card().id) {
                let lints = snapshot.lints.lints_for(env, snapshot, *known_dialect);
                lints.problems.iter().for_each(&mut add);
                guards.extend(lints.guards.iter().cloned());
            }
        }
        for list in faults.values_mut() {
            list.sort_by_key(|fault| fault.state);
        }
        let sources = snapshot.sources.iter().filter(|source| is_wanted(source.dialect));
        let held = sources.flat_map(held_hooks).collect();
        Self {
            faults,
            guards,
            held,
            known,
        }
    }

    /// Whether a hook is a guard.
    #[must_use]
    pub fn is_guard(&self, hook: &Hook) -> bool {
        let key = (hook.id.clone(), hook.event.clone());
        self.guards.contains(&key) || self.known.runs.has_blocked(hook)
    }

    /// What is known of a hook.
    #[must_use]
    pub fn diagnose(&self, hook: &Hook, consent: HookConsent) -> Diagnosis {
        let guard = self.is_guard(hook);
        Diagnosis {
            health: self.health(hook, guard, consent),
            guard,
            start_fault: self.start_fault(hook),
        }
    }

    /// The first row of the table of `engine.md` §13 that holds.
    #[must_use]
    pub fn health(&self, hook: &Hook, guard: bool, consent: HookConsent) -> Health {
        if let Some(lost) = self.lost(hook) {
            return lost;
        }
        if hook.disabled_reason.is_some() || hook.source.layer == Layer::Builtin || is_unsupported(hook) {
            return Health::of(HealthState::Off);
        }
        let faults = self.faults.get(&hook.id).map_or(&[][..], Vec::as_slice);
        let of_state = |state: HealthState| {
            let fault = faults.iter().find(|fault| fault.state == state)?;
            Some(Health::because(state, Some(fault.code.to_owned()), fault.args.clone()))
        };
        if let Some(health) = of_state(HealthState::CannotStart) {
            return health;
        }
        if self.lacks_model(hook) {
            let message = NO_MODEL.render_plain();
            return Health::because(HealthState::CannotStart, Some(message.code.to_owned()), message.args);
        }
        if let Some(health) = of_state(HealthState::Broken) {
            return health;
        }
        if let Some(runs) = self.known.runs.failing(hook) {
            let message = render!(FAILING, "runs" => runs.runs, "failed" => runs.failed);
            return Health::because(HealthState::Failing, Some(message.code.to_owned()), message.args);
        }
        Health::of(match consent {
            HookConsent { trusted: false, .. } => HealthState::NeedsReview,
            HookConsent { muted: true, .. } => HealthState::Muted,
            HookConsent { .. } if guard => HealthState::Unproven,
            HookConsent { .. } => HealthState::Ready,
        })
    }

    fn lost(&self, hook: &Hook) -> Option<Health> {
        if let Some(held) = self.held.get(&hook.id) {
            return Some(held.clone());
        }
        if let Some(why) = hook.invalid.as_ref().filter(|_| !is_unsupported(hook)) {
            let code = Some(why.code.to_owned());
            return Some(Health::because(HealthState::Lost, code, why.args.clone()));
        }
        let fires = hook.event == EVERY_EVENT
            || is_unsupported(hook)
            || find_dialect(hook.dialect).is_ok_and(|dialect| dialect.card().event(&hook.event).is_some());
        let code = Code::UnknownEvent.as_str().to_owned();
        (!fires).then(|| Health::because(HealthState::Lost, Some(code), args! { "event" => hook.event }))
    }

    fn lacks_model(&self, hook: &Hook) -> bool {
        matches!(hook.handler, Handler::Prompt { .. }) && !self.known.has_model
    }

    /// Why a hook cannot be started.
    fn start_fault(&self, hook: &Hook) -> Option<StartFault> {
        let event = find_dialect(hook.dialect).ok()?.card().event(&hook.event)?;
        if self.lacks_model(hook) {
            return Some(StartFault {
                why: NO_MODEL.render_plain(),
                effect: OnFailureEffect::of_failure(hook, event),
                fixes: Vec::new(),
            });
        }
        let faults = self.faults.get(&hook.id)?;
        let problem = faults.iter().map(|fault| &fault.problem).find(|it| it.stops_start())?;
        let exit = problem.args.get("exit").and_then(serde_json::Value::as_i64);
        let exit = exit.and_then(|code| i32::try_from(code).ok());
        let why = Message {
            code: problem.code.as_str(),
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        };
        Some(StartFault {
            why,
            effect: OnFailureEffect::of_exit(hook, event, exit),
            fixes: problem.fixes.clone(),
        })
    }
}

/// Whether Hookwright does not run the definition although the agent does.
fn is_unsupported(hook: &Hook) -> bool {
    let code = hook.invalid.as_ref().and_then(|why| Code::from_name(why.code));
    code == Some(Code::Unsupported)
}

/// The hooks that stay in force although their file no longer parses.
fn held_hooks(source: &LoadedSource) -> impl Iterator<Item = (HookId, Health)> + '_ {
    source.hooks.iter().filter_map(move |hook| {
        let health = source.older_health(&hook.source.path)?;
        Some((hook.id.clone(), health))
    })
}

/// How many hooks have each state.
#[must_use]
pub fn count_states<'h>(all: impl IntoIterator<Item = &'h Health>) -> BTreeMap<HealthState, u32> {
    let mut counts = BTreeMap::new();
    for health in all {
        *counts.entry(health.state).or_default() += 1;
    }
    counts
}
