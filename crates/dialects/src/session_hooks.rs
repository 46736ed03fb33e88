//! Reads what an agent registers for its session (`CONTRACTS.md` §3, `hook.register`): what the dialects share.

use std::path::PathBuf;

use hookwright_model::{
    Card, Dialect, FieldPositions, Hook, HookId, Layer, Message, PathStep, Root, SessionRegistration, render,
};

use crate::lookup;
use crate::node::Node;
use crate::splice::key;

hookwright_model::messages! {
    /// The dialect has no session hooks.
    NO_SESSION_HOOKS = "no_session_hooks" { "{dialect} has no session hooks", "{dialect} 没有会话级 Hook" } hint { "add the hook to a file that the agent reads", "把 Hook 写进 Agent 会读取的文件" };
    /// A registration without an event.
    NO_EVENT = "registration_event" / "missing" { "`event` is missing", "缺少 `event`" } hint { "name the event of the hook", "写上此 Hook 的事件" };
    /// A registration with an event, in a dialect whose definitions name their events.
    EXTRA_EVENT = "registration_event" / "extra" { "`event` must be left out: the definition names its events", "不应有 `event`：定义中已写明事件" } hint { "remove `event`", "删除 `event`" };
    /// A registered definition that is not an object.
    DEFINITION_TYPE = "registration_field" / "definition" { "`definition` must be an object, found {found}", "`definition` 应为对象，此处是 {found}" } hint { "write `{\"callback\": \"…\"}`", "写成 `{\"callback\": \"…\"}`" };
    /// A definition without a callback.
    NO_CALLBACK = "registration_field" / "callback" { "`callback` is missing or blank", "缺少 `callback`，或其为空" } hint { "write the name of the function in your agent", "写上 Agent 中函数的名字" };
    /// The agent left before its callback responded.
    AGENT_LEFT = "agent_left" { "the agent left before its callback responded", "Agent 在回调响应之前已断开" };
    /// The agent returned an error for its callback.
    CALLBACK_ERROR = "callback_error" { "the callback returned an error: {message}", "回调返回错误：{message}" };
}

/// Reads a definition that an agent registers for its session.
///
/// # Errors
/// The dialect has no session hooks, the event is unknown, or the definition is invalid (`-32004`). The message is the
/// first error of the definition. A host that answers an unknown event with another code looks it up in the dialect's
/// card before.
pub fn register(dialect: &dyn Dialect, registration: &SessionRegistration<'_>) -> Result<Vec<Hook>, Message> {
    let read = dialect.session_hooks(registration);
    read.unwrap_or_else(|| Err(render!(NO_SESSION_HOOKS, "dialect" => dialect.card().name)))
}

/// The root of a session's hooks: no file, and the project that approvals are for.
pub(crate) fn root(registration: &SessionRegistration<'_>) -> Root {
    Root::file(Layer::Session, PathBuf::new(), Some(registration.project.to_owned()))
}

/// The event of a registration that must name one.
///
/// # Errors
/// There is none, or it is unknown.
pub(crate) fn event(card: &Card, registration: &SessionRegistration<'_>) -> Result<&'static str, Message> {
    let given = registration.event.ok_or_else(|| NO_EVENT.render_plain())?;
    let (_, spec) = lookup::find_event(card.id, given)?;
    Ok(spec.name)
}

/// The definition as a tree, which the readers of files read.
///
/// # Errors
/// It is not an object.
pub(crate) fn definition(registration: &SessionRegistration<'_>) -> Result<Node, Message> {
    let node = Node::from_value(registration.definition);
    if node.entries().is_none() {
        return Err(render!(DEFINITION_TYPE, "found" => node.json_type()));
    }
    Ok(node)
}

/// Whether this is the id of a session's hook. It is not known which hooks the sessions have.
#[must_use]
pub fn is_session_id(id: &str) -> bool {
    let mut prefixes = crate::all()
        .iter()
        .map(|dialect| Layer::Session.id_prefix(dialect.card().id));
    prefixes.any(|prefix| id.starts_with(&prefix))
}

/// The next hook of an event: its id `<dialect>:session:<event>:<n>`, and its place in the session's list of that event.
/// The number is the index in that list, from 0, or larger if an earlier hook was removed: no other hook of the session
/// has the same one.
pub(crate) fn next_id(card: &Card, registration: &SessionRegistration<'_>, event: &str) -> (HookId, Vec<PathStep>) {
    let list = key(event);
    let numbers = registration.hooks.iter().filter_map(|hook| match hook.at.as_slice() {
        [of, PathStep::Item(number)] if *of == list => Some(number + 1),
        _ => None,
    });
    let next = numbers.max().unwrap_or(0);
    let id = format!("{}{event}:{next}", Layer::Session.id_prefix(card.id));
    (id, vec![list, PathStep::Item(next)])
}

/// The hook without the positions of a file.
///
/// # Errors
/// The definition is invalid. The message is its first error.
pub(crate) fn finish(mut hook: Hook) -> Result<Hook, Message> {
    if let Some(message) = hook.invalid {
        return Err(message);
    }
    hook.source.line = 0;
    hook.source.column = 0;
    hook.field_positions = FieldPositions::default();
    Ok(hook)
}

#[cfg(test)]
#[path = "session_hooks_tests.rs"]
mod tests;
