//! What the hooks of a session ask of its agent: callbacks and completed prompts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    AgentCalls, CallbackCall, Captured, End, PromptCall, Run, RunContext, exact_json, token_counters,
};
use serde_json::{Value, json};

use super::LinkError;
use super::engine_calls::{CallbackParams, CallbackResult, CompletionParams, CompletionResult};
use super::member::{Member, Members};

/// Sends callbacks to the connection that registered them, and prompts to the one whose model serves the event.
pub(crate) struct MemberCalls(pub(crate) Arc<Members>);

impl AgentCalls for MemberCalls {
    fn offers_model(&self, context: &RunContext) -> bool {
        self.0.model_for(context.connection).is_some()
    }

    fn call_back<'a>(&'a self, call: CallbackCall, context: RunContext) -> BoxFuture<'a, Run> {
        let params = exact_json::to_value(&CallbackParams {
            callback: &call.callback,
            event: call.event,
            input: &call.input,
            tool_use_id: call.tool_use_id.as_deref(),
            timeout_ms: milliseconds(context.limit),
        });
        let owner = self.0.owner(&context.hook, context.connection);
        let output = |result: Value| {
            let result: CallbackResult = serde_json::from_value(result).ok()?;
            Some((result.output.to_string().into_bytes(), BTreeMap::new()))
        };
        ask(owner, "callback.call", params, context, output).boxed()
    }

    fn complete<'a>(&'a self, call: PromptCall, context: RunContext) -> BoxFuture<'a, Run> {
        let params = json!(CompletionParams {
            system: &call.system,
            prompt: &call.prompt,
            model: call.model.as_deref(),
            max_tokens: call.max_tokens,
            temperature: call.temperature,
            timeout_ms: milliseconds(context.limit),
        });
        let serving = self.0.model_for(context.connection);
        let text = |result: Value| {
            let result: CompletionResult = serde_json::from_value(result).ok()?;
            Some((result.text.into_bytes(), token_counters(&result.usage)))
        };
        ask(serving, "model.complete", params, context, text).boxed()
    }
}

fn milliseconds(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
}

/// Asks one connection. `read` takes the output and the counters out of the result; `None` if it has no output.
async fn ask(
    member: Option<Arc<Member>>,
    method: &'static str,
    params: Value,
    context: RunContext,
    read: impl FnOnce(Value) -> Option<(Vec<u8>, BTreeMap<&'static str, u64>)>,
) -> Run {
    let start = Instant::now();
    let stdin = Captured::new(params.to_string());
    let mut counters = BTreeMap::new();
    let (end, stdout, stderr) = match member {
        None => (End::PeerGone, Vec::new(), String::new()),
        Some(member) => {
            let answer = member.link.call(method, params, context.limit);
            tokio::select! {
                biased;
                () = context.cancelled => (End::Cancelled, Vec::new(), String::new()),
                answer = answer => match answer {
                    Ok(result) => match read(result) {
                        Some((output, counted)) => {
                            counters = counted;
                            (End::Replied, output, String::new())
                        }
                        None => (End::Refused, Vec::new(), format!("{method} returned no output")),
                    },
                    Err(LinkError::TimedOut) => (End::TimedOut, Vec::new(), String::new()),
                    Err(LinkError::Gone) => (End::PeerGone, Vec::new(), String::new()),
                    Err(LinkError::Refused(why)) => (End::Refused, Vec::new(), why),
                },
            }
        }
    };
    Run {
        end,
        code: None,
        signal: None,
        stdin,
        stdout: Captured::new(stdout),
        stderr: Captured::new(stderr),
        took: start.elapsed(),
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters,
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}
