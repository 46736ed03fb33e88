//! A scripted conversation from the recorded events of a session. What each event tells is in the card
//! ([`hookwright_model::Card::told_turns`]).

use hookwright_model::{Card, Payload, ToldTurn, ToolCall, Turn, TurnStep, UserText};
use serde_json::Value;

use crate::json;

/// The turns that the events of one session tell, each with its payload, oldest first. Each tool call that begins after another one ended is a new
/// step. Payloads are as they were recorded, so secrets are masked already.
#[must_use]
pub fn recorded_turns<'a>(card: &Card, events: impl IntoIterator<Item = (&'a str, &'a Payload)>) -> Vec<Turn> {
    let mut script = Script::default();
    for (event, payload) in events {
        if let Some((_, told)) = card.told_turns.iter().find(|(name, _)| *name == event) {
            script.add(card, *told, payload);
        }
    }
    script
        .turns
        .retain(|turn| !turn.user.is_empty() || !turn.steps.is_empty());
    script.turns
}

#[derive(Default)]
struct Script {
    turns: Vec<Turn>,
    /// The calls of the last step, by index, with whether each has ended.
    open: Vec<bool>,
}

impl Script {
    fn add(&mut self, card: &Card, told: ToldTurn, payload: &Payload) {
        let tool = &*text_of(payload.get(card.tool_field));
        match told {
            ToldTurn::Begins(user) => {
                self.begin_turn(user_text(user, payload));
                self.open.clear();
            }
            ToldTurn::CallBegins => self.begin_call(tool, arguments_of(payload.get(card.call_input)), None),
            ToldTurn::CallEnds { result } => {
                let value = payload.get(result).cloned().unwrap_or_else(|| Value::from(""));
                self.end_call(tool, |call| call.result = Some(value));
            }
            ToldTurn::CallFails { error } => {
                let text = text_of(payload.get(error));
                self.end_call(tool, |call| call.error = Some(text));
            }
            ToldTurn::CallInMessages => {
                let (arguments, result) = inserted_call(payload, tool);
                self.begin_call(tool, arguments, Some(result));
                self.open.fill(true);
            }
            ToldTurn::Replies { path } => {
                self.open.clear();
                let reply = text_of(at_path(payload, path));
                let steps = &mut self.turn().steps;
                if !reply.is_empty() && steps.last().is_none_or(|step| step.reply.as_ref() != Some(&reply)) {
                    steps.push(TurnStep {
                        calls: Vec::new(),
                        reply: Some(reply),
                    });
                }
            }
        }
    }

    fn begin_turn(&mut self, user: String) {
        self.turns.push(Turn {
            user,
            enable_tools: true,
            need_tool: true,
            steps: Vec::new(),
        });
    }

    /// The last turn. Events before the first message of the user belong to one without text.
    fn turn(&mut self) -> &mut Turn {
        if self.turns.is_empty() {
            self.begin_turn(String::new());
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }

    /// A call belongs to the step of a call that still runs, or of a reply that came directly before.
    fn begin_call(&mut self, tool: &str, arguments: Value, result: Option<Value>) {
        let runs_beside = self.open.contains(&false);
        let is_first = self.open.is_empty();
        let steps = &mut self.turn().steps;
        let call = ToolCall {
            tool: tool.to_owned(),
            arguments,
            result,
            error: None,
        };
        match steps.last_mut() {
            Some(step) if runs_beside || (is_first && step.calls.is_empty() && step.reply.is_some()) => {
                step.calls.push(call);
            }
            Some(_) | None => {
                steps.push(TurnStep {
                    calls: vec![call],
                    reply: None,
                });
                self.open.clear();
            }
        }
        self.open.push(false);
    }

    fn end_call(&mut self, tool: &str, end: impl FnOnce(&mut ToolCall)) {
        let Some(step) = self.turns.last_mut().and_then(|turn| turn.steps.last_mut()) else {
            return;
        };
        let mut calls = step.calls.iter_mut().zip(&mut self.open);
        if let Some((call, ended)) = calls.find(|(call, ended)| !**ended && call.tool == tool) {
            end(call);
            *ended = true;
        }
    }
}

fn user_text(user: UserText, payload: &Payload) -> String {
    match user {
        UserText::Unknown => String::new(),
        UserText::At(path) => text_of(at_path(payload, path)),
        UserText::LastUserMessage => {
            let is_user = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
            text_of(
                messages(payload)
                    .iter()
                    .rfind(is_user)
                    .and_then(|message| message.get("content")),
            )
        }
    }
}

fn at_path<'a>(payload: &'a Payload, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(payload.get(*first)?, |value, key| value.get(key))
}

/// A text as it is; anything else as its JSON.
fn text_of(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Arguments that an agent sends as text are JSON all the same.
fn arguments_of(value: Option<&Value>) -> Value {
    match value {
        None | Some(Value::Null) => Value::Object(serde_json::Map::new()),
        Some(Value::String(text)) => match json::read(text) {
            Ok(read @ (Value::Array(_) | Value::Object(_))) => read,
            Ok(_) | Err(_) => Value::String(text.clone()),
        },
        Some(other) => other.clone(),
    }
}

fn messages(payload: &Payload) -> &[Value] {
    payload
        .get("messages")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The last call of the tool in the message list, and what it returned.
fn inserted_call(payload: &Payload, tool: &str) -> (Value, Value) {
    let messages = messages(payload);
    let calls = messages
        .iter()
        .filter_map(|message| message.get("tool_calls")?.as_array())
        .flatten();
    let is_of_tool = |call: &&Value| call.get("name").and_then(Value::as_str) == Some(tool);
    let call = calls.rev().find(is_of_tool);
    let id = call.and_then(|call| call.get("id"));
    let result = messages
        .iter()
        .find(|message| id.is_some() && message.get("tool_call_id") == id);
    let content = result.and_then(|message| message.get("content")).cloned();
    (
        arguments_of(call.and_then(|call| call.get("arguments"))),
        content.unwrap_or_else(|| Value::from("")),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn turns(dialect: &str, events: &[(&str, Value)]) -> Value {
        let card = crate::find(dialect).expect("a dialect").card();
        let object = |payload: &'_ Value| payload.as_object().expect("an object").clone();
        let events: Vec<_> = events.iter().map(|(name, payload)| (*name, object(payload))).collect();
        let step = |step: &TurnStep| json!([step.reply, step.calls]);
        let turn = |turn: &Turn| json!([turn.user, turn.steps.iter().map(step).collect::<Vec<_>>()]);
        let turns = recorded_turns(card, events.iter().map(|(name, payload)| (*name, payload)));
        turns.iter().map(turn).collect()
    }

    #[test]
    fn a_session_of_j_cli_gives_its_messages_calls_and_replies() {
        let found = turns(
            "jcli",
            &[
                ("session_start", json!({"messages": []})),
                ("pre_send_message", json!({"user_input": "clean up"})),
                ("post_send_message", json!({"user_input": "clean up"})),
                ("post_llm_response", json!({"assistant_output": "I look first."})),
                (
                    "pre_tool_execution",
                    json!({"tool_name": "Bash", "tool_arguments": "{\"command\":\"ls\"}"}),
                ),
                (
                    "post_tool_execution",
                    json!({"tool_name": "Bash", "tool_result": "a.rs"}),
                ),
                (
                    "pre_tool_execution",
                    json!({"tool_name": "Bash", "tool_arguments": "not json"}),
                ),
                (
                    "post_tool_execution_failure",
                    json!({"tool_name": "Bash", "tool_error": "exit 1"}),
                ),
                ("post_llm_response", json!({"assistant_output": "Done."})),
                ("pre_send_message", json!({"user_input": "thanks"})),
            ],
        );
        let first = json!({"tool": "Bash", "arguments": {"command": "ls"}, "result": "a.rs"});
        let second = json!({"tool": "Bash", "arguments": "not json", "error": "exit 1"});
        assert_eq!(
            found,
            json!([
                [
                    "clean up",
                    [["I look first.", [first]], [null, [second]], ["Done.", []]]
                ],
                ["thanks", []],
            ])
        );
    }

    #[test]
    fn calls_beside_each_other_are_one_step() {
        for dialect in ["qoder", "claude-code", "codex"] {
            let found = turns(
                dialect,
                &[
                    ("UserPromptSubmit", json!({"prompt": "read both"})),
                    (
                        "PreToolUse",
                        json!({"tool_name": "Read", "tool_input": {"file_path": "a"}}),
                    ),
                    ("PreToolUse", json!({"tool_name": "Grep", "tool_input": {"q": "b"}})),
                    ("PostToolUse", json!({"tool_name": "Grep", "tool_response": [1]})),
                    ("PostToolUse", json!({"tool_name": "Read", "tool_response": "text"})),
                    ("Stop", json!({"last_assistant_message": "Both read."})),
                ],
            );
            let read = json!({"tool": "Read", "arguments": {"file_path": "a"}, "result": "text"});
            let grep = json!({"tool": "Grep", "arguments": {"q": "b"}, "result": [1]});
            assert_eq!(
                found,
                json!([["read both", [[null, [read, grep]], ["Both read.", []]]]]),
                "{dialect}"
            );
        }
    }

    #[test]
    fn a_session_of_skills_is_read_from_its_message_lists() {
        let user = json!({"role": "user", "content": "find it"});
        let call = json!({"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "grep", "arguments": "{\"q\":\"x\"}"}]});
        let result = json!({"role": "tool", "content": "3 hits", "tool_call_id": "c1"});
        let found = turns(
            "skill",
            &[
                ("after_user_input", json!({"messages": [user]})),
                (
                    "after_tool_call",
                    json!({"messages": [user, call, result], "tool_name": "grep"}),
                ),
            ],
        );
        let grep = json!({"tool": "grep", "arguments": {"q": "x"}, "result": "3 hits"});
        assert_eq!(found, json!([["find it", [[null, [grep]]]]]));
    }

    #[test]
    fn the_other_agents_tell_their_turns_too() {
        let before_tool = (
            "before_tool",
            json!({"tool_name": "t", "tool": "t", "tool_input": {}, "arguments": {}}),
        );
        let called = json!({"tool": "t", "arguments": {}, "result": "r"});
        let events = [
            before_tool.clone(),
            ("after_tool", json!({"tool_name": "t", "tool_output": "r"})),
            ("before_stop", json!({"final_message": "bye"})),
        ];
        assert_eq!(
            turns("agent-hooks", &events),
            json!([["", [[null, [called]], ["bye", []]]]])
        );
        let events = [
            ("turn_start", json!({"Payload": {"UserMessage": "hi"}})),
            before_tool,
            ("after_tool", json!({"tool": "t", "result": "r"})),
            ("after_llm", json!({"response": {"content": "bye"}})),
        ];
        assert_eq!(
            turns("picoclaw", &events),
            json!([["hi", [[null, [called]], ["bye", []]]]])
        );
    }

    #[test]
    fn events_that_say_nothing_give_no_turn() {
        assert_eq!(
            turns("jcli", &[("session_start", json!({})), ("session_end", json!({}))]),
            json!([])
        );
    }

    #[test]
    fn only_events_of_the_dialect_tell_something() {
        for dialect in crate::all() {
            let card = dialect.card();
            assert!(!card.told_turns.is_empty(), "{}", card.id);
            // The row is that of a family of agents; Codex alone fires no such event.
            for (event, _) in card
                .told_turns
                .iter()
                .filter(|(event, _)| *event != "PostToolUseFailure")
            {
                assert!(card.event(event).is_some(), "{} {event}", card.id);
            }
        }
    }
}
