//! picoclaw: five events wait for a reply, which is the result of a JSON-RPC method. All others are kinds: the agent
//! sends them as notifications (`event.note`) and goes on.

use serde_json::{Value, json};

use super::{Dialect, items, tool_name};
use crate::engine::CallError;
use crate::session::{Reply, Session, say, text};

const SHELL: &str = "bash";
const TASK: &str = "spawn";
const TOOLS: [(&str, &str); 4] = [
    ("read", "read_file"),
    ("write", "write_file"),
    ("shell", SHELL),
    ("task", TASK),
];

pub struct Picoclaw;

impl Dialect for Picoclaw {
    fn name(&self) -> &'static str {
        "picoclaw"
    }

    fn callbacks(&self) -> Vec<Value> {
        vec![json!({"definition": {"callback": "guard", "priority": 10, "intercept": ["before_tool"]}})]
    }

    fn play(&self, session: &Session, script: &Value) -> Result<(), CallError> {
        match Talk::new(session, script).play(script) {
            Err(End::Session(why)) => {
                say(&format!("a hook ends the session: {why}"));
                Ok(())
            }
            Err(End::Failed(error)) => Err(error),
            Err(End::Turn(_)) | Ok(()) => Ok(()),
        }
    }

    fn command_of<'p>(&self, event: &str, payload: &'p Value) -> Option<&'p str> {
        let is_shell = event == "before_tool" && payload["tool"] == SHELL;
        payload["arguments"]["command"].as_str().filter(|_| is_shell)
    }

    fn own_reply(&self, event: &str, reason: Option<&str>) -> Reply {
        let answer = match (event, reason) {
            ("approve_tool", _) => json!({"approved": true}),
            ("before_llm" | "after_llm" | "before_tool" | "after_tool", None) => json!({"action": "continue"}),
            ("before_llm" | "after_llm" | "before_tool" | "after_tool", Some(reason)) => {
                json!({"action": "deny_tool", "reason": reason})
            }
            _ => json!({}), // a kind
        };
        json!({"json": answer, "exit_code": 0, "stderr": ""})
    }
}

/// Why the conversation does not go on as it was written.
enum End {
    /// A hook ended the turn.
    Turn(String),
    /// A hook ended the conversation.
    Session(String),
    /// The engine left.
    Failed(CallError),
}

impl From<CallError> for End {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

/// The conversation so far.
struct Talk<'s> {
    session: &'s Session,
    model: Value,
    messages: Vec<Value>,
    turns: u32,
    iteration: u32,
}

impl<'s> Talk<'s> {
    fn new(session: &'s Session, script: &Value) -> Self {
        Self {
            session,
            model: script["model"].clone(),
            messages: vec![json!({"role": "system", "content": script["system_prompt"]})],
            turns: 0,
            iteration: 0,
        }
    }

    fn play(&mut self, script: &Value) -> Result<(), End> {
        let turns = items(&script["turns"]);
        for (number, turn) in turns.iter().enumerate() {
            self.turn(turn, turns.get(number + 1))?;
        }
        self.interrupted_turn()
    }

    fn turn(&mut self, turn: &Value, following: Option<&Value>) -> Result<(), End> {
        self.turns += 1;
        self.iteration = 0;
        self.note("turn_start", json!({"UserMessage": turn["user"]}))?;
        self.add("user", &turn["user"]);
        if turn["compact"] == true {
            self.note("context_compress", json!({"Before": self.messages.len(), "After": 2}))?;
            self.messages.drain(1..self.messages.len() - 1);
            self.note("session_summarize", json!({"Summary": "[summary]"}))?;
        }
        if let Some(following) = following {
            self.note("follow_up_queued", json!({"Content": following["user"]}))?; // the user is faster than the agent
        }
        let mut status = "completed";
        for (number, reply) in items(&turn["replies"]).iter().enumerate() {
            match self.request(reply, self.turns == 1 && number == 0) {
                Err(End::Turn(why)) => {
                    self.note("error", json!({"Stage": "hook", "Message": why}))?;
                    status = "aborted";
                    break;
                }
                other => other?,
            }
        }
        self.note("turn_end", json!({"Status": status}))
    }

    /// One request to the model and the tools that it calls.
    fn request(&mut self, reply: &Value, fails_first: bool) -> Result<(), End> {
        self.iteration += 1;
        let tools: Vec<Value> = TOOLS.iter().map(|(_, name)| json!({"name": name})).collect();
        let mut request = json!({"model": self.model, "messages": self.messages, "tools": tools});
        request["options"] = json!({"temperature": 0});
        let changed = self.fire("before_llm", request.clone())?["request"].take();
        merge(&mut request, &changed);
        self.messages = items(&request["messages"]).to_vec();
        self.note(
            "llm_request",
            json!({"Model": request["model"], "MessageCount": self.messages.len()}),
        )?;
        if fails_first {
            self.note("llm_retry", json!({"Attempt": 1, "Error": "the model is overloaded"}))?;
        }
        self.note(
            "llm_delta",
            json!({"Content": text(&reply["text"]).chars().take(10).collect::<String>()}),
        )?;
        self.note("llm_response", json!({"Content": reply["text"]}))?;
        let calls: Vec<Value> = (1..)
            .zip(items(&reply["calls"]))
            .map(|(number, call)| {
                json!({"id": format!("call_{number}"), "name": tool_name(&TOOLS, call), "arguments": call["input"]})
            })
            .collect();
        let response = json!({"role": "assistant", "content": reply["text"], "tool_calls": calls});
        let mut answer = self.fire("after_llm", json!({"model": request["model"], "response": response}))?;
        let response = answer.pointer_mut("/response/response").map_or(response, Value::take);
        self.add("assistant", &response["content"]);
        self.call_tools(&calls, reply)
    }

    fn call_tools(&mut self, calls: &[Value], reply: &Value) -> Result<(), End> {
        for (number, (asked, call)) in calls.iter().zip(items(&reply["calls"])).enumerate() {
            let result = self.call(asked, call)?;
            let message = json!({"role": "tool", "content": result, "tool_call_id": asked["id"]});
            self.messages.push(message);
            if number == 0 && reply["steering"].is_string() {
                return self.steer(&reply["steering"], &calls[1..]);
            }
        }
        Ok(())
    }

    /// The user says something while tools run: the calls that are left are skipped.
    fn steer(&mut self, said: &Value, rest: &[Value]) -> Result<(), End> {
        for asked in rest {
            self.skip(&asked["name"], "the user sent a message")?;
        }
        self.note("steering_injected", json!({"Content": said}))?;
        self.add("user", said);
        Ok(())
    }

    fn skip(&self, tool: &Value, reason: &str) -> Result<Value, End> {
        self.note("tool_exec_skipped", json!({"Tool": tool, "Reason": reason}))?;
        Ok(json!(reason))
    }

    /// Runs one tool, as the hooks allow. Returns what the model gets.
    fn call(&self, asked: &Value, call: &Value) -> Result<Value, End> {
        let mut asked = json!({"tool": asked["name"], "arguments": asked["arguments"]});
        let mut answer = self.fire("before_tool", asked.clone())?;
        if answer["action"] == "deny_tool" {
            let why = text(&answer["reason"]);
            return self.skip(&asked["tool"], &format!("Tool execution denied by hook: {why}"));
        }
        if answer["action"] == "respond" {
            // The result comes from a hook: no approval is asked for, and the tool does not run.
            self.note("tool_exec_start", json!({"Tool": asked["tool"]}))?;
            self.note("tool_exec_end", json!({"Tool": asked["tool"], "Duration": 0}))?;
            return Ok(answer["result"]["for_llm"].take());
        }
        merge(&mut asked, &answer["call"]);
        let asked = json!({"tool": asked["tool"], "arguments": asked["arguments"]});
        let approval = self.fire("approve_tool", asked.clone())?;
        if approval["approved"] != true {
            let why = approval["reason"]
                .as_str()
                .map(|why| format!(": {why}"))
                .unwrap_or_default();
            return self.skip(&asked["tool"], &format!("Tool execution denied by approval hook{why}"));
        }
        self.run(asked, call)
    }

    fn run(&self, mut asked: Value, call: &Value) -> Result<Value, End> {
        let took = 12_000_000; // nanoseconds; a scripted tool needs no time
        let tool = asked["tool"].clone();
        self.note("tool_exec_start", json!({"Tool": tool}))?;
        if tool == TASK {
            self.subturn(call)?;
            self.note("subturn_result_delivered", json!({"Content": call["result"]}))?;
        }
        self.note("tool_exec_end", json!({"Tool": tool, "Duration": took}))?;
        let output = call.get("error").unwrap_or(&call["result"]);
        asked["result"] = json!({"for_llm": output, "for_user": output, "is_error": call.get("error").is_some()});
        asked["duration"] = json!(took);
        let mut answer = self.fire("after_tool", asked)?;
        let changed = answer.pointer_mut("/result/result/for_llm").map(Value::take);
        Ok(changed.unwrap_or_else(|| output.clone()))
    }

    fn subturn(&self, call: &Value) -> Result<(), End> {
        self.note_of_subturn("subturn_spawn", json!({"Task": call["input"]["description"]}))?;
        self.note_of_subturn("subturn_end", json!({"Status": "completed"}))
    }

    /// A last turn that the user interrupts while its sub-agent works: its result is not delivered.
    fn interrupted_turn(&mut self) -> Result<(), End> {
        self.turns += 1;
        self.note("turn_start", json!({"UserMessage": "Look for more of them."}))?;
        self.note_of_subturn("subturn_spawn", json!({"Task": "look for more of them"}))?;
        self.note("interrupt_received", json!({"Kind": "hard"}))?;
        self.note("error", json!({"Stage": "turn", "Message": "interrupted by the user"}))?;
        self.note("turn_end", json!({"Status": "aborted"}))?;
        self.note_of_subturn("subturn_end", json!({"Status": "completed"}))?;
        self.note_of_subturn("subturn_orphan", json!({"Reason": "its parent has ended"}))
    }

    fn add(&mut self, role: &str, content: &Value) {
        self.messages.push(json!({"role": role, "content": content}));
    }

    fn meta(&self, is_subturn: bool) -> Value {
        let turn = format!("turn-{}", self.turns);
        let (turn, parent) = if is_subturn {
            (format!("{turn}-sub"), turn)
        } else {
            (turn, String::new())
        };
        let mut meta = json!({"AgentID": "main", "TurnID": turn, "ParentTurnID": parent});
        let place = json!({
            "SessionKey": self.session.id, "Iteration": self.iteration, "TracePath": "", "Source": "cli",
        });
        merge(&mut meta, &place);
        meta
    }

    /// Fires an event and returns the fields of the reply, unless it ends the turn or the session.
    fn fire(&self, event: &str, more: Value) -> Result<Value, End> {
        let mut payload = json!({"meta": self.meta(false), "channel": "cli", "chat_id": "1"});
        merge(&mut payload, &more);
        let fields = self.session.fire(event, &payload)?["json"].take();
        let reason = fields["reason"].as_str();
        match text(&fields["action"]) {
            "abort_turn" => Err(End::Turn(reason.unwrap_or("hook requested turn abort").to_owned())),
            "hard_abort" => Err(End::Session(reason.unwrap_or("no reason given").to_owned())),
            _ => Ok(fields),
        }
    }

    fn note(&self, kind: &str, payload: Value) -> Result<(), End> {
        let event = json!({"Kind": kind, "Meta": self.meta(false), "Payload": payload});
        Ok(self.session.note(kind, &event)?)
    }

    fn note_of_subturn(&self, kind: &str, payload: Value) -> Result<(), End> {
        let event = json!({"Kind": kind, "Meta": self.meta(true), "Payload": payload});
        Ok(self.session.note(kind, &event)?)
    }
}

/// Puts the fields of one object into another one.
fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        for (name, value) in from {
            into.insert(name.clone(), value.clone());
        }
    }
}
