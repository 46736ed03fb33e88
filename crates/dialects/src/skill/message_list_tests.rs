use serde_json::json;

use super::*;
use crate::skill::Skill;
use hookwright_model::{Files, Life, SourceFile, SourceTree};

/// The hooks of one skill `s` with these entries. Each hook has a text file of its own name.
fn hooks(entries: &[(&str, &str, bool)]) -> Vec<Hook> {
    let entry = |(name, timing, persistent): &(&str, &str, bool)| json!({"name": name, "file": format!("{name}.md"), "timing": timing, "role": "system", "persistent": persistent});
    let list: Vec<Value> = entries.iter().map(entry).collect();
    let folder = std::path::Path::new("/p/skills/s/hooks");
    let places = hookwright_model::Locations {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: Default::default(),
    };
    let file = |name: String, text: String| {
        let path = folder.join(name);
        (path.clone(), SourceFile::with_text(path, Ok(text)))
    };
    let texts = entries
        .iter()
        .map(|(name, _, _)| file(format!("{name}.md"), format!("{name}!")));
    let tree = SourceTree {
        root: Skill.detect_root(&folder.join("hooks.json"), &places).unwrap(),
        exists: true,
        files: std::iter::once(file("hooks.json".to_owned(), json!({"hooks": list}).to_string()))
            .chain(texts)
            .collect(),
    };
    let hooks = Skill.parse(&tree).hooks.into_iter();
    hooks.map(std::sync::Arc::unwrap_or_clone).collect()
}

/// The trace of a checkpoint at which these hooks inserted.
fn trace(id: &str, timing: &str, names: &[&str]) -> Trace {
    let step = |name: &&str| {
        json!({"hook": format!("skill:skill:s:{name}"), "label": name, "position": 1, "source": {"layer": "skill", "path": "/p", "line": 1},
               "handler": "insert", "outcome": "changed", "reason": null, "code": null, "args": {}, "gates": [], "edits": [], "ignored": [], "attempts": []})
    };
    let appended = names.iter().zip(1..).map(
        |(name, number)| json!({"ref": format!("{id}.{number}"), "role": "system", "content": format!("{name}!")}),
    );
    serde_json::from_value(json!({
        "trace": id, "dialect": "skill", "event": timing, "origin": "simulated", "session": null, "agent": null, "project": null,
        "at": "2026-01-15T10:30:00Z", "took_ms": 0.0, "verdict": {"kind": "proceed", "reason": null, "feedback": null, "by": null, "code": null, "args": {}},
        "payload_before": {}, "payload_after": {}, "notices": [], "steps": names.iter().map(step).collect::<Vec<_>>(),
        "reply": {"json": {"messages": [], "appended": appended.collect::<Vec<_>>(), "persist": []}, "exit_code": 0, "stderr": ""}
    }))
    .unwrap()
}

fn texts(list: &MessageList) -> Vec<String> {
    let lines = list.tracked_messages();
    lines
        .iter()
        .map(|line| line.message.content.as_str().unwrap().to_owned())
        .collect()
}

fn list_of(contents: &[&str]) -> MessageList {
    let line = |content: &&str| TrackedMessage::new(ChatMessage::new("user", *content), MessageOrigin::History);
    MessageList::new(contents.iter().map(line).collect(), None)
}

#[test]
fn texts_are_appended_and_removed_by_checkpoint() {
    let hooks = hooks(&[("a", "before_planning", false), ("b", "before_each_agent", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = list_of(&["hi"]);
    list.insert(&trace("t1", "before_planning", &["a"]), &hooks);
    list.insert(&trace("t2", "before_each_agent", &["b"]), &hooks);
    assert_eq!(texts(&list), ["hi", "a!", "b!"]);
    let removed = list.remove("before_planning");
    assert_eq!(
        (
            removed[0].reference.as_str(),
            removed[0].trace.as_str(),
            removed[0].hook.as_str()
        ),
        ("t1.1", "t1", "skill:skill:s:a")
    );
    assert_eq!(texts(&list), ["hi", "b!"]);
    assert!(
        list.remove("before_planning").is_empty(),
        "nothing inserted: nothing happens"
    );
}

#[test]
fn persistent_texts_stay_and_are_sent_to_the_front_end() {
    let hooks = hooks(&[("a", "before_each_agent", true), ("b", "before_each_agent", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = list_of(&[]);
    let inserted = list.insert(&trace("t1", "before_each_agent", &["a", "b"]), &hooks);
    assert_eq!(inserted.appended.len(), 2);
    let persisted: Vec<(&str, &str)> = inserted
        .persist
        .iter()
        .map(|text| (text.name.as_str(), text.content.as_str()))
        .collect();
    assert_eq!(persisted, [("a", "a!")]);
    list.remove("before_each_agent");
    list.insert(&trace("t2", "before_each_agent", &["a", "b"]), &hooks);
    assert_eq!(texts(&list), ["a!", "a!", "b!"]);
}

#[test]
fn a_prompt_is_removed_by_its_reference_and_not_by_its_content() {
    let mut list = list_of(&["same"]);
    let first = list.insert_prompt("same", None);
    let second = list.insert_prompt("same", None);
    list.push(TrackedMessage::new(
        ChatMessage::new("user", "same"),
        MessageOrigin::User,
    ));
    assert_ne!(first, second);
    assert_eq!(list.remove_prompt(&first), Ok(()));
    let origins: Vec<MessageOrigin> = list.tracked_messages().iter().map(|line| line.origin).collect();
    assert_eq!(
        origins,
        [MessageOrigin::History, MessageOrigin::Prompt, MessageOrigin::User]
    );
    let message = list.remove_prompt(&first).unwrap_err();
    assert_eq!(message.code, "skill_no_such_ref");
    assert_eq!(texts(&list).len(), 3, "a reference that is gone takes nothing out");
}

#[test]
fn a_prompt_reference_is_never_reused() {
    let mut list = list_of(&[]);
    let first = list.insert_prompt("p", None);
    list.remove_prompt(&first).unwrap();
    assert_ne!(list.insert_prompt("p", None), first);
}

/// The list of a request that an agent begins.
fn begin(messages: Value, skills: Value) -> Result<Box<dyn RequestList>, Message> {
    let begin = RequestBegin {
        messages,
        enabled_skills: skills,
    };
    Skill.begin_request(begin).unwrap()
}

fn contents(list: &dyn RequestList) -> Vec<String> {
    let messages = list.messages();
    let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
    messages.as_array().unwrap().iter().map(text).collect()
}

#[test]
fn replies_carry_the_messages_as_the_front_end_sent_them() {
    let sent = json!([
        {"id": 7, "role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"tool_calls": [], "role": "assistant"},
        {"role": "system", "content": "kept", "_hook": "a"},
        {"role": "user", "content": null}
    ]);
    let mut list = begin(sent.clone(), Value::Null).unwrap();
    assert_eq!(
        list.messages().to_string(),
        sent.to_string(),
        "keys in their order, nothing added"
    );
    list.insert_prompt("p", Some("user"));
    let reply = list.messages();
    assert_eq!(reply.as_array().unwrap()[..4], sent.as_array().unwrap()[..]);
    assert_eq!(reply[4], json!({"role": "user", "content": "p"}));
}

#[test]
fn a_payload_has_the_list_the_tool_and_the_enabled_skills() {
    let list = begin(json!([{"role": "user", "content": "hi"}]), json!(["s", "t"])).unwrap();
    let wanted =
        json!({"messages": [{"role": "user", "content": "hi"}], "tool_name": "grep", "enabled_skills": ["s", "t"]});
    assert_eq!(Value::Object(list.payload(Some("grep"))), wanted);
    let list = begin(Value::Null, Value::Null).unwrap();
    assert_eq!(Value::Object(list.payload(None)), json!({"messages": []}));
}

#[test]
fn a_request_with_the_wrong_types_is_refused() {
    for messages in [json!("hi"), json!([1]), json!([{"content": "hi"}]), json!({})] {
        assert_eq!(begin(messages, Value::Null).unwrap_err().code, "skill_messages");
    }
    for skills in [json!("s"), json!([1]), json!({})] {
        assert_eq!(begin(json!([]), skills).unwrap_err().code, "skill_skills");
    }
}

#[test]
fn an_insertion_answers_what_was_appended_and_what_the_front_end_stores() {
    let hooks = hooks(&[("a", "after_user_input", true), ("b", "after_user_input", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = begin(json!([]), Value::Null).unwrap();
    let inserted = list.insert(&trace("t1", "after_user_input", &["a", "b"]), &hooks);
    let appended: Vec<Value> = inserted.appended.iter().map(InsertedText::to_json).collect();
    let wanted = [
        json!({"ref": "t1.1", "role": "system", "content": "a!"}),
        json!({"ref": "t1.2", "role": "system", "content": "b!"}),
    ];
    assert_eq!(appended, wanted);
    assert_eq!(
        json!(inserted.persist),
        json!([{"name": "a", "role": "system", "content": "a!"}])
    );
    assert_eq!(contents(&*list), ["a!", "b!"]);
}

#[test]
fn a_text_that_is_equal_to_a_prompt_to_history_or_to_another_text_is_never_removed_by_mistake() {
    let hooks = hooks(&[("a", "before_planning", false), ("b", "before_each_agent", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = begin(json!([{"role": "system", "content": "a!"}]), Value::Null).unwrap();
    let prompt = list.insert_prompt("a!", None);
    list.insert(&trace("t1", "before_planning", &["a"]), &hooks);
    list.insert(&trace("t2", "before_each_agent", &["b"]), &hooks);
    let removed: Vec<String> = list
        .remove("before_planning")
        .into_iter()
        .map(|text| text.reference)
        .collect();
    assert_eq!(removed, ["t1.1"]);
    assert_eq!(contents(&*list), ["a!", "a!", "b!"]);
    list.remove_prompt(&prompt).unwrap();
    assert_eq!(contents(&*list), ["a!", "b!"]);
    assert_eq!(
        list.remove_prompt("t2.1").unwrap_err().code,
        "skill_no_such_ref",
        "not a prompt"
    );
    assert_eq!(list.remove_prompt(&prompt).unwrap_err().code, "skill_no_such_ref");
    assert_eq!(contents(&*list), ["a!", "b!"]);
}

#[test]
fn every_insertion_at_a_timing_is_removed_at_once_and_only_once() {
    let hooks = hooks(&[("a", "after_tool_call", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = begin(json!([]), Value::Null).unwrap();
    for id in ["t1", "t2"] {
        list.insert(&trace(id, "after_tool_call", &["a"]), &hooks);
    }
    let removed = list.remove("after_tool_call");
    let origins: Vec<(&str, &str)> = removed
        .iter()
        .map(|text| (text.trace.as_str(), text.hook.as_str()))
        .collect();
    assert_eq!(origins, [("t1", "skill:skill:s:a"), ("t2", "skill:skill:s:a")]);
    assert!(list.remove("after_tool_call").is_empty() && list.remove("nope").is_empty());
    assert!(contents(&*list).is_empty());
}

#[test]
fn a_new_request_begins_with_an_empty_ledger() {
    let hooks = hooks(&[("a", "before_planning", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = begin(json!([]), Value::Null).unwrap();
    list.insert(&trace("t1", "before_planning", &["a"]), &hooks);
    let mut next = begin(list.messages(), Value::Null).unwrap();
    assert!(
        next.remove("before_planning").is_empty(),
        "the text is now ordinary history"
    );
    assert_eq!(contents(&*next), ["a!"]);
}

#[test]
fn only_this_dialect_has_a_message_list() {
    for dialect in crate::all().iter().filter(|dialect| dialect.card().id != "skill") {
        assert!(dialect.begin_request(RequestBegin::default()).is_none());
    }
}
