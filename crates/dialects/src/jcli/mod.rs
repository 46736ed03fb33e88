//! j-cli: hooks that rewrite a conversation field by field (`jcli.md`).
//!
//! What it deliberately does not do: it runs nothing and reads no file; it translates. How it works: [`events`] are the
//! tables, [`config`] and [`definition`] read files, [`wire`], [`prompt`] and [`answer`] speak with hooks, [`lint`]
//! gives advice.

mod answer;
mod config;
mod definition;
mod edit;
pub mod events;
mod fixtures;
pub mod lint;
mod map;
mod prompt;
pub mod sayings;
mod simulate;
mod wire;

use std::path::Path;
use std::time::Duration;

use futures::future::BoxFuture;
use hookwright_model::event::{EventSpec, Facts, Payload};
use hookwright_model::{
    Additions, Call, Card, ChainPolicy, Counts, Decides, Decoded, Dialect, EditDesk, EditPlan, Editing, End, Flow,
    Ground, Handler, Hook, Intention, Layer, LifeMap, LintDesk, Order, Outcome, Parsed, Places, Played, Problem, Reply,
    Resolution, Root, Run, Saying, Scenario, Shelf, SourceTree, Stage, VerdictKind, Words,
};

pub use prompt::PLACEHOLDERS;

pub(crate) use crate::near::nearest;

/// j-cli.
#[derive(Debug, Clone, Copy)]
pub struct Jcli;

/// Time for a whole chain (`jcli.md` §7).
pub const BUDGET: Duration = Duration::from_secs(30);

impl Dialect for Jcli {
    fn card(&self) -> &'static Card {
        &events::CARD
    }

    fn map(&self) -> &'static LifeMap {
        &map::MAP
    }

    fn chain(&self, _event: &EventSpec) -> ChainPolicy {
        ChainPolicy {
            order: Order::LayersThenDeclared,
            flow: Flow::Pipe,
            decides: Decides::Last,
            budget: Some(BUDGET),
        }
    }

    fn roots(&self, places: &Places, ground: &dyn Ground) -> Vec<Root> {
        config::roots(places, ground)
    }

    fn parse(&self, tree: &SourceTree) -> Parsed {
        config::parse(tree)
    }

    fn edit(&self, desk: &EditDesk<'_>, intention: &Intention) -> Option<Result<EditPlan, Words>> {
        Some(edit::edit(desk, intention))
    }

    fn claims(&self, path: &Path, places: &Places) -> Option<Root> {
        config::claims(path, places)
    }

    fn editing(&self) -> Editing {
        Editing {
            switch: None,
            shelves: &[Shelf::User, Shelf::Project],
        }
    }

    fn list_of(&self, hook: &Hook) -> Option<String> {
        let (list, _) = hook.id.rsplit_once(':')?;
        matches!(hook.source.layer, Layer::User | Layer::Project).then(|| list.to_owned())
    }

    fn misplaced(&self, places: &Places) -> Option<Words> {
        config::relative_place(places).map(|(words, _)| words)
    }

    fn lint(&self, desk: &LintDesk<'_>) -> Vec<Problem> {
        let place = config::relative_place(desk.places);
        let place = place.map(|(words, path)| Problem::new(words, &path, None));
        place.into_iter().chain(lint::lint(desk)).collect()
    }

    fn accept(&self, event: &EventSpec, payload: &mut Payload, facts: &Facts) -> Result<(), Words> {
        wire::accept(event, payload, facts)
    }

    fn encode(&self, hook: &Hook, event: &EventSpec, payload: &Payload, project: &Path) -> Call {
        wire::encode(hook, event, payload, project)
    }

    fn decode(&self, hook: &Hook, event: &EventSpec, _payload: &Payload, run: &Run) -> Decoded {
        answer::decode(hook, event, run)
    }

    fn fold(&self, event: &EventSpec, payload: &mut Payload, additions: &Additions) {
        wire::fold(event, payload, additions);
    }

    fn closed(&self, _hook: &Hook, failure: &Words, _end: Option<End>) -> (VerdictKind, Words) {
        (VerdictKind::Stop, failure.clone())
    }

    fn reply(&self, event: &EventSpec, resolution: &Resolution) -> Reply {
        wire::reply(event, resolution)
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn native(&self, counts: &Counts) -> Vec<(&'static str, f64)> {
        vec![
            ("executions", counts.attempts as f64),
            ("successes", counts.successes as f64),
            ("failures", counts.failures as f64),
            ("skipped", counts.of(&[Outcome::NotMatched]) as f64),
            ("total_duration_ms", counts.total_ms),
        ]
    }

    fn fixture(&self, event: &EventSpec) -> Payload {
        fixtures::fixture(event)
    }

    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        stage: &'a mut dyn Stage,
        played: &'a mut Played,
    ) -> BoxFuture<'a, Result<(), Words>> {
        simulate::simulate(scenario, stage, played)
    }
}

/// What j-cli itself calls a hook in its metrics (`jcli.md` §10): the command, or the first line of the prompt.
#[must_use]
pub fn native_label(hook: &Hook) -> String {
    match &hook.handler {
        Handler::Shell { command } => command.clone(),
        Handler::Prompt { template, .. } => crate::shell::first_line(template, definition::LABEL_BYTES),
        Handler::Script { .. }
        | Handler::Peer { .. }
        | Handler::Module { .. }
        | Handler::Callback { .. }
        | Handler::Insert { .. }
        | Handler::Builtin => hook.label.clone(),
    }
}

/// Every sentence of this dialect.
#[must_use]
pub fn sayings() -> Vec<&'static Saying> {
    [sayings::ALL, sayings::answers::ALL, lint::sayings::ALL, edit::ALL].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookwright_model::problem::Code;

    #[test]
    fn sentences_about_files_have_codes_of_the_table() {
        for saying in sayings::ALL.iter().chain(lint::sayings::ALL).chain(crate::yaml::ALL) {
            assert!(Code::of(saying.code).is_some(), "{}", saying.key());
        }
    }

    #[test]
    fn every_event_has_a_payload_to_try_it_with() {
        for event in events::CARD.events {
            let payload = Jcli.fixture(event);
            for field in event.fields {
                let value = payload
                    .get(field.name)
                    .unwrap_or_else(|| panic!("{} lacks {}", event.name, field.name));
                assert_ne!(value, "", "{} {}", event.name, field.name);
            }
            assert_eq!(payload.len(), event.fields.len(), "{}", event.name);
        }
    }
}
