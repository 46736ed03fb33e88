//! The flow of a request, played (`skill.md` §3, §9). Every step of it stands in the seed's flowchart.

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::simulate::CALLS_UNPLAYED;
use hookwright_model::{
    ChatMessage, Hook, HookId, LlmCall, Message, MessageOrigin, Notice, Payload, Persisted, Scenario, SimulationHost,
    SimulationResult, ToolCall, Turn, TurnStep, args,
};
use serde_json::{Value, json};

use super::events::{AFTER_TOOL_CALL, AFTER_USER_INPUT, BEFORE_EACH_AGENT, BEFORE_FIRST_AGENT, BEFORE_PLANNING};
use super::ledger::Ledger;
use super::wire::persistent;
use crate::play::{self, CallIds, Line, Script};

/// Under this key the front end keeps which hook a text came from.
const KEPT_AS: &str = "_hook";
/// A message list has one role for the system's own prompts.
const PROMPT_ROLE: &str = "system";

/// Plays a scenario.
pub(super) fn simulate<'a>(
    scenario: &'a Scenario,
    stage: &'a mut dyn SimulationHost,
    played: &'a mut SimulationResult,
) -> BoxFuture<'a, Result<(), Message>> {
    let play = Play {
        scenario,
        stage,
        played,
        kept: scenario.messages.iter().cloned().map(Kept::given).collect(),
        yielded: Vec::new(),
        ledger: Ledger::default(),
        ids: CallIds::default(),
        number: 0,
    };
    play.run().boxed()
}

/// A message that the front end keeps.
struct Kept {
    message: ChatMessage,
    /// The hook it came from, where this play saw that; a message of the scenario only names it.
    hook: Option<HookId>,
}

impl Kept {
    fn given(message: ChatMessage) -> Self {
        Self { message, hook: None }
    }
}

struct Play<'a> {
    scenario: &'a Scenario,
    stage: &'a mut dyn SimulationHost,
    played: &'a mut SimulationResult,
    /// What the front end keeps from request to request.
    kept: Vec<Kept>,
    /// The hooks of all that was persisted, one a text.
    yielded: Vec<HookId>,
    ledger: Ledger,
    ids: CallIds,
    /// The turn, from 1.
    number: u32,
}

impl Play<'_> {
    async fn run(mut self) -> Result<(), Message> {
        for turn in &self.scenario.turns {
            self.number += 1;
            let yielded = self.played.persisted.len();
            let reply = self.request(turn).await?;
            self.show_end();
            let user = ChatMessage::new("user", turn.user.as_str());
            let persisted = self.played.persisted.iter().zip(&self.yielded).skip(yielded);
            let persisted = persisted.map(|(text, hook)| Kept {
                message: brought_back(text),
                hook: Some(hook.clone()),
            });
            let reply = reply.map(|words| ChatMessage::new("assistant", words));
            self.kept.push(Kept::given(user));
            self.kept.extend(persisted.chain(reply.map(Kept::given)));
        }
        Ok(())
    }

    /// One request, from the built list to the reply.
    async fn request(&mut self, turn: &Turn) -> Result<Option<String>, Message> {
        let mut lines = self.history();
        lines.push(Line::new(
            ChatMessage::new("user", turn.user.as_str()),
            MessageOrigin::User,
        ));
        self.ledger = Ledger::begin(lines);
        self.insert(AFTER_USER_INPUT, None).await?;
        if !turn.enable_tools {
            self.call("direct");
            return Ok(self.reply_at_once(turn));
        }
        self.insert(BEFORE_PLANNING, None).await?;
        let prompts = &self.scenario.prompts;
        let planning = prompt(prompts.planning.as_deref(), "[planning_prompt]");
        let planning = self.ledger.inject_prompt(&planning, PROMPT_ROLE);
        self.call("planning");
        self.take_prompt(&planning);
        self.remove(BEFORE_PLANNING);
        if !turn.need_tool {
            return Ok(self.reply_at_once(turn));
        }
        let reply = self.agent_loop(turn).await?;
        self.remove(BEFORE_FIRST_AGENT);
        self.remove(AFTER_TOOL_CALL);
        Ok(reply)
    }

    /// A turn without a loop has one answer, and no tool is called.
    fn reply_at_once(&mut self, turn: &Turn) -> Option<String> {
        if turn.steps.iter().any(|step| !step.calls.is_empty()) {
            let words = CALLS_UNPLAYED.render(args! { "turn" => self.number });
            self.played.notices.push(Notice::warning(words, None));
        }
        turn.steps.iter().find_map(|step| step.reply.clone())
    }

    async fn agent_loop(&mut self, turn: &Turn) -> Result<Option<String>, Message> {
        let mut script = Script::of(turn, self.number);
        while let Some((number, step)) = script.next_step() {
            self.remove(BEFORE_EACH_AGENT);
            self.insert(BEFORE_EACH_AGENT, None).await?;
            let prompts = &self.scenario.prompts;
            let mut step_prompt = prompt(prompts.agent_loop.as_deref(), "[agent_loop_prompt]");
            if number == 1 {
                step_prompt = prompt(prompts.first_step.as_deref(), "[first_step_prompt]");
                self.insert(BEFORE_FIRST_AGENT, None).await?;
            }
            let step_prompt = self.ledger.inject_prompt(&step_prompt, PROMPT_ROLE);
            self.call(&format!("step {number}"));
            if step.calls.is_empty() {
                self.take_prompt(&step_prompt);
                return Ok(step.reply.clone());
            }
            self.tools(step).await?;
            self.take_prompt(&step_prompt);
        }
        self.played.notices.push(script.ended());
        Ok(None)
    }

    /// The tools run; then the texts of the calls before go, and those of each of these calls come.
    async fn tools(&mut self, step: &TurnStep) -> Result<(), Message> {
        let calls: Vec<(String, &ToolCall)> = self.ids.of(&step.calls).into_iter().zip(&step.calls).collect();
        let words = step.reply.clone().unwrap_or_default();
        self.ledger.push(play::answer(&words, &calls));
        for (id, call) in &calls {
            let told = call.error.clone().unwrap_or_else(|| call.result_text());
            self.ledger.push(play::tool_result(id, told));
        }
        self.remove(AFTER_TOOL_CALL);
        for (_, call) in &calls {
            self.insert(AFTER_TOOL_CALL, Some(&call.tool)).await?;
        }
        Ok(())
    }

    /// A checkpoint: its hooks insert, and the front end gets what is persistent.
    async fn insert(&mut self, timing: &'static str, tool: Option<&str>) -> Result<(), Message> {
        let mut payload = Payload::new();
        payload.insert("messages".to_owned(), self.ledger.messages());
        if let Some(tool) = tool {
            payload.insert("tool_name".to_owned(), json!(tool));
        }
        if let Some(skills) = &self.scenario.enabled_skills {
            payload.insert("enabled_skills".to_owned(), json!(skills));
        }
        let trace = self.stage.fire(timing, payload).await?;
        let injected = self.ledger.inject(&trace, &self.stage.hooks());
        let kept = injected.appended.into_iter().filter(|inserted| inserted.persistent);
        self.yielded.extend(kept.map(|inserted| inserted.hook));
        self.played.persisted.extend(injected.persist);
        Ok(())
    }

    fn remove(&mut self, timing: &str) {
        let by = format!("remove({timing})");
        for gone in self.ledger.remove(timing) {
            self.stage.removed(&gone.trace, &gone.hook, &gone.reference, &by);
        }
    }

    fn take_prompt(&mut self, reference: &str) {
        if let Err(words) = self.ledger.remove_prompt(reference) {
            self.played.notices.push(Notice::warning(words, None));
        }
    }

    /// What the model sees now.
    fn call(&mut self, label: &str) {
        self.played.llm_calls.push(LlmCall {
            turn: self.number,
            label: label.to_owned(),
            messages: play::seen(&self.ledger.lines()),
        });
    }

    fn show_end(&mut self) {
        self.played.final_messages = play::seen(&self.ledger.lines());
    }

    /// What the front end brings back; a hook's text names the hook it came from.
    fn history(&self) -> Vec<Line> {
        let hooks = self.stage.hooks();
        let enabled = |hook: &&Hook| {
            let named = self.scenario.enabled_skills.as_ref();
            hook.off.is_none() && named.is_none_or(|named| named.contains(&super::config::skill(hook)))
        };
        let kept = |hook: &&Hook| hook.invalid.is_none() && persistent(hook);
        let id = |name: &str| {
            let mut named: Vec<&&Hook> = hooks.iter().filter(|hook| hook.label == name).collect();
            // Only a persistent text comes back; it may be that of a skill that was enabled before.
            named.sort_by_key(|hook| (!kept(hook), !enabled(hook)));
            named.first().map_or_else(|| name.to_owned(), |hook| hook.id.clone())
        };
        let messages: Vec<ChatMessage> = self.kept.iter().map(|kept| kept.message.clone()).collect();
        let lines = play::history(&messages).into_iter().zip(&self.kept);
        let line = |(mut line, kept): (Line, &Kept)| {
            let named = line.message.rest.get(KEPT_AS).and_then(Value::as_str);
            line.hook = kept.hook.clone().or_else(|| named.map(id));
            line
        };
        lines.map(line).collect()
    }
}

fn prompt(given: Option<&str>, placeholder: &str) -> String {
    given.unwrap_or(placeholder).to_owned()
}

/// A persistent text as the front end stores it.
fn brought_back(text: &Persisted) -> ChatMessage {
    let mut message = ChatMessage::new(&text.role, text.content.as_str());
    message.rest.insert(KEPT_AS.to_owned(), Value::from(text.name.as_str()));
    message
}
