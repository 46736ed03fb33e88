//! The tables of `skill.md` §3: the five checkpoints, their payload fields, and what is inserted there.

use hookwright_model::chain::{ChainPolicy, Flow, Order, VerdictRule};
use hookwright_model::event::OutputKind::Add;
use hookwright_model::event::{Bilingual, EventSpec, Merge, Payload};
use hookwright_model::{BrokenFile, Card, EditSupport, Lifetime, TargetLayer, ToldTurn, UserText, text};
use serde_json::{Value, json};

/// The dialect's name and tables.
pub static CARD: Card = Card {
    id: "skill",
    name: "Skill hooks",
    tag: "SK",
    about: text(
        "Texts of skills that are inserted into the message list before a model call and removed after it.",
        "在模型调用前插入消息列表、调用后移除的 Skill 文本。",
    ),
    common: &[MESSAGES, ENABLED_SKILLS],
    event_field: "",
    env_field: None,
    command: None,
    dir_vars: &[],
    first: AFTER_USER_INPUT,
    last: None,
    events: &EVENTS,
    settings: &[],
    location_vars: &[],
    aliases: &[],
    unfired: &[],
    tool_field: "tool_name",
    call_input: "",
    broken_file: BrokenFile::RunsNone,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[TargetLayer::Skill],
    },
    prompts: None,
    definition: &super::schema::DEFINITION,
    tool_calls: None,
    lifecycle_map: &super::lifecycle_map::LIFECYCLE_MAP,
    templates: include_str!("templates.yaml"),
    told_turns: &[
        (AFTER_USER_INPUT, ToldTurn::Begins(UserText::LastUserMessage)),
        (AFTER_TOOL_CALL, ToldTurn::CallInMessages),
    ],
    blocking_outputs: &[],
};

/// Fires once per request, after the messages are built.
pub const AFTER_USER_INPUT: &str = "after_user_input";
/// Fires before the planning call.
pub const BEFORE_PLANNING: &str = "before_planning";
/// Fires at every step of the loop.
pub const BEFORE_EACH_AGENT: &str = "before_each_agent";
/// Fires at the first step of the loop.
pub const BEFORE_FIRST_AGENT: &str = "before_first_agent";
/// Fires after a step's tools ran, once per call.
pub const AFTER_TOOL_CALL: &str = "after_tool_call";

hookwright_model::payload_fields! {
    MESSAGES = "messages", Messages, "the current message list" "当前消息列表";
    ENABLED_SKILLS = "enabled_skills", List,
        "the enabled skills in their order; without it, all skills found" "已启用的 Skill 及其顺序；缺省为找到的全部 Skill";
    TOOL_NAME = "tool_name", Text, "the tool that was called" "已调用的工具名";
}

hookwright_model::output_fields! {
    OUT_MESSAGES = "messages", Messages, Add(Merge::Append),
        "the hook's text, appended to the end of the list" "Hook 的文本，追加到消息列表末尾";
    OUT_PERSIST = "persist", List, Add(Merge::Gather),
        "a persistent text, which the front end stores" "持久 Hook 的文本，由前端保存";
}

const REQUEST: Bilingual = text("Request", "请求");
const PLANNING: Bilingual = text("Planning", "规划轮");
const LOOP: Bilingual = text("Agent loop", "Agent 循环");

/// What the events have in common.
const BASE: EventSpec = EventSpec {
    outputs: &[&OUT_MESSAGES, &OUT_PERSIST],
    ..EventSpec::base(ChainPolicy {
        order: Order::ByPlacement,
        flow: Flow::Pipe,
        verdict_rule: VerdictRule::Strictest,
        budget: None,
        races: false,
    })
};

static EVENTS: [EventSpec; 5] = hookwright_model::event_rows! {
    BASE AFTER_USER_INPUT, REQUEST, "once, after the messages are built; stays for the whole request" "消息构建完成后触发一次；整个请求可见",
        [], lifetime: Some(Lifetime::Request);
    BASE BEFORE_PLANNING, PLANNING, "before the planning call; removed right after it" "规划轮调用模型前；调用后立即移除", [],
        lifetime: Some(Lifetime::PlanningCall);
    BASE BEFORE_EACH_AGENT, LOOP, "at every step; removed just before the next step's insertion" "循环的每一步；下一步插入前移除", [],
        lifetime: Some(Lifetime::Step);
    BASE BEFORE_FIRST_AGENT, LOOP, "at the first step; removed after the loop" "循环的第一步；循环结束后移除", [],
        lifetime: Some(Lifetime::Loop);
    BASE AFTER_TOOL_CALL, LOOP, "after a step's tools ran, once per call; seen by the next step" "工具执行后，每次调用触发一次；下一步可见",
        [TOOL_NAME], subject: Some("tool_name"), lifetime: Some(Lifetime::NextCall);
};

/// A payload to try an event with: a conversation about two papers, up to this event.
#[must_use]
pub fn fixture(event: &EventSpec) -> Payload {
    let mut messages = vec![
        json!({"role": "system", "content": "You are a research assistant."}),
        json!({"role": "user", "content": "Compare the two cart papers."}),
    ];
    let mut payload = Payload::new();
    if event.name == AFTER_TOOL_CALL {
        messages.push(json!({
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_1", "name": "read_file", "arguments": r#"{"path":"carts-2024.md"}"#}]
        }));
        messages.push(json!({"role": "tool", "tool_call_id": "call_1", "content": "# Carts in 2024\n…\n[truncated]"}));
        payload.insert("tool_name".to_owned(), json!("read_file"));
    }
    payload.insert("messages".to_owned(), Value::Array(messages));
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_can_block_and_only_texts_are_returned() {
        for event in CARD.events {
            assert!(event.verdicts.is_empty() && !event.notify_only, "{}", event.name);
            let outputs: Vec<&str> = event.outputs.iter().map(|output| output.name).collect();
            assert_eq!(outputs, ["messages", "persist"], "{}", event.name);
        }
    }

    #[test]
    fn every_checkpoint_has_a_payload_to_try_it_with() {
        for event in CARD.events {
            let payload = fixture(event);
            assert!(payload["messages"].as_array().is_some_and(|list| list.len() >= 2));
            assert_eq!(payload.contains_key("tool_name"), event.name == AFTER_TOOL_CALL);
        }
        assert!(CARD.event(CARD.first).is_some());
    }
}
