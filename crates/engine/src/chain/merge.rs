//! What an answer does to a chain: edits that feed the next hook, additions, verdicts, and what a halt throws away.

use hookwright_model::{
    Additions, Answer, Edit, Ignored, Merge, Notice, NoticeKind, Outcome, Verdict, VerdictKind, Words, args,
};
use serde_json::Value;

use super::{Added, Chain, Over};
use crate::permit::{Permitted, permit};
use crate::sayings;

impl Chain {
    /// An answer: permit, then merge.
    pub(super) fn take(&mut self, index: usize, answer: Answer) {
        let permitted = permit(self.spec, answer);
        let verdict = permitted.ask.as_ref().map(|ask| ask.kind);
        let halt = permitted.halt;
        let changed = if halt {
            self.take_halting(index, permitted)
        } else {
            self.take_edits(index, permitted)
        };
        let outcome = match verdict {
            Some(VerdictKind::Ask) => Outcome::Asked,
            Some(kind) if kind > VerdictKind::Ask => Outcome::Denied,
            Some(VerdictKind::Respond) => Outcome::Changed,
            Some(_) | None if changed => Outcome::Changed,
            Some(VerdictKind::Approve) => Outcome::Allowed,
            Some(_) | None => Outcome::NoOpinion,
        };
        self.settle(index, outcome);
    }

    /// The chain goes on: edits feed the next hook. Returns whether something differs from what the hook saw.
    fn take_edits(&mut self, index: usize, permitted: Permitted) -> bool {
        let mut changed = false;
        self.slots[index].step.ignored.extend(permitted.ignored);
        for (name, value) in permitted.replaces {
            let before = self.payload.get(&name).cloned().unwrap_or(Value::Null);
            if before != value {
                changed = true;
                self.slots[index].step.edits.push(Edit {
                    field: name.clone(),
                    before,
                    after: value.clone(),
                    truncated: false,
                });
            }
            self.payload.insert(name.clone(), value.clone());
            self.replaced.insert(name, value);
        }
        for (name, value, merge) in permitted.adds {
            changed |= self.add(index, name, value, merge);
        }
        if let Some(ask) = permitted.ask {
            self.displace_verdict(index);
            self.decided = Some((index, ask.what));
            self.verdict = self.spoken(index, ask);
        }
        changed
    }

    /// The chain ends here: earlier edits are dropped, of this answer only decision and messages count (jcli.md §7.4).
    fn take_halting(&mut self, index: usize, permitted: Permitted) -> bool {
        self.drop_earlier(index);
        self.slots[index].step.ignored.extend(permitted.ignored);
        let own = permitted.replaces.into_iter().map(|(name, _)| name);
        let mut lost: Vec<String> = own.collect();
        for (name, value, merge) in permitted.adds {
            match merge {
                Merge::Notice => {
                    self.add(index, name, value, merge);
                }
                Merge::Append | Merge::Last => lost.push(name),
            }
        }
        let why = self.dropped_by(index);
        self.slots[index]
            .step
            .ignored
            .extend(lost.into_iter().map(|name| Ignored::new(name, why.clone())));
        self.decided = permitted.ask.as_ref().map(|ask| (index, ask.what));
        self.verdict = permitted
            .ask
            .map_or_else(Verdict::proceed, |ask| self.spoken(index, ask));
        self.over = Some(Over::Ended {
            by: self.slots[index].step.hook.clone(),
        });
        false
    }

    fn add(&mut self, index: usize, name: String, value: Value, merge: Merge) -> bool {
        match merge {
            Merge::Notice => {
                let text = value.as_str().unwrap_or_default().to_owned();
                let hook = Some(self.slots[index].step.hook.clone());
                self.notices.push(Notice {
                    kind: NoticeKind::UserMessage,
                    text,
                    hook,
                    code: None,
                    args: hookwright_model::Args::new(),
                });
                self.added.push(Added {
                    slot: index,
                    name,
                    value,
                    merge,
                });
                false
            }
            Merge::Last => {
                self.displace_addition(index, &name);
                self.record_addition(index, name, value, merge);
                true
            }
            Merge::Append => {
                if value.as_array().is_some_and(Vec::is_empty) {
                    self.added.push(Added {
                        slot: index,
                        name,
                        value,
                        merge,
                    });
                    return false;
                }
                self.record_addition(index, name, value, merge);
                true
            }
        }
    }

    fn record_addition(&mut self, index: usize, name: String, value: Value, merge: Merge) {
        self.slots[index].step.edits.push(Edit {
            field: name.clone(),
            before: Value::Null,
            after: value.clone(),
            truncated: false,
        });
        self.added.push(Added {
            slot: index,
            name,
            value,
            merge,
        });
    }

    /// The later value holds; the earlier one is said to be lost where it was asked for.
    fn displace_addition(&mut self, by: usize, name: &str) {
        let hook = self.slots[by].step.hook.clone();
        let lost: Vec<usize> = self
            .added
            .iter()
            .filter(|added| added.name == name)
            .map(|added| added.slot)
            .collect();
        self.added.retain(|added| added.name != name);
        for slot in lost {
            let why = sayings::REPLACED_BY.say(args! { "hook" => hook });
            self.slots[slot].step.ignored.push(Ignored::new(name, why));
        }
    }

    fn displace_verdict(&mut self, by: usize) {
        if let Some((slot, what)) = self.decided.take() {
            let why = sayings::REPLACED_BY.say(args! { "hook" => self.slots[by].step.hook });
            self.slots[slot].step.ignored.push(Ignored::new(what, why));
        }
    }

    fn spoken(&self, index: usize, ask: hookwright_model::Ask) -> Verdict {
        Verdict {
            kind: ask.kind,
            reason: ask.reason,
            feedback: ask.feedback,
            by: Some(self.slots[index].step.hook.clone()),
            code: None,
            args: hookwright_model::Args::new(),
        }
    }

    fn dropped_by(&self, index: usize) -> Words {
        sayings::DROPPED.say(args! { "hook" => self.slots[index].step.hook })
    }

    /// All earlier edits are dropped; each is repeated in its step's `ignored` (`engine.md` §4).
    pub(super) fn drop_earlier(&mut self, by: usize) {
        let why = self.dropped_by(by);
        for index in 0..self.slots.len() {
            if index == by {
                continue;
            }
            let step = &mut self.slots[index].step;
            let already: Vec<String> = step.ignored.iter().map(|ignored| ignored.what.clone()).collect();
            let fields = step
                .edits
                .iter()
                .map(|edit| edit.field.clone())
                .filter(|field| !already.contains(field));
            let lost: Vec<Ignored> = fields.map(|field| Ignored::new(field, why.clone())).collect();
            step.ignored.extend(lost);
        }
        if let Some((slot, what)) = self.decided.take() {
            self.slots[slot].step.ignored.push(Ignored::new(what, why));
        }
        self.payload = self.original.clone();
        self.replaced.clear();
        self.added.retain(|added| added.merge == Merge::Notice);
    }

    pub(super) fn merge_additions(&self) -> Additions {
        let mut out = Additions::new();
        for added in &self.added {
            match (added.merge, out.get_mut(&added.name), &added.value) {
                (Merge::Append, Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
                (Merge::Append | Merge::Last | Merge::Notice, _, value) => {
                    out.insert(added.name.clone(), value.clone());
                }
            }
        }
        out
    }
}
