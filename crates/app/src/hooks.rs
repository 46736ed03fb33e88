//! Showing hooks: the list, the text of one file, the explanation of an event. This module runs no hook.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookwright_dialects::suggest::nearest_event;
use hookwright_engine::{Candidate, plan};
use hookwright_model::{
    Call, Card, Dialect, DisabledReason, EVERY_EVENT, EventDefaults, EventSpec, ExplainDoc, Handler, Hook, HookRow,
    Layer, ListDoc, ListPosition, Merge, Message, OnFailure, OutputKind, OutputSpec, Payload, PeerCall, ProcessCall,
    args,
};

use crate::App;
use crate::dto::{
    DialectInfo, DialectsDoc, Empty, EventInfo, EventRequest, FieldInfo, OutputEffect, OutputInfo, ProjectRequest,
    TextDoc, TextRequest,
};
use crate::fault::{
    Fault, NO_SUCH_EVENT, NO_SUCH_EVENT_NEAR, PAYLOAD_REFUSED, UNFIRED_EVENT, UNKNOWN_DIALECT, UNKNOWN_EVENT,
    UNKNOWN_EVENT_NEAR,
};
use crate::library::Snapshot;
use crate::trust::PassedContents;

/// Whether approvals decide which hooks may run, or the user's `--trust` replaces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// A hook that needs an approval runs only with one.
    Approvals,
    /// `--trust` was given: every hook counts as trusted for this one call.
    Granted,
}

impl App {
    /// The command `hooks.list`: all hooks of a project.
    ///
    /// # Errors
    /// The project is not a directory.
    pub async fn hooks_list(&self, request: ProjectRequest) -> Result<ListDoc, Fault> {
        let open_project = self.open_project(Path::new(&request.project))?;
        Ok(self.list(&open_project.snapshot(), None, None))
    }

    /// Every hook of a snapshot, with Problems and shadowed entries (`CONTRACTS.md` §2.2). `dialect` and `event` select
    /// some of the hooks.
    #[must_use]
    pub fn list(&self, snapshot: &Snapshot, dialect: Option<&str>, event: Option<&str>) -> ListDoc {
        let mut hooks = Vec::new();
        for known in hookwright_dialects::all() {
            let card = known.card();
            if dialect.is_some_and(|wanted| wanted != card.id) {
                continue;
            }
            let mut candidates = self.candidates(snapshot, card.id, Consent::Approvals);
            self.check_user_trust(&mut candidates, &snapshot.project, |_| Some(snapshot.project.clone()));
            hooks.extend(self.rows(*known, snapshot, &candidates));
        }
        let is_for_event =
            |row: &HookRow, wanted: &str| row.event == wanted || row.serves.iter().any(|it| it == wanted);
        hooks.retain(|row: &HookRow| event.is_none_or(|wanted| is_for_event(row, wanted)));
        crate::open_project::compile_patterns(snapshot, &self.trust);
        let mut problems = snapshot.problems(&self.env, dialect);
        problems.extend(self.app_file_problems());
        ListDoc {
            hooks,
            problems,
            sources: snapshot.source_rows(dialect),
        }
    }

    fn rows(&self, dialect: &dyn Dialect, snapshot: &Snapshot, candidates: &[Candidate]) -> Vec<HookRow> {
        let positions = run_positions(dialect, candidates);
        let mut lists = list_positions(dialect, candidates);
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_key(|&index| candidates[index].hook.source.layer);
        order
            .into_iter()
            .map(|index| {
                let candidate = &candidates[index];
                let spec = dialect.card().event(&candidate.hook.event);
                let in_list = lists[index].take();
                self.row(dialect, snapshot, candidate, spec, positions[index], in_list)
            })
            .collect()
    }

    fn row(
        &self,
        dialect: &dyn Dialect,
        snapshot: &Snapshot,
        candidate: &Candidate,
        spec: Option<&'static EventSpec>,
        position: Option<u32>,
        in_list: Option<ListPosition>,
    ) -> HookRow {
        let hook = &candidate.hook;
        let mute = self.muted(snapshot, hook);
        let notify_only = spec.is_some_and(|spec| spec.notify_only);
        HookRow {
            hook: hook.id.clone(),
            dialect: hook.dialect.to_owned(),
            event: hook.event.clone(),
            label: hook.label.clone(),
            layer: hook.source.layer,
            path: hook.source.path.display().to_string(),
            line: hook.source.line,
            handler: hook.handler.as_str().to_owned(),
            filter: hook.filter.clone(),
            timeout_ms: to_ms(hook.timeout),
            // A notify-only event blocks nothing, whatever the definition contains (`engine.md` §4).
            on_failure: if notify_only { OnFailure::Open } else { hook.on_failure },
            rank: hook.rank,
            position,
            mode: hook.mode,
            enabled: hook.off.is_none() && hook.source.layer != Layer::Builtin,
            trusted: candidate.trusted.is_ok(),
            muted: mute.is_some(),
            muted_until: mute.and_then(|mute| mute.until).map(|until| until.to_string()),
            shadowed_by: match &hook.off {
                Some(DisabledReason::Shadowed(by)) => Some(by.clone()),
                Some(DisabledReason::Disabled(_) | DisabledReason::AgentOnly(_)) | None => None,
            },
            wrapped: hook.wrapped,
            valid: hook.invalid.is_none(),
            attempts: hook.attempts,
            version: hook.version(),
            definition: hook.definition.clone(),
            runs: runnable_text(&hook.handler),
            accepts: spec
                .map(|spec| spec.outputs.iter().map(|output| output.name.to_owned()).collect())
                .unwrap_or_default(),
            verdicts: spec.map(|spec| spec.verdicts.to_vec()).unwrap_or_default(),
            in_list,
            serves: match hook.event.as_str() {
                EVERY_EVENT => served_events(dialect, hook),
                _ => Vec::new(),
            },
        }
    }

    /// The hooks of a dialect, each with what Hookwright knows about it: approval, mute, and which hook replaces which.
    #[must_use]
    pub fn candidates(&self, snapshot: &Snapshot, dialect: &str, consent: Consent) -> Vec<Candidate> {
        self.candidates_where(snapshot, dialect, consent, |_| true).0
    }

    /// Like [`App::candidates`], but trust is checked only for hooks that `asked` selects. The others count as
    /// untrusted. Also returns the contents that passed.
    pub(crate) fn candidates_where(
        &self,
        snapshot: &Snapshot,
        dialect: &str,
        consent: Consent,
        asked: impl Fn(&Hook) -> bool,
    ) -> (Vec<Candidate>, PassedContents) {
        let hooks = || snapshot.hooks(dialect).map(|hook| &**hook);
        let (trusted, passed) = match consent {
            Consent::Approvals => self.trust.check_gates(hooks, asked),
            Consent::Granted => (vec![Ok(()); hooks().count()], PassedContents::new()),
        };
        let muted = |hook| self.muted(snapshot, hook).map(|mute| mute.message());
        let mut candidates: Vec<Candidate> = snapshot
            .hooks(dialect)
            .zip(trusted)
            .map(|(hook, trusted)| Candidate::new(hook.clone(), trusted, muted(hook)))
            .collect();
        if let Some(rivalry) = snapshot.replacements.get(dialect) {
            hookwright_engine::apply_replacements(&mut candidates, rivalry);
        }
        (candidates, passed)
    }

    /// Sets gate `trusted` of user hooks that start content of a project, from the directory in which each would run.
    /// When an event is fired, the pre-spawn check decides instead.
    fn check_user_trust(&self, candidates: &mut [Candidate], project: &Path, start: impl Fn(&Hook) -> Option<PathBuf>) {
        let of_user = |candidate: &&mut Candidate| candidate.hook.source.layer == Layer::User;
        for candidate in candidates.iter_mut().filter(of_user) {
            let start = start(&candidate.hook);
            let bound = start.and_then(|start| self.trust.bind(&candidate.hook, project, &start));
            if let Some(bound) = bound {
                candidate.trusted = self.trust.check_gate(&bound);
            }
        }
    }

    /// The command `explain`: which hooks would run for a payload, and what each gate decides.
    ///
    /// # Errors
    /// The dialect or the event is unknown, or the payload contradicts the event.
    pub async fn explain(&self, request: EventRequest) -> Result<ExplainDoc, Fault> {
        crate::fire::check_payload_limits(&request.payload)?;
        let open_project = self.open_project(Path::new(&request.project))?;
        self.explain_in(
            &open_project.snapshot(),
            &open_project.project,
            &request.dialect,
            &request.event,
            request.payload,
        )
    }

    /// Like [`App::explain`], for a given snapshot.
    ///
    /// # Errors
    /// The dialect or the event is unknown, or the payload contradicts the event.
    pub fn explain_in(
        &self,
        snapshot: &Snapshot,
        project: &Path,
        dialect: &str,
        event: &str,
        payload: Payload,
    ) -> Result<ExplainDoc, Fault> {
        let (dialect, spec) = find_event(dialect, event)?;
        let payload = self.accept(dialect, spec, payload, None, project)?;
        let mut candidates = self.candidates(snapshot, dialect.card().id, Consent::Approvals);
        let start = |hook: &Hook| match dialect.encode(hook, spec, &payload, project) {
            Call::Process(ProcessCall { cwd, .. }) | Call::Peer(PeerCall { cwd, .. }) => Some(cwd),
            Call::Prompt(_) | Call::Immediate(_) => None,
        };
        self.check_user_trust(&mut candidates, project, start);
        let mut steps = plan::explain(dialect, spec, &candidates, &payload);
        let gates = steps.iter_mut().flat_map(|step| &mut step.gates);
        gates.for_each(hookwright_redact::cut_gate);
        let mut doc = ExplainDoc {
            dialect: dialect.card().id.to_owned(),
            event: spec.name.to_owned(),
            payload,
            steps,
        };
        // What is shown is masked in the same way as what is recorded.
        self.redactor().explanation(&mut doc);
        Ok(doc)
    }

    /// Step 1 of an event (`engine.md` §1): fills in the common fields and refuses contradictions.
    ///
    /// # Errors
    /// The payload contradicts the event.
    pub fn accept(
        &self,
        dialect: &dyn Dialect,
        spec: &EventSpec,
        mut payload: Payload,
        session: Option<&str>,
        project: &Path,
    ) -> Result<Payload, Fault> {
        let defaults = EventDefaults {
            session_id: session.unwrap_or_default().to_owned(),
            cwd: project.to_owned(),
            now: self.now(),
        };
        dialect.accept(spec, &mut payload, &defaults).map_err(payload_refused)?;
        Ok(payload)
    }

    /// The command `hooks.text`: the text of one file, with its Problems.
    ///
    /// # Errors
    /// The project is not a directory, or the file belongs to none of its sources.
    pub async fn hooks_text(&self, request: TextRequest) -> Result<TextDoc, Fault> {
        let open_project = self.open_project(Path::new(&request.project))?;
        let snapshot = open_project.snapshot();
        let path = Path::new(&request.path);
        let source = snapshot
            .sources
            .iter()
            .find(|source| source.input_paths.iter().any(|input_path| input_path == path));
        let source =
            source.ok_or_else(|| Fault::from(crate::fault::UNKNOWN_HOOK.render(args! { "hook" => request.path })))?;
        let text = crate::library::read_tree(find_dialect(source.dialect)?, &source.root)
            .files
            .shift_remove(path)
            .and_then(|file| file.text.ok())
            .unwrap_or_default();
        let problems = snapshot
            .problems(&self.env, Some(source.dialect))
            .into_iter()
            .filter(|problem| problem.path == path)
            .collect();
        Ok(TextDoc {
            path: request.path,
            text,
            problems,
            last_good: source.last_good,
        })
    }

    /// The command `hooks.refresh`: requests that the files of all open projects are read again.
    ///
    /// # Errors
    /// Never.
    pub async fn hooks_refresh(&self, _: Empty) -> Result<Empty, Fault> {
        self.request_refresh();
        Ok(Empty {})
    }

    /// The command `dialects`: all dialects with their events, fields and lifecycle maps.
    ///
    /// # Errors
    /// Never.
    pub async fn dialects(&self, _: Empty) -> Result<DialectsDoc, Fault> {
        Ok(DialectsDoc {
            dialects: hookwright_dialects::all()
                .iter()
                .map(|dialect| dialect_info(*dialect))
                .collect(),
        })
    }
}

/// The list position of each candidate, for those that can be moved.
fn list_positions(dialect: &dyn Dialect, candidates: &[Candidate]) -> Vec<Option<ListPosition>> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let places = candidates.iter().map(|candidate| {
        let list = dialect.order_list(&candidate.hook)?;
        let position = counts.entry(list.clone()).and_modify(|count| *count += 1).or_insert(1);
        Some((list, *position))
    });
    let places: Vec<Option<(String, u32)>> = places.collect();
    let to_list_position = |(list, position): (String, u32)| ListPosition {
        count: counts.get(&list).copied().unwrap_or(position),
        list,
        place: position,
    };
    places
        .into_iter()
        .map(|position| position.map(to_list_position))
        .collect()
}

fn to_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A row contains at most this many characters of what a hook runs.
const MAX_RUNS_CHARS: usize = 4000;

/// What a hook runs, as its author wrote it.
fn runnable_text(handler: &Handler) -> Option<String> {
    let whole = match handler {
        Handler::Shell { command } => command.clone(),
        Handler::Script { entry } => entry.as_ref()?.display().to_string(),
        Handler::Peer { argv } => argv.join(" "),
        Handler::Module { path, .. } => path.display().to_string(),
        Handler::Callback { callback } => callback.clone(),
        Handler::Insert { text } => text.clone(),
        Handler::Prompt { template, .. } => template.clone(),
        Handler::Builtin => return None,
    };
    match whole.char_indices().nth(MAX_RUNS_CHARS) {
        Some((end, _)) => Some(format!("{}…", &whole[..end])),
        None => Some(whole),
    }
}

/// The events that a hook with event `*` serves.
fn served_events(dialect: &dyn Dialect, hook: &Hook) -> Vec<String> {
    let events = dialect.card().events.iter().filter(|event| hook.matches_event(event));
    events.map(|event| event.name.to_owned()).collect()
}

/// The position in run order of each candidate. Each event's hooks are ordered only once, however many there are.
fn run_positions(dialect: &dyn Dialect, candidates: &[Candidate]) -> Vec<Option<u32>> {
    let mut out = vec![None; candidates.len()];
    let events = dialect.card().events.iter();
    let named = events.clone().map(|spec| (spec.name, spec));
    // A hook of every notify-only event is ordered among the hooks that serve such an event.
    let every = events
        .clone()
        .find(|spec| spec.notify_only)
        .map(|spec| (EVERY_EVENT, spec));
    for (name, spec) in named.chain(every) {
        let mine = candidates.iter().enumerate().filter(|(_, candidate)| {
            candidate.hook.event == name || name != EVERY_EVENT && candidate.hook.matches_event(spec)
        });
        let (indexes, mine): (Vec<usize>, Vec<&Candidate>) = mine.unzip();
        for (index, place) in indexes.into_iter().zip(plan::positions(dialect, spec, &mine)) {
            // A hook with event `*` has one row. It shows the position among the hooks with that event.
            if candidates[index].hook.event == name {
                out[index] = place;
            }
        }
    }
    out
}

/// The dialect and the event with these names.
///
/// # Errors
/// The dialect or the event is unknown, or only the agent fires the event. For an unknown name, the error lists the
/// known names. For an event, it also contains the nearest one.
pub fn find_event(dialect: &str, event: &str) -> Result<(&'static dyn Dialect, &'static EventSpec), Fault> {
    let dialect = find_dialect(dialect)?;
    let card = dialect.card();
    let spec = card.event(event).ok_or_else(|| {
        if card.unfired.contains(&event) {
            return UNFIRED_EVENT.render(args! { "agent" => card.name, "event" => event });
        }
        let known: Vec<&str> = card.events.iter().map(|event| event.name).collect();
        let nearest = dialect
            .alias(event)
            .or_else(|| nearest_event(event, known.iter().copied()));
        let mut args = args! { "dialect" => card.id, "event" => event, "known" => known.join(", ") };
        match nearest {
            Some(nearest) => {
                args.insert("nearest".to_owned(), nearest.into());
                UNKNOWN_EVENT_NEAR.render(args)
            }
            None => UNKNOWN_EVENT.render(args),
        }
    })?;
    Ok((dialect, spec))
}

/// Checks that some dialect has an event of this name. `*` passes too.
///
/// # Errors
/// No dialect has it. The error contains a name that is near, if there is one.
pub fn check_event_name(event: &str) -> Result<(), Fault> {
    let dialects = || hookwright_dialects::all().iter();
    let knows = |card: &'static Card| card.event(event).is_some() || card.unfired.contains(&event);
    if event == EVERY_EVENT || dialects().any(|dialect| knows(dialect.card())) {
        return Ok(());
    }
    let named = |dialect: &&'static dyn Dialect| dialect.card().events.iter().map(|known| known.name);
    let nearest = nearest_event(event, dialects().flat_map(named));
    let knows_nearest =
        |dialect: &&&'static dyn Dialect| nearest.is_some_and(|name| dialect.card().event(name).is_some());
    let fault = match (nearest, dialects().find(knows_nearest)) {
        (Some(nearest), Some(dialect)) => {
            NO_SUCH_EVENT_NEAR.render(args! { "event" => event, "nearest" => nearest, "dialect" => dialect.card().id })
        }
        (_, _) => NO_SUCH_EVENT.render(args! { "event" => event }),
    };
    Err(fault.into())
}

/// The dialect with this id.
///
/// # Errors
/// The dialect is unknown. The error lists the known ids.
pub fn find_dialect(dialect: &str) -> Result<&'static dyn Dialect, Fault> {
    let known = || {
        hookwright_dialects::all()
            .iter()
            .map(|dialect| dialect.card().id)
            .collect::<Vec<_>>()
            .join(", ")
    };
    hookwright_dialects::find(dialect).ok_or_else(|| {
        UNKNOWN_DIALECT
            .render(args! { "dialect" => dialect, "known" => known() })
            .into()
    })
}

fn payload_refused(message: Message) -> Fault {
    PAYLOAD_REFUSED
        .render(args! { "why" => message.text, "why_message" => message.to_args() })
        .into()
}

fn dialect_info(dialect: &dyn Dialect) -> DialectInfo {
    let card = dialect.card();
    let kind = |kind: hookwright_model::FieldKind| {
        serde_json::to_value(kind)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    };
    let field = |spec: &hookwright_model::FieldSpec| FieldInfo {
        name: spec.name.to_owned(),
        kind: kind(spec.kind),
        about: spec.about.into(),
    };
    let events = card.events.iter().map(|event| EventInfo {
        name: event.name.to_owned(),
        group: event.group.into(),
        about: event.about.into(),
        notify_only: event.notify_only,
        fields: card.common.iter().chain(event.fields).map(field).collect(),
        accepts: event
            .outputs
            .iter()
            .map(|output| OutputInfo {
                name: output.name.to_owned(),
                kind: kind(output.kind),
                does: output_effect(output),
                about: output.about.into(),
            })
            .collect(),
        verdicts: event.verdicts.to_vec(),
        order: dialect.chain(event).order.rule().into(),
        budget_ms: dialect.chain(event).budget.map(to_ms),
    });
    DialectInfo {
        id: card.id.to_owned(),
        name: card.name.to_owned(),
        tag: card.tag.to_owned(),
        about: card.about.into(),
        first: card.first.to_owned(),
        switch: dialect.card().edit_support.switch.map(str::to_owned),
        shelves: dialect
            .card()
            .edit_support
            .shelves
            .iter()
            .map(|shelf| shelf.as_str().to_owned())
            .collect(),
        tool_field: card.tool_field.to_owned(),
        common: card.common.iter().map(|field| field.name.to_owned()).collect(),
        events: events.collect(),
        map: card.lifecycle_map.into(),
    }
}

fn output_effect(output: &OutputSpec) -> OutputEffect {
    match output.effect {
        // What is added together with a decision has an effect only with that decision.
        OutputKind::Add(_) if !output.with_verdicts.is_empty() => OutputEffect::Steers,
        OutputKind::Replace | OutputKind::ReplaceField(_) | OutputKind::ReplaceParts => OutputEffect::Replaces,
        OutputKind::Add(Merge::Notice | Merge::JoinNotice) => OutputEffect::Tells,
        OutputKind::Add(Merge::Record) => OutputEffect::Records,
        OutputKind::Add(Merge::AnyTrue) | OutputKind::Control => OutputEffect::Steers,
        OutputKind::Add(Merge::Append | Merge::Last | Merge::Join | Merge::Union | Merge::Gather) => OutputEffect::Adds,
    }
}
