//! Compares a hook's filter with recorded events, one after another.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hookwright_model::trace::{NearMiss, Step, Trace};
use hookwright_model::{Card, Condition, EventSpec, Hook, HookId, Match, Message};
use serde_json::Value;

use crate::dto::{HistoryMatchDoc, HistoryMatchRequest, HookEvent, MatchedEvent, NearTrace, NearValue, SeenValue};

/// At most this many examples of each kind are named.
const MAX_EXAMPLES: usize = 5;
/// At most this many values that occur are listed.
const MAX_VALUES: usize = 12;
/// A longer text is not a name that a condition would contain. Characters.
const MAX_VALUE: usize = 120;
/// After this time no further event is read. Payloads may be large, and patterns slow.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// A comparison that is going on.
pub struct MatchCount {
    /// The condition, compiled for this comparison only.
    when: Condition,
    /// Whether the hook listens to the event (gate `event`).
    serves: bool,
    /// The hook, if its steps are wanted.
    listed: Option<ListedHook>,
    /// What is counted for the cells, if they are wanted.
    cells: Option<CellCount>,
    doc: HistoryMatchDoc,
    /// Why the filter cannot be used.
    broken: Option<Message>,
    started: Instant,
}

/// The hook whose steps are listed.
struct ListedHook {
    id: HookId,
    uid: String,
}

impl ListedHook {
    /// Old traces name no identity, and hooks of a session have none.
    fn is_of(&self, step: &Step) -> bool {
        if step.uid.is_empty() || self.uid.is_empty() {
            step.hook == self.id
        } else {
            step.uid == self.uid
        }
    }
}

struct CellCount {
    tool_field: &'static str,
    /// The payload fields that the dialect's conditions compare at the event.
    fields: Vec<&'static str>,
    seen: BTreeMap<(&'static str, String), u32>,
    near: Vec<NearValue>,
}

impl MatchCount {
    /// Begins a comparison of this hook with traces of this event.
    pub fn begin(hook: &Hook, card: &Card, spec: &EventSpec, request: &HistoryMatchRequest) -> Self {
        let mut when = hook.when.compiled_copy();
        when.clauses
            .retain(|clause| !request.without.iter().any(|key| key == clause.key));
        let filters = card.definition.filters();
        let mut fields: Vec<&'static str> = filters.iter().filter_map(|filter| filter.spec.field_at(spec)).collect();
        fields.dedup();
        Self {
            when,
            serves: hook.matches_event(spec),
            listed: (request.hook.is_some() && request.events == Some(true)).then(|| ListedHook {
                id: hook.id_at(spec),
                uid: hook.uid.clone(),
            }),
            cells: (request.cells == Some(true)).then(|| CellCount {
                tool_field: card.tool_field,
                fields,
                seen: BTreeMap::new(),
                near: Vec::new(),
            }),
            doc: HistoryMatchDoc::default(),
            broken: None,
            started: Instant::now(),
        }
    }

    /// Compares one trace.
    pub fn add(&mut self, trace: &Trace) -> ControlFlow<()> {
        self.list(trace);
        if trace.payload_before.is_empty() {
            self.doc.without_payload += 1;
            self.add_cell(trace, None, None);
            return ControlFlow::Continue(());
        }
        self.doc.looked_at += 1;
        match self.when.explain(&trace.payload_before) {
            _ if !self.serves => self.add_cell(trace, Some(false), None),
            Match::Yes => {
                self.doc.matches += 1;
                if self.doc.matched.len() < MAX_EXAMPLES {
                    self.doc.matched.push(trace.trace.clone());
                }
                self.add_cell(trace, Some(true), None);
            }
            Match::No { near, why } => {
                if let Some(near_miss) = near {
                    self.add_near(trace, near_miss, &why);
                }
                self.add_cell(trace, Some(false), near);
            }
            Match::Broken(why) => {
                self.broken = Some(why);
                return ControlFlow::Break(());
            }
        }
        if self.started.elapsed() < TIME_LIMIT {
            return ControlFlow::Continue(());
        }
        self.doc.incomplete = true;
        ControlFlow::Break(())
    }

    /// The reply.
    ///
    /// # Errors
    /// The filter cannot be used.
    pub fn end(mut self) -> Result<HistoryMatchDoc, Message> {
        if let Some(why) = self.broken {
            return Err(why);
        }
        if let Some(cells) = self.cells {
            let mut near = cells.near;
            near.sort_by_key(|one| std::cmp::Reverse(one.count));
            near.truncate(MAX_EXAMPLES);
            let mut seen: Vec<SeenValue> = cells
                .seen
                .into_iter()
                .map(|((field, value), count)| SeenValue {
                    field: field.to_owned(),
                    value,
                    count,
                })
                .collect();
            seen.sort_by_key(|one| std::cmp::Reverse(one.count));
            seen.truncate(MAX_VALUES);
            self.doc.near_values = near;
            self.doc.values = seen;
        }
        Ok(self.doc)
    }

    fn add_near(&mut self, trace: &Trace, near_miss: NearMiss, why: &Message) {
        if self.doc.near.len() < MAX_EXAMPLES {
            let trace = trace.trace.clone();
            self.doc.near.push(NearTrace { trace, near_miss });
        }
        let Some(cells) = &mut self.cells else { return };
        let (Some(key), Some(got)) = (text_of(why.args.get("key")), text_of(why.args.get("got"))) else {
            return;
        };
        let known = cells
            .near
            .iter_mut()
            .find(|one| one.key == key && one.got == got && one.near_miss == near_miss);
        match known {
            Some(one) => one.count += 1,
            None => cells.near.push(NearValue {
                key: key.to_owned(),
                got: got.to_owned(),
                near_miss,
                count: 1,
            }),
        }
    }

    fn add_cell(&mut self, trace: &Trace, matches: Option<bool>, near_miss: Option<NearMiss>) {
        let Some(cells) = &mut self.cells else { return };
        for field in &cells.fields {
            if let Some(value) = text_of(trace.payload_before.get(*field)) {
                *cells.seen.entry((field, value.to_owned())).or_default() += 1;
            }
        }
        self.doc.cells.push(MatchedEvent {
            trace: trace.trace.clone(),
            at: trace.at,
            matches,
            near_miss,
            tool: text_of(trace.payload_before.get(cells.tool_field)).map(str::to_owned),
        });
    }

    /// Adds what the hook did at an event, if that is wanted.
    fn list(&mut self, trace: &Trace) {
        let Some(hook) = &self.listed else { return };
        let step = trace.steps.iter().find(|step| hook.is_of(step));
        let failed = step.and_then(|step| step.gates.iter().find(|gate| !gate.pass));
        let reasons = &mut self.doc.reasons;
        let reason = failed.map(|gate| {
            reasons.iter().position(|known| known == gate).unwrap_or_else(|| {
                reasons.push(gate.clone());
                reasons.len() - 1
            })
        });
        self.doc.events.push(HookEvent {
            trace: trace.trace.clone(),
            at: trace.at,
            outcome: step.map(|step| step.outcome),
            reason: reason.map(|index| u32::try_from(index).unwrap_or(u32::MAX)),
        });
    }
}

/// The value as a short text; `None` if it is anything else.
fn text_of(value: Option<&Value>) -> Option<&str> {
    value?
        .as_str()
        .filter(|text| !text.is_empty() && text.chars().nth(MAX_VALUE).is_none())
}
