//! What a hook output does to a chain: edits for the next hook, additions, verdicts, and what a halt discards.

use std::sync::Arc;

use hookwright_model::{
    Additions, Decision, FieldEdit, Flow, HookOutput, Ignored, Merge, Message, MessageTemplate, Notice, NoticeKind,
    Outcome, Reasons, Verdict, VerdictKind, VerdictRule, args, render,
};
use serde_json::Value;

use super::{Added, Chain, EarlyEnd, OverriddenField};
use crate::messages;
use crate::permit::{Permitted, Replacement, permit};

impl Chain<'_> {
    /// Applies a hook output: first permit, then merge.
    pub(super) fn apply(&mut self, index: usize, answer: HookOutput) {
        let mut permitted = permit(self.spec, answer);
        for note in std::mem::take(&mut permitted.warnings) {
            let hook = self.steps[index].step.hook.clone();
            self.notices.push(Notice::warning(note, Some(&hook)));
        }
        self.apply_no_block(index, &mut permitted);
        let verdict = permitted.decision.as_ref().map(|ask| ask.kind);
        let halt = permitted.halt;
        let changed = if halt {
            self.apply_halt(index, permitted)
        } else {
            self.apply_edits(index, permitted)
        };
        let outcome = match verdict {
            Some(VerdictKind::Ask) => Outcome::Asked,
            Some(kind) if kind > VerdictKind::Ask => Outcome::Denied,
            Some(VerdictKind::Respond) => Outcome::Changed,
            Some(_) | None if changed => Outcome::Changed,
            Some(VerdictKind::Approve) => Outcome::Allowed,
            Some(_) | None => Outcome::NoOpinion,
        };
        self.finish_step(index, outcome);
    }

    /// Ignores decisions that would block, if hooks can no longer block at this event. A warning reports it.
    fn apply_no_block(&mut self, index: usize, permitted: &mut Permitted) {
        let Some(no_block_reason) = &self.no_block_reason else {
            return;
        };
        if let Some(ask) = permitted.decision.take_if(|ask| ask.kind.blocks()) {
            let hook = self.steps[index].step.hook.clone();
            permitted.halt = false;
            permitted.ignored.push(Ignored::new(ask.what, no_block_reason.clone()));
            self.notices.push(Notice::warning(no_block_reason.clone(), Some(&hook)));
        }
        permitted.other_decisions.retain(|ask| !ask.kind.blocks());
    }

    /// Applies the output of a hook that does not end the chain. Returns whether something differs from what the hook
    /// saw.
    fn apply_edits(&mut self, index: usize, permitted: Permitted) -> bool {
        let mut changed = false;
        self.steps[index].step.ignored.extend(permitted.ignored);
        for replacement in permitted.replacements {
            changed |= self.replace(index, replacement);
        }
        for (name, value, merge) in permitted.additions {
            changed |= self.add(index, name, value, merge);
        }
        if let Some(ask) = permitted.decision {
            self.decide(index, ask);
            for weaker in permitted.other_decisions {
                self.decide(index, weaker);
            }
            changed |= self.add_reply_fields(index, permitted.reply_fields);
        }
        changed
    }

    fn replace(&mut self, index: usize, replacement: Replacement) -> bool {
        let parts = replacement.parts();
        let mut changed = false;
        for (field, value) in &parts {
            let before = self.payload().get(field).cloned().unwrap_or(Value::Null);
            if before != *value {
                changed = true;
                self.steps[index].step.edits.push(FieldEdit {
                    field: field.clone(),
                    before,
                    after: value.clone(),
                    ..FieldEdit::default()
                });
            }
        }
        let fields: Vec<String> = parts.iter().map(|(field, _)| field.clone()).collect();
        // In a pipe the later hook has seen the earlier value. Elsewhere the earlier value is lost and is recorded as
        // ignored.
        if self.policy.flow != Flow::Pipe {
            self.override_fields(index, &fields, &replacement.value);
        }
        for (field, value) in parts {
            Arc::make_mut(&mut self.payload).insert(field, value);
        }
        let overridden = OverriddenField {
            state: index,
            value: replacement.value,
            fields,
            with_verdicts: replacement.output.with_verdicts,
        };
        self.replaced.insert(replacement.output.name, overridden);
        changed
    }

    fn override_fields(&mut self, by: usize, fields: &[String], value: &Value) {
        let lost: Vec<&'static str> = self
            .replaced
            .iter()
            .filter(|(_, overridden)| overridden.fields.iter().any(|field| fields.contains(field)))
            .map(|(name, _)| *name)
            .collect();
        for name in lost {
            if let Some(overridden) = self.replaced.shift_remove(name) {
                let why = render!(messages::REPLACED_BY, "hook" => self.steps[by].step.hook);
                self.steps[overridden.state].step.ignored.push(Ignored::new(name, why));
                if overridden.value != *value {
                    self.warn_race(messages::RACE_LAST, name, by, overridden.state);
                }
            }
        }
    }

    /// Warns that two hooks of one tier set the same, where the agent decides by their time.
    fn warn_race(&mut self, template: MessageTemplate, what: &str, kept: usize, lost: usize) {
        let tier = |index: usize| self.steps[index].planned.hook.tier;
        if !self.policy.races || kept == lost || tier(kept) != tier(lost) {
            return;
        }
        let id = |index: usize| self.steps[index].step.hook.clone();
        let message = template.render(args! { "what" => what, "kept" => id(kept), "lost" => id(lost) });
        self.notices.push(Notice::warning(message, Some(&id(kept))));
    }

    /// Adds the fields that belong to a decision in the reply.
    fn add_reply_fields(&mut self, index: usize, reply_fields: Vec<(String, Value)>) -> bool {
        let any = !reply_fields.is_empty();
        for (name, value) in reply_fields {
            self.record_addition(index, name, value, Merge::Last);
        }
        any
    }

    /// Merges a decision with those before it. Under [`VerdictRule::Strictest`] a stricter one stays.
    pub(super) fn decide(&mut self, index: usize, decision: Decision) {
        let (what, strictest) = (decision.what, decision.kind > self.verdict.kind);
        match self.policy.verdict_rule {
            VerdictRule::Last => {
                self.override_verdict(index);
                self.decided = Some((index, what));
                self.verdict = self.to_verdict(index, decision);
            }
            VerdictRule::Strictest | VerdictRule::StrictestKept(_) if strictest => {
                self.decided = Some((index, what));
                let spoken = self.to_verdict(index, decision);
                let before = std::mem::replace(&mut self.verdict, spoken);
                if before.kind > VerdictKind::Proceed {
                    self.below = Some(before);
                }
            }
            VerdictRule::StrictestKept(reasons) if decision.kind == self.verdict.kind => {
                let equal = std::mem::replace(&mut self.verdict, Verdict::proceed());
                self.verdict = self.merge_equal(reasons, equal, index, decision);
            }
            VerdictRule::StrictestKept(reasons) => match self.below.take() {
                Some(below) if decision.kind == below.kind => {
                    self.below = Some(self.merge_equal(reasons, below, index, decision));
                }
                Some(below) if decision.kind < below.kind => self.below = Some(below),
                Some(_) | None => self.below = Some(self.to_verdict(index, decision)),
            },
            VerdictRule::Strictest => {}
        }
    }

    /// Merges a decision with an equal one before it.
    fn merge_equal(&mut self, reasons: Reasons, mut before: Verdict, index: usize, decision: Decision) -> Verdict {
        let is_last = reasons == Reasons::LastDenial && decision.kind == VerdictKind::Deny;
        match reasons {
            Reasons::Lines => join_decision(&mut before, decision, "\n"),
            Reasons::Paragraphs => join_decision(&mut before, decision, "\n\n"),
            Reasons::Retries if decision.kind == VerdictKind::Retry => {
                join_decision(&mut before, decision, "\n\n");
            }
            Reasons::First | Reasons::LastDenial | Reasons::Retries => {
                let what = decision.what;
                let after = self.to_verdict(index, decision);
                let (kept, lost) = if is_last { (after, before) } else { (before, after) };
                let hook = kept.by.clone().unwrap_or_default();
                let place = |id: Option<&String>| self.steps.iter().position(|state| Some(&state.step.hook) == id);
                let both = place(kept.by.as_ref()).zip(place(lost.by.as_ref()));
                if let Some((winner, loser)) = both.filter(|_| lost.by != kept.by && lost.reason != kept.reason) {
                    let why = render!(messages::REPLACED_BY, "hook" => hook);
                    let what = if what.is_empty() { "reason" } else { what };
                    self.steps[loser].step.ignored.push(Ignored::new(what, why));
                    let template = if is_last {
                        messages::RACE_LAST
                    } else {
                        messages::RACE_FIRST
                    };
                    self.warn_race(template, what, winner, loser);
                }
                return kept;
            }
        }
        before
    }

    /// Ends the chain here. Earlier edits are dropped. Of this output only the decision and the messages have an effect
    /// (`jcli.md` §7.4).
    fn apply_halt(&mut self, index: usize, permitted: Permitted) -> bool {
        self.drop_earlier(index);
        self.steps[index].step.ignored.extend(permitted.ignored);
        let own = permitted
            .replacements
            .into_iter()
            .map(|replacement| replacement.output.name.to_owned());
        let mut lost: Vec<String> = own.collect();
        for (name, value, merge) in permitted.additions {
            if kept_after_halt(merge) {
                self.add(index, name, value, merge);
            } else {
                lost.push(name);
            }
        }
        let why = self.dropped_by(index);
        self.steps[index]
            .step
            .ignored
            .extend(lost.into_iter().map(|name| Ignored::new(name, why.clone())));
        self.decided = permitted.decision.as_ref().map(|ask| (index, ask.what));
        self.verdict = permitted
            .decision
            .map_or_else(Verdict::proceed, |ask| self.to_verdict(index, ask));
        self.add_reply_fields(index, permitted.reply_fields);
        self.early_end = Some(EarlyEnd::Ended {
            by: self.steps[index].step.hook.clone(),
        });
        false
    }

    fn add(&mut self, index: usize, name: String, value: Value, merge: Merge) -> bool {
        let empty = match &value {
            Value::String(text) => {
                text.is_empty() && matches!(merge, Merge::Join | Merge::JoinParagraphs | Merge::JoinNotice)
            }
            Value::Array(items) => items.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        };
        match merge {
            Merge::Join | Merge::JoinParagraphs | Merge::JoinNotice if empty => false,
            Merge::Notice | Merge::JoinNotice => {
                self.notify(index, &value);
                self.store_addition(index, name, value, merge);
                false
            }
            Merge::Append | Merge::Union if empty => {
                self.store_addition(index, name, value, merge);
                false
            }
            Merge::AnyTrue | Merge::Gather => {
                self.store_addition(index, name, value, merge);
                false
            }
            Merge::Record => false,
            Merge::Last => {
                self.override_addition(index, &name, &value);
                self.record_addition(index, name, value, merge);
                true
            }
            Merge::Append | Merge::Union | Merge::Join | Merge::JoinParagraphs => {
                self.record_addition(index, name, value, merge);
                true
            }
        }
    }

    fn notify(&mut self, index: usize, value: &Value) {
        self.notices.push(Notice {
            kind: NoticeKind::UserMessage,
            text: value.as_str().unwrap_or_default().to_owned(),
            hook: Some(self.steps[index].step.hook.clone()),
            code: None,
            args: hookwright_model::Args::new(),
        });
    }

    fn store_addition(&mut self, state: usize, name: String, value: Value, merge: Merge) {
        self.added.push(Added {
            state,
            name,
            value,
            merge,
        });
    }

    fn record_addition(&mut self, index: usize, name: String, value: Value, merge: Merge) {
        self.steps[index].step.edits.push(FieldEdit {
            field: name.clone(),
            before: Value::Null,
            after: value.clone(),
            ..FieldEdit::default()
        });
        self.store_addition(index, name, value, merge);
    }

    /// Drops earlier values of an addition, because the last one counts. They are recorded as ignored in their steps.
    fn override_addition(&mut self, by: usize, name: &str, value: &Value) {
        let hook = self.steps[by].step.hook.clone();
        let lost: Vec<(usize, bool)> = self
            .added
            .iter()
            .filter(|added| added.name == name)
            .map(|added| (added.state, added.value != *value))
            .collect();
        self.added.retain(|added| added.name != name);
        for (state, differs) in lost {
            let why = render!(messages::REPLACED_BY, "hook" => hook);
            self.steps[state].step.ignored.push(Ignored::new(name, why));
            if differs {
                self.warn_race(messages::RACE_LAST, name, by, state);
            }
        }
    }

    fn override_verdict(&mut self, by: usize) {
        if let Some((state, what)) = self.decided.take() {
            let why = render!(messages::REPLACED_BY, "hook" => self.steps[by].step.hook);
            self.steps[state].step.ignored.push(Ignored::new(what, why));
        }
    }

    fn to_verdict(&self, index: usize, decision: hookwright_model::Decision) -> Verdict {
        let ours = decision.default_message.filter(|_| decision.reason.is_none());
        Verdict {
            kind: decision.kind,
            reason: decision
                .reason
                .or_else(|| ours.as_ref().map(|message| message.text.clone())),
            feedback: decision.feedback,
            by: Some(self.steps[index].step.hook.clone()),
            code: ours.as_ref().map(|message| message.code.to_owned()),
            args: ours.map(|message| message.args).unwrap_or_default(),
        }
    }

    fn dropped_by(&self, index: usize) -> Message {
        render!(messages::DROPPED, "hook" => self.steps[index].step.hook)
    }

    /// Drops all earlier edits. Each one is also recorded in its step's `ignored` (`engine.md` §4).
    pub(super) fn drop_earlier(&mut self, by: usize) {
        let why = self.dropped_by(by);
        for index in 0..self.steps.len() {
            if index == by {
                continue;
            }
            let step = &mut self.steps[index].step;
            let already: Vec<String> = step.ignored.iter().map(|ignored| ignored.what.clone()).collect();
            let fields = step
                .edits
                .iter()
                .map(|edit| edit.field.clone())
                .filter(|field| !already.contains(field));
            let lost: Vec<Ignored> = fields.map(|field| Ignored::new(field, why.clone())).collect();
            step.ignored.extend(lost);
        }
        if let Some((state, what)) = self.decided.take()
            && self.policy.verdict_rule == VerdictRule::Last
        {
            self.steps[state].step.ignored.push(Ignored::new(what, why));
        }
        self.payload = self.original.clone();
        self.replaced.clear();
        self.added.retain(|added| kept_after_halt(added.merge));
    }

    /// Drops outputs that have no effect together with the verdict, and records them as ignored in their steps.
    pub(super) fn drop_incompatible(&mut self) {
        let kind = self.verdict.kind;
        let fits = |with_verdicts: &[VerdictKind]| with_verdicts.is_empty() || with_verdicts.contains(&kind);
        let mut lost: Vec<(usize, String)> = Vec::new();
        let original = &self.original;
        let payload = &mut self.payload;
        self.replaced.retain(|name, overridden| {
            if fits(overridden.with_verdicts) {
                return true;
            }
            for field in &overridden.fields {
                let payload = Arc::make_mut(payload);
                match original.get(field) {
                    Some(value) => payload.insert(field.clone(), value.clone()),
                    None => payload.shift_remove(field),
                };
            }
            lost.push((overridden.state, (*name).to_owned()));
            false
        });
        let spec = self.spec;
        self.added.retain(|added| {
            let stays = spec.output(&added.name).is_none_or(|output| fits(output.with_verdicts));
            if !stays {
                lost.push((added.state, added.name.clone()));
            }
            stays
        });
        for (state, what) in lost {
            let why = render!(messages::NOT_WITH_VERDICT, "verdict" => kind.as_str());
            self.steps[state].step.ignored.push(Ignored::new(what, why));
        }
    }

    pub(super) fn merge_additions(&self) -> Additions {
        let mut out = Additions::new();
        for added in &self.added {
            let value = added.value.clone();
            match out.get_mut(&added.name) {
                Some(overridden) => *overridden = merged(added.merge, Some(overridden.take()), value),
                None => {
                    out.insert(added.name.clone(), merged(added.merge, None, value));
                }
            }
        }
        out
    }
}

/// Whether an addition has an effect although its chain was ended by a halt.
fn kept_after_halt(merge: Merge) -> bool {
    match merge {
        Merge::Notice | Merge::JoinNotice => true,
        Merge::Append
        | Merge::Last
        | Merge::Join
        | Merge::JoinParagraphs
        | Merge::Union
        | Merge::AnyTrue
        | Merge::Gather
        | Merge::Record => false,
    }
}

/// Merges two values of one addition, the earlier one first.
fn merged(merge: Merge, before: Option<Value>, value: Value) -> Value {
    let list = |value: Value| match value {
        Value::Array(items) => items,
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => vec![other],
    };
    match (merge, before) {
        (Merge::Append | Merge::Gather, before) => {
            Value::Array(before.map(list).into_iter().flatten().chain(list(value)).collect())
        }
        (Merge::Union, before) => {
            let all = before.map(list).into_iter().flatten().chain(list(value));
            let mut once: Vec<Value> = Vec::new();
            all.for_each(|item| {
                if !once.contains(&item) {
                    once.push(item)
                }
            });
            Value::Array(once)
        }
        (Merge::Join | Merge::JoinParagraphs | Merge::JoinNotice, Some(Value::String(mut text))) => {
            text.push_str(if merge == Merge::JoinParagraphs { "\n\n" } else { "\n" });
            text.push_str(value.as_str().unwrap_or_default());
            Value::String(text)
        }
        (Merge::AnyTrue, Some(Value::Bool(true))) => Value::Bool(true),
        (
            Merge::Join
            | Merge::JoinParagraphs
            | Merge::JoinNotice
            | Merge::AnyTrue
            | Merge::Last
            | Merge::Notice
            | Merge::Record,
            _,
        ) => value,
    }
}

/// Joins the reasons of equal verdicts. The joined text is no longer one message with a code.
fn join_decision(verdict: &mut Verdict, decision: Decision, between: &str) {
    let ours = decision.default_message.map(|message| message.text);
    let more = decision.reason.or(ours);
    if more.is_some() && verdict.reason.is_some() {
        verdict.code = None;
        verdict.args.clear();
    }
    append(&mut verdict.reason, more, between);
    append(&mut verdict.feedback, decision.feedback, between);
}

fn append(text: &mut Option<String>, more: Option<String>, between: &str) {
    match (text.as_mut(), more) {
        (Some(text), Some(more)) => {
            text.push_str(between);
            text.push_str(&more);
        }
        (None, Some(more)) => *text = Some(more),
        (Some(_) | None, None) => {}
    }
}
