use serde_json::json;

use super::*;
use crate::skill::Skill;
use hookwright_model::{Files, SourceFile, SourceTree};

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
    Skill.parse(&tree).hooks
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
    MessageList::new(contents.iter().map(line).collect())
}

#[test]
fn texts_are_appended_and_removed_by_checkpoint() {
    let hooks = hooks(&[("a", "before_planning", false), ("b", "before_each_agent", false)]);
    let hooks: Vec<&Hook> = hooks.iter().collect();
    let mut list = list_of(&["hi"]);
    list.inject(&trace("t1", "before_planning", &["a"]), &hooks);
    list.inject(&trace("t2", "before_each_agent", &["b"]), &hooks);
    assert_eq!(texts(&list), ["hi", "a!", "b!"]);
    assert_eq!(
        (list.live_count("before_planning"), list.live_count("before_each_agent")),
        (1, 1)
    );
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
    let injected = list.inject(&trace("t1", "before_each_agent", &["a", "b"]), &hooks);
    assert_eq!(injected.appended.len(), 2);
    let persisted: Vec<(&str, &str)> = injected
        .persist
        .iter()
        .map(|text| (text.name.as_str(), text.content.as_str()))
        .collect();
    assert_eq!(persisted, [("a", "a!")]);
    list.remove("before_each_agent");
    list.inject(&trace("t2", "before_each_agent", &["a", "b"]), &hooks);
    assert_eq!(texts(&list), ["a!", "a!", "b!"]);
    assert_eq!(list.live_count("before_each_agent"), 3);
}

#[test]
fn a_prompt_is_removed_by_its_reference_and_not_by_its_content() {
    let mut list = list_of(&["same"]);
    let first = list.inject_prompt("same", "system");
    let second = list.inject_prompt("same", "system");
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
    let first = list.inject_prompt("p", "system");
    list.remove_prompt(&first).unwrap();
    assert_ne!(list.inject_prompt("p", "system"), first);
}
