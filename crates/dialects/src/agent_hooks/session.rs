//! What a session stores between events (`agent-hooks.md` §7.8, §9): how often this turn was continued.

use hookwright_model::event::EventSpec;
use hookwright_model::{Message, SessionState, VerdictKind, args};
use serde_json::Value;

use super::events::BEFORE_STOP;
use super::messages::answers::CONTINUATION_LIMIT;

/// The limit of continuations in one turn.
pub const MAX_CONTINUATIONS: u64 = 3;

const CONTINUATIONS_KEY: &str = "continuations";

fn continuations(state: &SessionState) -> u64 {
    state.get(CONTINUATIONS_KEY).and_then(Value::as_u64).unwrap_or(0)
}

/// Why a hook can no longer block the agent at this event.
#[must_use]
pub fn no_block_reason(event: &EventSpec, state: &SessionState) -> Option<Message> {
    (event.name == BEFORE_STOP && continuations(state) >= MAX_CONTINUATIONS)
        .then(|| CONTINUATION_LIMIT.render(args! { "count" => MAX_CONTINUATIONS }))
}

/// Updates the state for the next event.
pub fn remember(event: &EventSpec, verdict: VerdictKind, state: &mut SessionState) {
    let next = match event.name {
        BEFORE_STOP if verdict.blocks() => continuations(state) + 1,
        BEFORE_STOP | "session_start" | "before_agent" | "after_agent" => 0,
        _ => return,
    };
    state.insert(CONTINUATIONS_KEY.to_owned(), Value::from(next));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_hooks::events::CARD;

    fn event(name: &str) -> &'static EventSpec {
        CARD.event(name).unwrap()
    }

    #[test]
    fn the_fourth_block_of_a_turn_has_no_effect_and_the_count_restarts() {
        let mut state = SessionState::new();
        for _ in 0..3 {
            assert_eq!(no_block_reason(event("before_stop"), &state), None);
            remember(event("before_stop"), VerdictKind::Retry, &mut state);
            remember(event("after_tool"), VerdictKind::Proceed, &mut state);
        }
        let message = no_block_reason(event("before_stop"), &state).unwrap();
        assert_eq!(message.text, "3 continuations already in this turn");
        assert_eq!(no_block_reason(event("before_tool"), &state), None);
        remember(event("before_stop"), VerdictKind::Proceed, &mut state);
        assert_eq!(no_block_reason(event("before_stop"), &state), None);
    }

    #[test]
    fn a_new_turn_resets_the_count() {
        for name in ["session_start", "before_agent", "after_agent"] {
            let mut state = SessionState::from_iter([("continuations".to_owned(), Value::from(3))]);
            remember(event(name), VerdictKind::Proceed, &mut state);
            assert_eq!(no_block_reason(event("before_stop"), &state), None, "{name}");
        }
    }
}
