//! What a session keeps between events (`agent-hooks.md` §7.8, §9): how often this turn was continued.

use hookwright_model::event::EventSpec;
use hookwright_model::{Message, SessionState, VerdictKind, args};
use serde_json::Value;

use super::events::BEFORE_STOP;
use super::messages::answers::CONTINUED;

/// A turn is continued this often.
pub const MOST_CONTINUATIONS: u64 = 3;

const KEY: &str = "continuations";

fn count(state: &SessionState) -> u64 {
    state.get(KEY).and_then(Value::as_u64).unwrap_or(0)
}

/// Why no hook may hold the agent at this event any more.
#[must_use]
pub fn bar(event: &EventSpec, state: &SessionState) -> Option<Message> {
    (event.name == BEFORE_STOP && count(state) >= MOST_CONTINUATIONS)
        .then(|| CONTINUED.render(args! { "count" => MOST_CONTINUATIONS }))
}

/// What this event leaves behind for the next one.
pub fn remember(event: &EventSpec, verdict: VerdictKind, state: &mut SessionState) {
    let next = match event.name {
        BEFORE_STOP if verdict.blocks() => count(state) + 1,
        BEFORE_STOP | "session_start" | "before_agent" | "after_agent" => 0,
        _ => return,
    };
    state.insert(KEY.to_owned(), Value::from(next));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_hooks::events::CARD;

    fn event(name: &str) -> &'static EventSpec {
        CARD.event(name).unwrap()
    }

    #[test]
    fn the_fourth_block_of_a_turn_is_let_through_and_the_count_begins_anew() {
        let mut state = SessionState::new();
        for _ in 0..3 {
            assert_eq!(bar(event("before_stop"), &state), None);
            remember(event("before_stop"), VerdictKind::Retry, &mut state);
            remember(event("after_tool"), VerdictKind::Proceed, &mut state);
        }
        let words = bar(event("before_stop"), &state).unwrap();
        assert_eq!(words.text, "3 continuations already in this turn");
        assert_eq!(bar(event("before_tool"), &state), None);
        remember(event("before_stop"), VerdictKind::Proceed, &mut state);
        assert_eq!(bar(event("before_stop"), &state), None);
    }

    #[test]
    fn a_new_turn_begins_with_nothing() {
        for name in ["session_start", "before_agent", "after_agent"] {
            let mut state = SessionState::from_iter([("continuations".to_owned(), Value::from(3))]);
            remember(event(name), VerdictKind::Proceed, &mut state);
            assert_eq!(bar(event("before_stop"), &state), None, "{name}");
        }
    }
}
