//! The message list of a request, as an agent has it kept between `skill.begin` and the next one (`skill.md` §9).

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{
    Hook, InsertedText, Origin, Payload, Persisted, Removal, RequestBegin, RequestList, Step, Trace, args, exact_json,
    render,
};
use hookwright_workspace::project::OpenProject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::agent_event::notify_all;
use super::{BAD_MESSAGES, NO_MESSAGES};
use crate::agent_sessions::{AgentSession, Kept, KeptBytes, Member};
use crate::app::App;
use crate::event_options::{Consent, Recording};
use crate::fault::{Fault, PAYLOAD_TOO_LARGE};
use crate::fire::{Caller, FireJob, accept_event_in, fire_accepted, record};
use crate::payload::MAX_PAYLOAD_BYTES;

/// The parameters of `skill.begin`. The messages are measured as they were written.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct BeginParams<'p> {
    /// The message list of the request: objects with `role` and `content`.
    #[serde(borrow, default)]
    #[schemars(with = "Vec<Payload>")]
    messages: Option<&'p RawValue>,
    /// The names of the skills that are on.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>")]
    enabled_skills: Value,
    /// A folder of skills; absent for those of the project.
    #[serde(default)]
    skills_dir: Option<PathBuf>,
}

/// The parameters of `skill.inject`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct InjectParams {
    /// The timing, an event of the dialect.
    pub(crate) timing: String,
    /// The tool that the timing is about.
    #[serde(default)]
    pub(crate) tool_name: Option<String>,
}

/// The parameters of `skill.remove`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RemoveTextsParams {
    /// The timing, an event of the dialect.
    pub(crate) timing: String,
}

/// The parameters of `skill.inject_prompt`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PromptParams {
    /// The text of the prompt.
    pub(crate) content: String,
    /// The role of its message; absent for `system`.
    #[serde(default)]
    pub(crate) role: Option<String>,
}

/// The parameters of `skill.remove_prompt`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RemovePromptParams {
    /// The reference that `skill.inject_prompt` gave.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
}

/// The result of `skill.begin` and `skill.remove_prompt`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Messages {
    /// The whole message list.
    pub(crate) messages: Value,
}

/// The result of `skill.inject`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Injected<'i> {
    /// The messages that were added at the end.
    appended: Vec<Appended<'i>>,
    /// The texts that the front end stores beyond the turn.
    persist: &'i [Persisted],
    /// The whole message list.
    messages: Value,
    /// The id of the trace.
    trace: &'i str,
}

/// A message that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Appended<'i> {
    /// Names the message in later calls.
    #[serde(rename = "ref")]
    reference: &'i str,
    /// The role of the message.
    role: &'i str,
    /// The text.
    content: &'i str,
}

/// The result of `skill.remove`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedTexts<'r> {
    /// The references of the removed messages.
    removed: Vec<&'r str>,
    /// The whole message list.
    messages: Value,
}

/// The result of `skill.inject_prompt`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PromptAdded {
    /// Names the prompt in `skill.remove_prompt`.
    #[serde(rename = "ref")]
    reference: String,
}

/// The request of a connection that is going on.
pub(crate) struct SkillRequest {
    list: Box<dyn RequestList>,
    /// The hooks of `skills_dir`; without one, those of the project.
    skills: Option<Arc<OpenProject>>,
    /// The traces whose texts may still be removed, as hooks saw them. Each has the list of its time.
    traces: HashMap<String, (Trace, Kept)>,
    /// What the list costs: the parameters, the texts that were inserted, and the prompts.
    bytes: usize,
    /// The parameters and the texts that were inserted.
    kept: Vec<Kept>,
    /// The prompts, by their references.
    prompts: HashMap<String, (usize, Kept)>,
}

impl<'i> From<&'i InsertedText> for Appended<'i> {
    fn from(text: &'i InsertedText) -> Self {
        Self {
            reference: &text.reference,
            role: &text.role,
            content: &text.content,
        }
    }
}

impl SkillRequest {
    /// Begins a request. `bytes` is what its parameters cost, and `kept` counts that.
    ///
    /// # Errors
    /// The dialect has no message list, a parameter has the wrong type, or `skills_dir` is not a directory.
    pub(crate) fn begin(
        app: &App,
        session: &AgentSession,
        params: &BeginParams<'_>,
        bytes: usize,
        kept: Kept,
    ) -> Result<Self, Fault> {
        let messages = params.messages.map_or("null", RawValue::get);
        if messages.len() > MAX_PAYLOAD_BYTES {
            let args = args! { "bytes" => messages.len(), "limit" => MAX_PAYLOAD_BYTES };
            return Err(PAYLOAD_TOO_LARGE.render(args).into());
        }
        let bad = |why: &str| Fault::from(render!(BAD_MESSAGES, "why" => why));
        let messages = hookwright_model::json_depth::read(messages).map_err(|error| bad(&error.to_string()))?;
        let begin = RequestBegin {
            messages,
            enabled_skills: params.enabled_skills.clone(),
        };
        let dialect = session.dialect;
        let begun = dialect.begin_request(begin);
        let list = begun
            .ok_or_else(|| Fault::from(render!(NO_MESSAGES, "dialect" => dialect.card().id)))?
            .map_err(|why| bad(&why.text))?;
        let skills = params.skills_dir.as_deref();
        let skills = skills.map(|dir| app.workspace.read_with_skills(&session.project, dialect.card().id, dir));
        Ok(Self {
            list,
            skills: skills.transpose()?,
            traces: HashMap::new(),
            bytes,
            kept: vec![kept],
            prompts: HashMap::new(),
        })
    }

    /// The whole list.
    pub(crate) fn messages(&self) -> Value {
        self.list.messages()
    }

    /// Fires the event of a timing, and inserts what its hooks return.
    ///
    /// # Errors
    /// The timing is unknown, the payload is refused, or the session is closed.
    pub(crate) async fn inject(
        &mut self,
        app: &App,
        session: &AgentSession,
        member: &Member,
        params: InjectParams,
    ) -> Result<Value, Fault> {
        // The payload is the whole list. Its trace is kept while the texts can be removed.
        let kept = app.agents.kept.take(self.bytes)?;
        let of_trace = app.agents.kept.take_staying(2 * self.bytes)?;
        let payload: Payload = self.list.payload(params.tool_name.as_deref());
        let job = FireJob {
            event: params.timing,
            payload: payload.into(),
            origin: Origin::Agent,
            caller: Caller::of(session, member),
            consent: Consent::Approvals,
            recording: Recording::On,
            cancel: member.left.child_token(),
            run: None,
        };
        let conversation = session
            .conversation()
            .map_err(|refusal| Fault::from(refusal.message()))?;
        let accepted = accept_event_in(app, &conversation, job, |_| session.begin_event(member, kept))?;
        let snapshot = match &self.skills {
            Some(skills) => skills.snapshot(),
            None => app.workspace.open_project(&session.project)?.snapshot(),
        };
        let fired = fire_accepted(app, &snapshot, accepted).await;
        let trace = fired.raw();
        notify_all(member, &trace.notices).await;
        let hooks: Vec<&Hook> = snapshot.hooks(session.dialect.card().id).map(|hook| &**hook).collect();
        let insertion = self.list.insert(trace, &hooks);
        let appended: Vec<Appended<'_>> = insertion.appended.iter().map(Appended::from).collect();
        if !appended.is_empty() {
            let texts = insertion.appended.iter().map(|text| text.content.len()).sum::<usize>();
            self.bytes += texts;
            // They are in the list and in the trace.
            self.kept.push(app.agents.kept.add(4 * texts));
            self.traces.insert(trace.trace.clone(), (trace.clone(), of_trace));
        }
        Ok(exact_json::to_value(&Injected {
            appended,
            persist: &insertion.persist,
            messages: self.list.messages(),
            trace: &trace.trace,
        }))
    }

    /// Removes the texts of a timing. Each removal is noted in the trace of its insertion.
    pub(crate) fn remove(&mut self, app: &App, timing: &str) -> Value {
        let removed = self.list.remove(timing);
        let mut changed = Vec::new();
        for text in &removed {
            let Some((trace, _)) = self.traces.get_mut(&text.trace) else {
                continue;
            };
            let mine = |step: &&mut Step| step.hook == text.hook && step.position.is_some();
            if let Some(step) = trace.steps.iter_mut().find(mine) {
                step.removed.push(Removal {
                    reference: text.reference.clone(),
                    at: app.workspace.now(),
                    by: format!("skill.remove {timing}"),
                    ..Removal::default()
                });
                changed.push(text.trace.clone());
            }
        }
        changed.dedup();
        for id in changed {
            if let Some((trace, _)) = self.traces.get(&id) {
                // Whether the first record was complete does not matter for the new one.
                let again = Trace {
                    recorded: true,
                    ..trace.clone()
                };
                record(app, again, Recording::On);
            }
        }
        exact_json::to_value(&RemovedTexts {
            removed: removed.iter().map(|text| text.reference.as_str()).collect(),
            messages: self.list.messages(),
        })
    }

    /// Adds a prompt of the agent itself.
    ///
    /// # Errors
    /// Agents keep too much in the engine already.
    pub(crate) fn inject_prompt(&mut self, all: &KeptBytes, params: &PromptParams) -> Result<Value, Fault> {
        let bytes = params.content.len() + params.role.as_deref().map_or(0, str::len);
        let kept = all.take_staying(bytes)?;
        let reference = self.list.insert_prompt(&params.content, params.role.as_deref());
        self.bytes += bytes;
        self.prompts.insert(reference.clone(), (bytes, kept));
        Ok(json!(PromptAdded { reference }))
    }

    /// Removes a prompt. The warning is for the agent's user.
    pub(crate) fn remove_prompt(&mut self, reference: &str) -> (Value, Option<hookwright_model::Message>) {
        let warning = self.list.remove_prompt(reference).err();
        if let Some((bytes, _)) = self.prompts.remove(reference) {
            self.bytes -= bytes;
        }
        let messages = self.list.messages();
        (exact_json::to_value(&Messages { messages }), warning)
    }
}
