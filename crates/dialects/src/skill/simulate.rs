//! Simulates the flow of a request (`skill.md` §3, §9). Every step of it is in the seed's flowchart.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::simulate::CALLS_UNPLAYED;
use hookwright_model::{
    ChatMessage, Hook, HookId, Life, LlmCall, Message, MessageOrigin, Notice, Persisted, Placement, RequestBegin,
    RequestList, Scenario, SimulationHost, SimulationResult, TextInsertion, ToolCall, Turn, TurnStep, render,
};
use serde_json::Value;

use super::Skill;
use super::events::{AFTER_TOOL_CALL, AFTER_USER_INPUT, BEFORE_EACH_AGENT, BEFORE_FIRST_AGENT, BEFORE_PLANNING, CARD};
use super::message_list::MessageList;
use super::wire::is_persistent;
use crate::simulation::{self, CallIds, TrackedMessage, TurnScript};

/// Under this key the front end stores which hook a text came from.
const HOOK_NAME_KEY: &str = "_hook";

impl Life for Skill {
    fn placement(&self, hook: &Hook, payload: &Payload) -> Placement {
        super::wire::placement(hook, payload)
    }

    fn warnings_before(&self, _event: &EventSpec, payload: &Payload, hooks: &[&Hook]) -> Vec<Message> {
        super::wire::warnings_before(payload, hooks)
    }

    fn begin_request(&self, begin: RequestBegin) -> Option<Result<Box<dyn RequestList>, Message>> {
        let list = super::message_list::MessageList::begin(begin);
        Some(list.map(|list| Box::new(list) as Box<dyn RequestList>))
    }

    /// Simulates a scenario, one request per turn.
    fn simulate<'a>(
        &'a self,
        scenario: &'a Scenario,
        host: &'a mut dyn SimulationHost,
        result: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>> {
        let simulation = Simulation {
            scenario,
            host,
            result,
            front_end_messages: scenario
                .messages
                .iter()
                .cloned()
                .map(PersistedMessage::from_message)
                .collect(),
            persisted_insertions: Vec::new(),
            references: Vec::new(),
            message_list: MessageList::default(),
            ids: CallIds::default(),
            turn_number: 0,
        };
        simulation.run().boxed()
    }
}

/// A message that the front end stores.
struct PersistedMessage {
    message: ChatMessage,
    /// The hook that inserted it, if that happened in this simulation. A message of the scenario only names its hook.
    hook: Option<HookId>,
    /// The index of the insertion that it is a copy of.
    insertion: Option<u32>,
}

impl PersistedMessage {
    fn from_message(message: ChatMessage) -> Self {
        Self {
            message,
            hook: None,
            insertion: None,
        }
    }
}

struct Simulation<'a> {
    scenario: &'a Scenario,
    host: &'a mut dyn SimulationHost,
    result: &'a mut SimulationResult,
    /// The messages that the front end stores between requests.
    front_end_messages: Vec<PersistedMessage>,
    /// The index of the insertion of each persisted text, in the same order.
    persisted_insertions: Vec<u32>,
    /// The trace and the reference of each insertion, in the same order.
    references: Vec<(String, String)>,
    message_list: MessageList,
    ids: CallIds,
    /// The number of the turn, from 1.
    turn_number: u32,
}

impl Simulation<'_> {
    async fn run(mut self) -> Result<(), Message> {
        for turn in &self.scenario.turns {
            self.turn_number += 1;
            self.result.turns.push(self.host.fired_events());
            let persisted_before = self.result.persisted.len();
            let reply = self.run_request(turn).await?;
            self.record_final_messages();
            let user = ChatMessage::new("user", turn.user.as_str());
            let persisted = self
                .result
                .persisted
                .iter()
                .zip(&self.persisted_insertions)
                .skip(persisted_before);
            let persisted = persisted.map(|(text, &insertion)| PersistedMessage {
                message: to_stored_message(text),
                hook: Some(self.result.insertions[insertion as usize].hook.clone()),
                insertion: Some(insertion),
            });
            let reply = reply.map(|text| ChatMessage::new("assistant", text));
            self.front_end_messages.push(PersistedMessage::from_message(user));
            self.front_end_messages
                .extend(persisted.chain(reply.map(PersistedMessage::from_message)));
        }
        Ok(())
    }

    /// One request, from the built list to the reply.
    async fn run_request(&mut self, turn: &Turn) -> Result<Option<String>, Message> {
        let mut lines = self.history();
        lines.push(TrackedMessage::new(
            ChatMessage::new("user", turn.user.as_str()),
            MessageOrigin::User,
        ));
        self.message_list = MessageList::new(lines, self.scenario.enabled_skills.clone());
        self.insert(AFTER_USER_INPUT, None).await?;
        if !turn.enable_tools {
            self.record_llm_call("direct");
            return Ok(self.direct_reply(turn));
        }
        self.insert(BEFORE_PLANNING, None).await?;
        let prompts = &self.scenario.prompts;
        let planning = prompt(prompts.planning.as_deref(), "[planning_prompt]");
        let planning = self.message_list.insert_prompt(&planning, None);
        self.record_llm_call("planning");
        self.remove_prompt(&planning);
        self.remove(BEFORE_PLANNING);
        if !turn.need_tool {
            return Ok(self.direct_reply(turn));
        }
        let reply = self.agent_loop(turn).await?;
        self.remove(BEFORE_FIRST_AGENT);
        self.remove(AFTER_TOOL_CALL);
        Ok(reply)
    }

    /// The reply of a turn without a loop. Such a turn calls no tool, so calls in the scenario are reported.
    fn direct_reply(&mut self, turn: &Turn) -> Option<String> {
        if turn.steps.iter().any(|step| !step.calls.is_empty()) {
            let message = render!(CALLS_UNPLAYED, "turn" => self.turn_number);
            self.result.notices.push(Notice::warning(message, None));
        }
        turn.steps.iter().find_map(|step| step.reply.clone())
    }

    async fn agent_loop(&mut self, turn: &Turn) -> Result<Option<String>, Message> {
        let mut script = TurnScript::new(turn, self.turn_number);
        while let Some((number, step)) = script.next_step() {
            self.remove(BEFORE_EACH_AGENT);
            self.insert(BEFORE_EACH_AGENT, None).await?;
            let prompts = &self.scenario.prompts;
            let mut step_prompt = prompt(prompts.agent_loop.as_deref(), "[agent_loop_prompt]");
            if number == 1 {
                step_prompt = prompt(prompts.first_step.as_deref(), "[first_step_prompt]");
                self.insert(BEFORE_FIRST_AGENT, None).await?;
            }
            let step_prompt = self.message_list.insert_prompt(&step_prompt, None);
            self.record_llm_call(&format!("step {number}"));
            if step.calls.is_empty() {
                self.remove_prompt(&step_prompt);
                return Ok(step.reply.clone());
            }
            self.run_tools(step).await?;
            self.remove_prompt(&step_prompt);
        }
        self.result.notices.push(script.ended_notice());
        Ok(None)
    }

    /// Runs the tools of a step. Then the texts of earlier calls are removed, and those of each new call are inserted.
    async fn run_tools(&mut self, step: &TurnStep) -> Result<(), Message> {
        let calls: Vec<(String, &ToolCall)> = self.ids.assign(&step.calls).into_iter().zip(&step.calls).collect();
        let text = step.reply.clone().unwrap_or_default();
        self.message_list.push(simulation::assistant_message(&text, &calls));
        for (id, call) in &calls {
            let content = call.error.clone().unwrap_or_else(|| call.result_text());
            self.message_list.push(simulation::tool_result(id, content));
        }
        self.remove(AFTER_TOOL_CALL);
        for (_, call) in &calls {
            self.insert(AFTER_TOOL_CALL, Some(&call.tool)).await?;
        }
        Ok(())
    }

    /// Fires a checkpoint: its hooks insert texts, and the front end receives the persistent ones.
    async fn insert(&mut self, timing: &'static str, tool: Option<&str>) -> Result<(), Message> {
        let payload = self.message_list.payload(tool);
        let event = self.host.fired_events();
        let trace = self.host.fire(timing, payload).await?;
        let injected = self.message_list.insert(&trace, &self.host.hooks());
        for text in injected.appended {
            let insertion = u32::try_from(self.result.insertions.len()).unwrap_or(u32::MAX);
            self.message_list.set_insertion(&text, insertion);
            if text.persistent {
                self.persisted_insertions.push(insertion);
            }
            let step = trace.steps.iter().find(|step| step.hook == text.hook);
            self.result.insertions.push(TextInsertion {
                label: step.map(|step| step.label.clone()).unwrap_or_default(),
                hook: text.hook,
                event,
                turn: self.turn_number,
                lifetime: CARD.event(timing).and_then(|spec| spec.lifetime),
                persistent: text.persistent,
                removed_by: None,
            });
            self.references.push((text.trace, text.reference));
        }
        self.result.persisted.extend(injected.persist);
        Ok(())
    }

    fn remove(&mut self, timing: &str) {
        let by = format!("remove({timing})");
        for removed in self.message_list.remove(timing) {
            let mut known = self.references.iter().zip(&mut self.result.insertions);
            let is_it =
                |(trace, reference): &(String, String)| *trace == removed.trace && *reference == removed.reference;
            if let Some((_, insertion)) = known.find(|(known, _)| is_it(known)) {
                insertion.removed_by = Some(by.clone());
            }
            self.host
                .removed(&removed.trace, &removed.hook, &removed.reference, &by);
        }
    }

    fn remove_prompt(&mut self, reference: &str) {
        if let Err(message) = self.message_list.remove_prompt(reference) {
            self.result.notices.push(Notice::warning(message, None));
        }
    }

    /// Records what the model sees now.
    fn record_llm_call(&mut self, label: &str) {
        self.result.llm_calls.push(LlmCall {
            turn: self.turn_number,
            label: label.to_owned(),
            events: self.host.fired_events(),
            messages: simulation::seen_messages(&self.message_list.tracked_messages()),
        });
    }

    fn record_final_messages(&mut self) {
        self.result.final_messages = simulation::seen_messages(&self.message_list.tracked_messages());
    }

    /// The messages that the front end sends again. A hook's text names the hook that inserted it.
    fn history(&self) -> Vec<TrackedMessage> {
        let hooks = self.host.hooks();
        let enabled = |hook: &&Hook| {
            let named = self.scenario.enabled_skills.as_ref();
            hook.disabled_reason.is_none() && named.is_none_or(|named| named.contains(&super::config::skill_name(hook)))
        };
        let valid_persistent = |hook: &&Hook| hook.invalid.is_none() && is_persistent(hook);
        let id = |name: &str| {
            let mut named: Vec<&&Hook> = hooks.iter().filter(|hook| hook.label == name).collect();
            // Only persistent texts come back. Their skill may have been enabled only in an earlier request.
            named.sort_by_key(|hook| (!valid_persistent(hook), !enabled(hook)));
            named.first().map_or_else(|| name.to_owned(), |hook| hook.id.clone())
        };
        let messages: Vec<ChatMessage> = self
            .front_end_messages
            .iter()
            .map(|kept| kept.message.clone())
            .collect();
        let lines = simulation::history_messages(&messages)
            .into_iter()
            .zip(&self.front_end_messages);
        let line = |(mut line, stored): (TrackedMessage, &PersistedMessage)| {
            let named = line.message.rest.get(HOOK_NAME_KEY).and_then(Value::as_str);
            line.hook = stored.hook.clone().or_else(|| named.map(id));
            line.insertion = stored.insertion;
            line
        };
        lines.map(line).collect()
    }
}

fn prompt(given: Option<&str>, placeholder: &str) -> String {
    given.unwrap_or(placeholder).to_owned()
}

/// A persistent text as the front end stores it.
fn to_stored_message(text: &Persisted) -> ChatMessage {
    let mut message = ChatMessage::new(&text.role, text.content.as_str());
    message
        .rest
        .insert(HOOK_NAME_KEY.to_owned(), Value::from(text.name.as_str()));
    message
}
