//! The candidates of an event: hooks, each with its approval and its mute, and the check before each spawn.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_engine::Candidate;
use hookwright_model::{Hook, Layer};
use hookwright_workspace::Snapshot;
use hookwright_workspace::mutes::Mute;
use hookwright_workspace::trust::{ApprovalCheck, PassedContents};

use crate::app::App;
use crate::event_options::Consent;

/// The hooks of a dialect, each with what Hookwright knows about it: approval, mute, and which hook replaces which.
#[must_use]
pub fn candidates(app: &App, snapshot: &Snapshot, dialect: &str, consent: Consent) -> Vec<Candidate> {
    candidates_where(app, snapshot, dialect, consent, |_| true).0
}

/// Like [`candidates`], but trust is checked only for hooks that `asked` selects. The others count as
/// untrusted. Also returns the contents that passed.
pub(crate) fn candidates_where(
    app: &App,
    snapshot: &Snapshot,
    dialect: &str,
    consent: Consent,
    asked: impl Fn(&Hook) -> bool,
) -> (Vec<Candidate>, PassedContents) {
    let hooks = || snapshot.hooks(dialect).map(|hook| &**hook);
    let (trusted, passed) = match consent {
        Consent::Approvals => app.workspace.trust.check_gates(hooks, asked),
        Consent::Granted => (vec![Ok(()); hooks().count()], PassedContents::new()),
    };
    let muted = |hook| {
        app.workspace
            .muted(snapshot, hook)
            .map(|mute| mute.message(&app.workspace.clock().read()))
    };
    let mut candidates: Vec<Candidate> = snapshot
        .hooks(dialect)
        .zip(trusted)
        .map(|(hook, trusted)| Candidate::new(hook.clone(), trusted, muted(hook)))
        .collect();
    if let Some(replacements) = snapshot.replacements.get(dialect) {
        let is_approved = |settings: &Hook| match consent {
            Consent::Approvals => app.workspace.trust.check_gate(settings).is_ok(),
            Consent::Granted => true,
        };
        hookwright_engine::apply_replacements(&mut candidates, replacements, &is_approved);
    }
    (candidates, passed)
}

/// The own hooks of a session. Those that start something need an approval (`engine.md` §3).
pub(crate) fn session_candidates<'c>(
    app: &'c App,
    hooks: &'c [Arc<Hook>],
    consent: Consent,
) -> impl Iterator<Item = Candidate> + 'c {
    hooks.iter().map(move |hook| {
        let trusted = match consent {
            Consent::Approvals => app.check_session_hook(hook),
            Consent::Granted => Ok(()),
        };
        let muted = session_mute(app, hook, hooks).map(|mute| mute.message(&app.workspace.clock().read()));
        Candidate::new(hook.clone(), trusted, muted)
    })
}

/// The mute of a hook that an agent registered. `all` are the hooks of its session.
pub(crate) fn session_mute(app: &App, hook: &Hook, all: &[Arc<Hook>]) -> Option<Mute> {
    let all = all.iter().map(|hook| &**hook);
    app.workspace.mutes().muted(hook, all, &app.workspace.clock().read())
}

/// Sets gate `trusted` of user hooks that start content of a project, from the directory in which each would run.
/// When an event is fired, the pre-spawn check decides instead.
pub(crate) fn check_user_trust(
    app: &App,
    candidates: &mut [Candidate],
    project: &Path,
    start: impl Fn(&Hook) -> Option<PathBuf>,
) {
    let of_user = |candidate: &&mut Candidate| candidate.hook.source.layer == Layer::User;
    for candidate in candidates.iter_mut().filter(of_user) {
        let start = start(&candidate.hook);
        let bound = start.and_then(|start| app.workspace.trust.bind(&candidate.hook, project, &start));
        if let Some(bound) = bound {
            candidate.trusted = app.workspace.trust.check_gate(&bound);
        }
    }
}

/// The pre-spawn check of these candidates.
pub(crate) fn pre_spawn_check_for<'l>(
    app: &'l App,
    consent: Consent,
    project: &'l Path,
    candidates: &[Candidate],
    passed: PassedContents,
) -> ApprovalCheck<'l> {
    let hooks = candidates.iter().map(|candidate| &*candidate.hook);
    pre_spawn_check(app, consent, project, hooks, passed)
}

/// The pre-spawn check of these hooks.
pub(crate) fn pre_spawn_check<'l, 'h>(
    app: &'l App,
    consent: Consent,
    project: &'l Path,
    hooks: impl Iterator<Item = &'h Hook>,
    passed: PassedContents,
) -> ApprovalCheck<'l> {
    match consent {
        Consent::Approvals => ApprovalCheck::approved(&app.workspace.trust, project, passed),
        Consent::Granted => ApprovalCheck::granted(&app.workspace.trust, hooks),
    }
}
