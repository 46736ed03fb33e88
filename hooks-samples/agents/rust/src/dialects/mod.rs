//! One module per dialect: how a conversation goes, which events it has, and how a reply is obeyed.

mod picoclaw;
mod skill;

use serde_json::Value;

use crate::engine::CallError;
use crate::session::{Reply, Session};

/// What differs between the dialects.
pub trait Dialect: Send + Sync {
    /// The name that `session.open` sends.
    fn name(&self) -> &'static str;

    /// The parameters of `hook.register` for the agent's own hooks.
    fn callbacks(&self) -> Vec<Value> {
        Vec::new()
    }

    /// Plays the conversation. Ends early only when the engine leaves or refuses the session.
    fn play(&self, session: &Session, script: &Value) -> Result<(), CallError>;

    /// The shell command of a tool event that the agent's own hook looks at; `None` at every other event.
    fn command_of<'p>(&self, event: &str, payload: &'p Value) -> Option<&'p str>;

    /// The reply of that hook in the dialect's own shape.
    fn own_reply(&self, event: &str, reason: Option<&str>) -> Reply;
}

/// The dialect of this name.
pub fn find(name: &str) -> Option<&'static dyn Dialect> {
    let all: [&'static dyn Dialect; 2] = [&picoclaw::Picoclaw, &skill::Skill];
    all.into_iter().find(|dialect| dialect.name() == name)
}

/// The items of an array; none for every other value.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The name that the dialect has for a tool of the script.
fn tool_name(names: &[(&str, &'static str)], call: &Value) -> &'static str {
    let found = names.iter().find(|(tool, _)| call["tool"] == *tool);
    found.map_or("unknown", |(_, name)| name)
}
