//! What a conversation remembers between events (`agent-hooks.md` §7.8, §9): how often this turn was continued.

use hookwright_model::event::EventSpec;
use hookwright_model::{Conversation, ConversationRead, Payload, Trace, render};
use serde_json::{Value, json};

use super::events::BEFORE_STOP;
use super::messages::answers::CONTINUATION_LIMIT;

/// The limit of continuations in one turn.
pub const MAX_CONTINUATIONS: u64 = 3;

/// The present turn of a conversation.
#[derive(Debug, Default)]
pub struct TurnState {
    /// How many turns came before this one.
    turn: u64,
    /// How often a hook continued this turn.
    continuations: u64,
}

impl TurnState {
    fn begin_turn(&mut self) {
        self.turn += 1;
        self.continuations = 0;
    }
}

impl Conversation for TurnState {
    fn read(&self, event: &EventSpec, _payload: &Payload) -> ConversationRead {
        let is_over = event.name == BEFORE_STOP && self.continuations >= MAX_CONTINUATIONS;
        ConversationRead {
            no_block_reason: is_over.then(|| render!(CONTINUATION_LIMIT, "count" => MAX_CONTINUATIONS)),
            turn: self.turn,
        }
    }

    fn remember(&mut self, event: &EventSpec, read: &ConversationRead, trace: &mut Trace) {
        match event.name {
            // The turn of this chain is over already. Its continuation does not count in the present turn.
            BEFORE_STOP if read.turn != self.turn => {}
            BEFORE_STOP if trace.verdict.kind.blocks() => self.continuations += 1,
            BEFORE_STOP | "session_start" | "before_agent" | "after_agent" => self.begin_turn(),
            _ => {}
        }
    }

    fn to_json(&self) -> Value {
        json!({ "continuations": self.continuations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_hooks::events::CARD;
    use hookwright_model::VerdictKind;
    use hookwright_testkit::trace_with_verdict;

    fn event(name: &str) -> &'static EventSpec {
        CARD.event(name).unwrap()
    }

    /// A chain of this event begins, and ends with this verdict.
    fn fire(state: &mut TurnState, name: &str, verdict: VerdictKind) {
        let read = state.read(event(name), &Payload::new());
        state.remember(event(name), &read, &mut trace_with_verdict(name, verdict));
    }

    fn is_limited(state: &TurnState, name: &str) -> bool {
        state.read(event(name), &Payload::new()).no_block_reason.is_some()
    }

    #[test]
    fn the_fourth_block_of_a_turn_has_no_effect_and_the_count_restarts() {
        let mut state = TurnState::default();
        for _ in 0..3 {
            assert!(!is_limited(&state, "before_stop"));
            fire(&mut state, "before_stop", VerdictKind::Retry);
            fire(&mut state, "after_tool", VerdictKind::Proceed);
        }
        let message = state
            .read(event("before_stop"), &Payload::new())
            .no_block_reason
            .unwrap();
        assert_eq!(message.text, "3 continuations already in this turn");
        assert!(!is_limited(&state, "before_tool"));
        fire(&mut state, "before_stop", VerdictKind::Proceed);
        assert!(!is_limited(&state, "before_stop"));
    }

    #[test]
    fn a_new_turn_resets_the_count() {
        for name in ["session_start", "before_agent", "after_agent"] {
            let mut state = TurnState::default();
            for _ in 0..3 {
                fire(&mut state, "before_stop", VerdictKind::Retry);
            }
            assert!(is_limited(&state, "before_stop"), "{name}");
            fire(&mut state, name, VerdictKind::Proceed);
            assert!(!is_limited(&state, "before_stop"), "{name}");
        }
    }

    #[test]
    fn chains_side_by_side_are_each_counted_and_keep_what_they_read() {
        let mut state = TurnState::default();
        let stop = event("before_stop");
        let reads: Vec<ConversationRead> = (0..5).map(|_| state.read(stop, &Payload::new())).collect();
        assert!(reads.iter().all(|read| read.no_block_reason.is_none()));
        for read in &reads {
            state.remember(stop, read, &mut trace_with_verdict("before_stop", VerdictKind::Retry));
        }
        assert_eq!(state.to_json(), json!({"continuations": 5}));
        assert!(is_limited(&state, "before_stop"));
    }

    #[test]
    fn a_chain_that_outlives_its_turn_does_not_count_in_the_next_one() {
        let mut state = TurnState::default();
        let stop = event("before_stop");
        let old = state.read(stop, &Payload::new());
        fire(&mut state, "before_agent", VerdictKind::Proceed);
        fire(&mut state, "before_stop", VerdictKind::Retry);
        for verdict in [VerdictKind::Retry, VerdictKind::Proceed] {
            state.remember(stop, &old, &mut trace_with_verdict("before_stop", verdict));
            assert_eq!(state.to_json(), json!({"continuations": 1}), "{verdict:?}");
        }
    }
}
