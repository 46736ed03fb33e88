//! skill: nothing is fired and nothing can block. At five moments of a request the engine inserts texts into the list
//! of messages, and takes them out again. The agent keeps its own list and follows the engine by the `ref` of each text.

use serde_json::{Value, json};

use super::{Dialect, items, tool_name};
use crate::engine::CallError;
use crate::session::{Reply, Session, print_line, say, text};

const TOOLS: [(&str, &str); 4] = [
    ("read", "read_file"),
    ("write", "write_file"),
    ("shell", "run_command"),
    ("task", "delegate"),
];

pub struct Skill;

impl Dialect for Skill {
    fn name(&self) -> &'static str {
        "skill"
    }

    fn play(&self, session: &Session, script: &Value) -> Result<(), CallError> {
        let mut history = Vec::new();
        for turn in items(&script["turns"]) {
            history.push(json!({"role": "user", "content": turn["user"]}));
            let mut request = Request::begin(session, &history)?;
            let answer = request.play(items(&turn["replies"]))?;
            // The front end keeps the persistent texts, and sends them back with the next request.
            history.append(&mut request.persisted);
            history.push(json!({"role": "assistant", "content": answer}));
        }
        Ok(())
    }

    fn command_of<'p>(&self, _event: &str, _payload: &'p Value) -> Option<&'p str> {
        None
    }

    fn own_reply(&self, _event: &str, _reason: Option<&str>) -> Reply {
        let answer = json!({"messages": [], "appended": [], "persist": []});
        json!({"json": answer, "exit_code": 0, "stderr": ""})
    }
}

/// A message of the list. `inserted` is its `ref`, `null` for the agent's own messages.
struct Entry {
    inserted: Value,
    message: Value,
}

/// One request of the user.
struct Request<'s> {
    session: &'s Session,
    messages: Vec<Entry>,
    persisted: Vec<Value>,
}

impl<'s> Request<'s> {
    fn begin(session: &'s Session, history: &[Value]) -> Result<Self, CallError> {
        let mut begin = json!({"messages": history});
        if let Some(skills) = &session.options.skills {
            begin["enabled_skills"] = json!(skills); // naming a skill approves it; without names the approved ones count
        }
        let begun = session.call("skill.begin", &begin)?;
        let mut request = Self {
            session,
            messages: Vec::new(),
            persisted: Vec::new(),
        };
        for message in items(&begun["messages"]) {
            request.add(Value::Null, message.clone());
        }
        Ok(request)
    }

    /// Plays all replies of the model and returns the text of the last one.
    fn play(&mut self, replies: &[Value]) -> Result<Value, CallError> {
        self.inject("after_user_input", None)?;
        self.inject("before_planning", None)?;
        let planning = self.insert_prompt("Does this need a tool?")?;
        self.call_model("planning", &json!("yes"));
        self.remove_prompt(&planning)?;
        self.remove("before_planning")?;
        for (number, reply) in replies.iter().enumerate() {
            self.remove("before_each_agent")?;
            self.inject("before_each_agent", None)?;
            if number == 0 {
                self.inject("before_first_agent", None)?;
            }
            let prompt = self.insert_prompt("Do the next step.")?;
            self.call_model(&format!("step {}", number + 1), &reply["text"]);
            self.call_tools(reply)?;
            self.remove_prompt(&prompt)?;
        }
        self.remove("before_first_agent")?;
        self.remove("after_tool_call")?;
        Ok(replies.last().map_or(Value::Null, |reply| reply["text"].clone()))
    }

    fn call_tools(&mut self, reply: &Value) -> Result<(), CallError> {
        let calls = items(&reply["calls"]);
        if calls.is_empty() {
            return Ok(());
        }
        self.add(Value::Null, json!({"role": "assistant", "content": reply["text"]}));
        for call in calls {
            let result = call.get("result").or_else(|| call.get("error"));
            self.add(Value::Null, json!({"role": "tool", "content": result}));
        }
        self.remove("after_tool_call")?;
        for call in calls {
            self.inject("after_tool_call", Some(tool_name(&TOOLS, call)))?;
        }
        Ok(())
    }

    /// Asks for the texts of one moment. A refusal does not stop the agent.
    fn inject(&mut self, timing: &str, tool: Option<&str>) -> Result<(), CallError> {
        self.session.pace();
        let mut params = json!({"timing": timing});
        if let Some(tool) = tool {
            params["tool_name"] = json!(tool);
        }
        let result = match self.session.call("skill.inject", &params) {
            Err(CallError::Refused(why)) => {
                print_line(timing, "error", &why, "");
                return Ok(());
            }
            other => other?,
        };
        let appended = items(&result["appended"]);
        for entry in appended {
            self.add(
                entry["ref"].clone(),
                json!({"role": entry["role"], "content": entry["content"]}),
            );
        }
        for entry in items(&result["persist"]) {
            let kept = json!({"role": entry["role"], "content": entry["content"], "_hook": entry["name"]});
            self.persisted.push(kept);
        }
        let said = match appended.len() {
            0 => String::new(),
            1 => "1 text inserted".to_owned(),
            count => format!("{count} texts inserted"),
        };
        print_line(timing, "proceed", &said, text(&result["trace"]));
        Ok(())
    }

    fn remove(&mut self, timing: &str) -> Result<(), CallError> {
        let result = self.session.call("skill.remove", &json!({"timing": timing}))?;
        let gone = items(&result["removed"]);
        self.messages.retain(|entry| !gone.contains(&entry.inserted));
        if !gone.is_empty() {
            say(&format!("{} removed of {timing}", gone.len()));
        }
        Ok(())
    }

    /// The agent's own prompts are in the list for one call of the model, and belong to no moment.
    fn insert_prompt(&mut self, prompt: &str) -> Result<Value, CallError> {
        let params = json!({"content": prompt, "role": "user"});
        let inserted = self.session.call("skill.inject_prompt", &params)?["ref"].take();
        self.add(inserted.clone(), json!({"role": "user", "content": prompt}));
        Ok(inserted)
    }

    fn remove_prompt(&mut self, inserted: &Value) -> Result<(), CallError> {
        self.session.call("skill.remove_prompt", &json!({"ref": inserted}))?;
        self.messages.retain(|entry| entry.inserted != *inserted);
        Ok(())
    }

    fn add(&mut self, inserted: Value, message: Value) {
        self.messages.push(Entry { inserted, message });
    }

    fn call_model(&self, label: &str, answer: &Value) {
        // What an agent with a real model would send to it.
        let request: Vec<&Value> = self.messages.iter().map(|entry| &entry.message).collect();
        let (count, answer) = (request.len(), text(answer));
        say(&format!("{label}: the model reads {count} messages and says: {answer}"));
    }
}
