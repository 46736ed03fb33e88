//! A session of this agent with the engine: what it fires, what it offers, and what it prints.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::dialects::Dialect;
use crate::engine::{CallError, Engine};
use crate::options::Options;

const NAME: &str = "sample-agent-rust";
const VERSION: &str = "1.0";
const MODEL_ANSWER: &str = r#"{"system_message": "The scripted model has read this."}"#;

/// What an event came back with: the three ways in which a hook of some dialect speaks, as `event.fire` gives them.
pub type Reply = Value;

/// The agent's own hook: why this shell command must not run, or `None`.
pub fn guard(command: &str) -> Option<&'static str> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let deletes_all = |three: &[&str]| {
        let program = three[0].rsplit(|c: char| !c.is_alphanumeric()).next();
        program == Some("rm") && ["-rf", "-fr"].contains(&three[1]) && ["/", "~", "."].contains(&three[2])
    };
    words
        .windows(3)
        .any(deletes_all)
        .then_some("it deletes a whole folder tree")
}

/// One conversation.
pub struct Session {
    /// The id of the session.
    pub id: String,
    /// What the user set on the command line.
    pub options: Options,
    engine: Arc<Engine>,
    dialect: &'static dyn Dialect,
}

impl Session {
    /// Connects, opens the session and registers the agent's own hooks.
    pub fn open(dialect: &'static dyn Dialect, options: &Options) -> Result<Self, CallError> {
        let engine = Engine::connect(Arc::new(move |method, params| answer(dialect, method, params)))?;
        let mut agent = json!({"name": NAME, "version": VERSION, "pid": std::process::id()});
        let depth = std::env::var("HOOKWRIGHT_DEPTH")
            .ok()
            .and_then(|depth| depth.parse::<u32>().ok());
        if let Some(depth) = depth {
            agent["depth"] = json!(depth); // this agent was started by a hook
        }
        let mut params = json!({
            "protocol": 1,
            "dialect": dialect.name(),
            "agent": agent,
            "cwd": options.cwd,
            "offers": ["fire", "model", "callbacks"],
            "native": options.native,
        });
        if let Some(id) = &options.session {
            params["session_id"] = json!(id);
        }
        let opened = engine.call("session.open", &params)?;
        let id = text(&opened["session"]).to_owned();
        say(&format!(
            "session {id}: {} hooks, {} of them not approved",
            opened["hooks"], opened["untrusted"]
        ));
        // In a native session the agent runs its own hook itself; as a callback it would run twice.
        for registration in dialect.callbacks().into_iter().filter(|_| !options.native) {
            let registered = engine.call("hook.register", &registration)?;
            say(&format!("registered {}", text(&registered["hook"])));
        }
        let options = options.clone();
        Ok(Self {
            id,
            options,
            engine,
            dialect,
        })
    }

    /// Sends a request of the dialect's own, such as `skill.begin`.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, CallError> {
        self.engine.call(method, params)
    }

    /// Fires an event and waits for the reply. An event that the engine refuses does not stop the agent.
    pub fn fire(&self, event: &str, payload: &Value) -> Result<Reply, CallError> {
        self.pace();
        let own = if self.options.native {
            self.run_own_hooks(event, payload)?
        } else {
            None
        };
        let mut result = match self.call("event.fire", &json!({"event": event, "payload": payload})) {
            Ok(result) => result,
            Err(CallError::Refused(why)) => {
                print_line(event, "error", &why, "");
                return Ok(self.dialect.own_reply(event, None));
            }
            Err(left) => return Err(left),
        };
        if let Some(own) = own {
            return Ok(own);
        }
        print_line(
            event,
            text(&result["verdict"]["kind"]),
            &summary(&result),
            text(&result["trace"]),
        );
        Ok(result["reply"].take())
    }

    /// Fires an event that gets no answer.
    pub fn note(&self, event: &str, payload: &Value) -> Result<(), CallError> {
        self.pace();
        self.engine
            .notify("event.note", &json!({"event": event, "payload": payload}))?;
        print_line(event, "sent", "", "");
        Ok(())
    }

    /// Runs and reports the agent's own hooks. Returns the reply of the one that blocks, if one does.
    fn run_own_hooks(&self, event: &str, payload: &Value) -> Result<Option<Reply>, CallError> {
        let (reply, steps) = own_pipeline(self.dialect, event, payload);
        if steps.is_empty() {
            return Ok(None);
        }
        self.call(
            "run.report",
            &json!({"event": event, "payload": payload, "steps": steps}),
        )?;
        if steps[0]["outcome"] != "denied" {
            return Ok(None);
        }
        print_line(event, "blocked", "by the agent's own guard", "");
        Ok(Some(reply))
    }

    /// Waits until the engine leaves, at most as long as this. Returns whether it has left.
    pub fn wait_until_left(&self, limit: Option<Duration>) -> bool {
        self.engine.wait_until_left(limit)
    }

    /// Closes the session and the connection.
    pub fn close(&self) -> Result<(), CallError> {
        let closed = self.call("session.close", &json!({}));
        self.engine.close();
        closed.map(drop)
    }

    /// The pause before an event.
    pub fn pace(&self) {
        std::thread::sleep(self.options.pace);
    }
}

// ── what the engine asks ────────────────────────────────────────────────────────────────────────────────────────────

fn answer(dialect: &dyn Dialect, method: &str, params: &Value) -> Option<Result<Value, String>> {
    let result = match method {
        "agent.fire" => test_event(dialect, params),
        "model.complete" => complete(params),
        "callback.call" => call_back(dialect, params),
        "session.notice" => {
            say(&format!("{}: {}", text(&params["kind"]), text(&params["text"])));
            Value::Null
        }
        _ => return None,
    };
    Some(Ok(result))
}

/// `agent.fire`: runs the agent's own hooks on a test event, which changes nothing in the conversation.
fn test_event(dialect: &dyn Dialect, params: &Value) -> Value {
    let event = text(&params["event"]);
    let (reply, steps) = own_pipeline(dialect, event, &params["payload"]);
    say(&format!("agent.fire {event}: {} own hooks ran", steps.len()));
    json!({"reply": reply, "steps": steps})
}

/// `model.complete`: the scripted model answers every prompt with the same text.
fn complete(params: &Value) -> Value {
    let first_line = text(&params["prompt"]).trim().lines().next().unwrap_or_default();
    say(&format!(
        "model.complete: {}",
        first_line.chars().take(60).collect::<String>()
    ));
    json!({"text": MODEL_ANSWER})
}

/// `callback.call`: the hook that the agent registered for this session.
fn call_back(dialect: &dyn Dialect, params: &Value) -> Value {
    let event = text(&params["event"]);
    let reason = dialect.command_of(event, &params["input"]).and_then(guard);
    say(&format!(
        "callback {} at {event}: {}",
        text(&params["callback"]),
        reason.unwrap_or("no objection")
    ));
    json!({"output": dialect.own_reply(event, reason)["json"]})
}

/// The reply of the agent's own hooks, and a step for each that ran.
fn own_pipeline(dialect: &dyn Dialect, event: &str, payload: &Value) -> (Reply, Vec<Value>) {
    let Some(command) = dialect.command_of(event, payload) else {
        return (dialect.own_reply(event, None), Vec::new());
    };
    let reason = guard(command);
    let outcome = if reason.is_some() { "denied" } else { "no_opinion" };
    let step = json!({"hook": format!("{NAME}:guard"), "label": "guard", "outcome": outcome});
    (dialect.own_reply(event, reason), vec![step])
}

// ── what the user sees ──────────────────────────────────────────────────────────────────────────────────────────────

/// One line for each event. All other lines are indented.
pub fn print_line(event: &str, verdict: &str, said: &str, trace: &str) {
    print(format!("{event:<28} {verdict:<11} {said:<48} {trace}").trim_end());
}

/// Prints a line that is not about an event.
pub fn say(text: &str) {
    print(&format!("    {text}"));
}

fn print(line: &str) {
    if writeln!(std::io::stdout(), "{line}").is_err() {
        std::process::exit(1); // the reader of stdout has ended, as `| head` does
    }
}

/// What the verdict says, else which fields the reply has.
fn summary(result: &Value) -> String {
    let (verdict, reply) = (&result["verdict"], &result["reply"]);
    let said = [&verdict["feedback"], &verdict["reason"], &reply["stderr"]];
    let said = said.into_iter().map(text).find(|said| !said.is_empty());
    let said = said.map_or_else(|| fields_of(&reply["json"]), str::to_owned);
    let words: Vec<&str> = said.split_whitespace().collect();
    let unrecorded = if result["recorded"] == false {
        " (not recorded)"
    } else {
        ""
    };
    words.join(" ") + unrecorded
}

fn fields_of(reply: &Value) -> String {
    let names = reply.as_object().into_iter().flat_map(|fields| fields.keys());
    let names: Vec<&str> = names
        .map(String::as_str)
        .filter(|name| !["action", "approved"].contains(name))
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("reply has {}", names.join(", "))
    }
}

/// The text of a string, `""` for every other value.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::find;

    #[test]
    fn the_guard_blocks_only_the_removal_of_a_whole_tree() {
        for command in ["rm -rf .", "cd x && rm  -fr /", "/bin/rm -rf ~ "] {
            assert!(guard(command).is_some(), "{command}");
        }
        for command in ["rm -rf ./target", "rm file", "farm -rf .", "rm -r ."] {
            assert!(guard(command).is_none(), "{command}");
        }
    }

    #[test]
    fn the_engine_is_answered_in_every_dialect() {
        for dialect in ["picoclaw", "skill"].map(|name| find(name).unwrap()) {
            let asked = answer(dialect, "model.complete", &json!({"prompt": "Is it done?"}));
            assert_eq!(asked.unwrap().unwrap(), json!({"text": MODEL_ANSWER}));
            let fired = json!({"event": "x", "payload": {}, "trace": "t1"});
            assert!(answer(dialect, "agent.fire", &fired).unwrap().unwrap()["steps"].is_array());
            assert!(answer(dialect, "session.close", &json!({})).is_none());
        }
    }

    #[test]
    fn a_callback_denies_the_tool_with_its_reason() {
        let input = json!({"tool": "bash", "arguments": {"command": "rm -rf ."}});
        let params = json!({"callback": "guard", "event": "before_tool", "input": input});
        let answered = answer(find("picoclaw").unwrap(), "callback.call", &params)
            .unwrap()
            .unwrap();
        let denied = json!({"action": "deny_tool", "reason": "it deletes a whole folder tree"});
        assert_eq!(answered, json!({"output": denied}));
    }
}
