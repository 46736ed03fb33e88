//! The hooks that an agent registers for its session: `hook.register`, `hook.list` and `hook.remove`.

use std::sync::Arc;

use hookwright_dialects::lookup::find_event;
use hookwright_dialects::session_hooks::register;
use hookwright_model::session_hook::{SessionRegistration, session_hook_at};
use hookwright_model::{AgentProgram, Hook, HookId, Message, render};
use hookwright_redact::Redactor;
use serde_json::{Value, json};

use super::TOO_MANY_HOOKS;
use super::connection::{AgentConnection, closed};
use super::joined::open_project;
use super::requests::{ListParams, Listed, RegisterParams, Registered, RemoveParams, bad_params, hook_refused};
use crate::agent_sessions::{HookRefusal, MAX_HOOK_TEXT_BYTES, MAX_HOOKS, NewHooks};
use crate::dto::Removed;
use crate::fault::Fault;
use crate::hooks::session_rows;
use crate::pushes::Topic;

/// About what a hook costs in addition to its text, as the length of a text.
const HOOK_BYTES: usize = 6 << 10;

impl AgentConnection {
    pub(super) fn register(&self, params: &RegisterParams<'_>) -> Result<Value, Fault> {
        let joined = self.joined("hook.register")?;
        let kept = self.app.agents.kept.take_staying(HOOK_BYTES + params.cost())?;
        let definition = params.definition()?;
        let dialect = joined.session.dialect;
        if let Some(event) = &params.event {
            find_event(dialect.card().id, event)?;
        }
        let new = NewHooks {
            text_bytes: params.text_bytes(),
            kept,
        };
        let program = joined.member.program.as_ref().map(|path| {
            let name = joined.member.agent.name.clone();
            Arc::new(AgentProgram {
                name,
                path: path.clone(),
            })
        });
        let redactor = self.app.workspace.redactor();
        let make = |hooks: &[Arc<Hook>]| {
            let registration = SessionRegistration {
                event: params.event.as_deref(),
                definition: &definition,
                hooks,
                project: &joined.session.project,
            };
            let mut hooks = register(dialect, &registration).map_err(NotRegistered::Refused)?;
            let shown = shown_id(&hooks, registration.hooks, &redactor);
            for hook in &mut hooks {
                hook.registered_by.clone_from(&program);
                hook.id.clone_from(&shown);
                hook.label = redactor.text(&hook.label).0;
            }
            Ok(hooks)
        };
        let hooks = joined
            .session
            .register(&joined.member, new, make)
            .map_err(|refused| match refused {
                NotRegistered::Refused(why) => hook_refused(why),
                NotRegistered::Session(HookRefusal::Session(refusal)) => closed(refusal),
                NotRegistered::Session(HookRefusal::TooMany) => {
                    render!(TOO_MANY_HOOKS, "limit" => MAX_HOOKS, "bytes" => MAX_HOOK_TEXT_BYTES).into()
                }
            })?;
        let trusted = hooks.iter().all(|hook| self.app.check_session_hook(hook).is_ok());
        self.app.push_stale(&[Topic::Agents, Topic::Trust]);
        let hook = hooks.first().map(|hook| hook.id.clone());
        Ok(json!(Registered { hook, trusted }))
    }

    pub(super) fn list(&self, params: ListParams) -> Result<Value, Fault> {
        let joined = self.joined("hook.list")?;
        let wanted = params
            .event
            .map(|event| joined.find_event(&event))
            .transpose()?
            .map(|spec| spec.name);
        let own = joined.session.hooks_for(&joined.member).map_err(closed)?;
        let snapshot = open_project(&self.app, &joined.session).snapshot();
        let mut rows = session_rows(
            &self.app,
            joined.session.dialect,
            joined.member.file_hooks,
            &own,
            &snapshot,
        );
        rows.retain(|row| wanted.is_none_or(|event| row.event == event || row.serves.iter().any(|it| it == event)));
        Ok(json!(Listed { hooks: rows }))
    }

    pub(super) fn remove(&self, params: RemoveParams) -> Result<Value, Fault> {
        let joined = self.joined("hook.remove")?;
        let id: Option<HookId> = match (params.hook, params.event, params.index) {
            (Some(hook), ..) => Some(hook),
            (None, Some(event), Some(index)) => {
                let event = joined.find_event(&event)?.name;
                let mine = joined.session.hooks_for(&joined.member).map_err(closed)?;
                session_hook_at(&mine, event, index).cloned()
            }
            (None, ..) => return Err(bad_params("hook.remove", "`hook`, or `event` and `index`, is missing")),
        };
        let removed = match id {
            Some(id) => joined.session.remove_hook(&joined.member, &id).map_err(closed)?,
            None => false,
        };
        self.app.push_stale(&[Topic::Agents, Topic::Trust]);
        Ok(json!(Removed { removed }))
    }
}

/// The id under which new hooks of one definition are shown and recorded. An agent may choose a part of it, so a secret
/// in it is masked, and a number keeps it from the ids that the session has.
fn shown_id(new: &[Hook], present: &[Arc<Hook>], redactor: &Redactor) -> HookId {
    let id = new.first().map(|hook| hook.id.clone()).unwrap_or_default();
    let (masked, count) = redactor.text(&id);
    if count == 0 {
        return id;
    }
    let others = (2_u64..).map(|nth| format!("{masked}.{nth}"));
    let mut free = std::iter::once(masked.clone()).chain(others);
    let is_free = |id: &HookId| present.iter().all(|hook| hook.id != *id);
    free.find(is_free).unwrap_or(masked.clone())
}

/// Why hooks were not registered.
enum NotRegistered {
    Refused(Message),
    Session(HookRefusal),
}

impl From<HookRefusal> for NotRegistered {
    fn from(refusal: HookRefusal) -> Self {
        Self::Session(refusal)
    }
}
