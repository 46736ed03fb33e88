//! The list of the agent socket's methods, with the types of their parameters and results. The schemas in
//! `docs/schema/agent` and `docs/agent-methods.md` are generated from it.

use std::collections::BTreeMap;

use schemars::schema_for;
use serde_json::Value;

use super::requests::{
    EventParams, Fired, ListParams, Listed, OpenParams, Opened, RegisterParams, Registered, RemoveParams, ReportParams,
    Reported,
};
use super::skills::{
    BeginParams, InjectParams, Injected, Messages, PromptAdded, PromptParams, RemovePromptParams, RemoveTextsParams,
    RemovedTexts,
};
use crate::agent_sessions::engine_calls::{
    CallbackParams, CallbackResult, CompletionParams, CompletionResult, NoticeParams, TestEventParams, TestEventResult,
};
use crate::dto::{Empty, Removed};

/// Who calls a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodCaller {
    /// The agent calls the engine.
    Agent,
    /// The engine calls the agent.
    Engine,
}

/// One method of the agent socket.
#[derive(Debug, Clone, Copy)]
pub struct AgentMethod {
    /// Its name.
    pub name: &'static str,
    /// Who calls it.
    pub caller: MethodCaller,
    /// Whether it is answered. A notification is not.
    pub is_answered: bool,
}

macro_rules! methods {
    ($($caller:ident $name:literal: $params:ident $(=> $result:ident)?;)+) => {
        /// All methods of the agent socket, in the order of `CONTRACTS.md` §3.
        pub const AGENT_METHODS: &[AgentMethod] = &[$(AgentMethod {
            name: $name,
            caller: MethodCaller::$caller,
            is_answered: [$(stringify!($result),)? "none"].len() > 1,
        }),+];

        /// The JSON schemas of all parameters and results, by the names of their files without the ending.
        #[must_use]
        pub fn schemas() -> BTreeMap<String, Value> {
            let mut all = BTreeMap::new();
            $(
                all.insert(concat!($name, ".params").to_owned(), schema_for!($params).to_value());
                $(all.insert(concat!($name, ".result").to_owned(), schema_for!($result).to_value());)?
            )+
            all
        }
    };
}

methods! {
    Agent "session.open": OpenParams => Opened;
    Agent "event.fire": EventParams => Fired;
    Agent "event.note": EventParams;
    Agent "hook.register": RegisterParams => Registered;
    Agent "hook.list": ListParams => Listed;
    Agent "hook.remove": RemoveParams => Removed;
    Agent "run.report": ReportParams => Reported;
    Agent "skill.begin": BeginParams => Messages;
    Agent "skill.inject": InjectParams => Injected;
    Agent "skill.remove": RemoveTextsParams => RemovedTexts;
    Agent "skill.inject_prompt": PromptParams => PromptAdded;
    Agent "skill.remove_prompt": RemovePromptParams => Messages;
    Agent "session.close": Empty => Empty;
    Engine "agent.fire": TestEventParams => TestEventResult;
    Engine "model.complete": CompletionParams => CompletionResult;
    Engine "callback.call": CallbackParams => CallbackResult;
    Engine "session.notice": NoticeParams;
}
