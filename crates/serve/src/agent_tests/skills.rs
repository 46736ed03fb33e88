//! The skill methods.

use std::fs;

use serde_json::{Value, json};

use super::Agent;
use crate::tests::Home;

#[tokio::test]
async fn the_texts_of_skills_come_and_go_by_their_references() {
    let home = Home::new();
    let hooks = home.project().join("skills/reviewer/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let list = json!({"hooks": [
        {"name": "plan", "file": "plan.md", "timing": "before_planning", "role": "system", "persistent": false},
        {"name": "keep", "file": "keep.md", "timing": "before_planning", "role": "user", "persistent": true},
    ]});
    fs::write(hooks.join("hooks.json"), list.to_string()).unwrap();
    fs::write(hooks.join("plan.md"), "plan first").unwrap();
    fs::write(hooks.join("keep.md"), "be brief").unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"dialect": "skill", "session_id": "K"})).await;
    let refused = agent
        .refused("skill.inject", json!({"timing": "before_planning"}))
        .await;
    assert_eq!(refused, (-32001, "no_skill_request".to_owned()));
    let sent = json!([{"role": "user", "content": "plan first", "mine": 1}]);
    let begin = json!({"messages": sent, "enabled_skills": ["reviewer"]});
    assert_eq!(agent.call("skill.begin", begin).await["messages"], sent);
    let injected = agent.call("skill.inject", json!({"timing": "before_planning"})).await;
    let appended = injected["appended"].as_array().unwrap();
    assert_eq!(
        (appended[0]["content"].as_str(), appended.len()),
        (Some("plan first"), 2)
    );
    assert_eq!(
        injected["persist"],
        json!([{"name": "keep", "role": "user", "content": "be brief"}])
    );
    let prompt = agent
        .call("skill.inject_prompt", json!({"content": "plan first"}))
        .await;
    let removed = agent.call("skill.remove", json!({"timing": "before_planning"})).await;
    assert_eq!(
        removed["removed"],
        json!([appended[0]["ref"]]),
        "the persistent text stays"
    );
    let left = agent.call("skill.remove_prompt", json!({"ref": prompt["ref"]})).await;
    let texts = left["messages"].as_array().unwrap();
    assert_eq!(
        (&texts[0], texts.len()),
        (&sent[0], 2),
        "equal texts of the conversation stay: {texts:?}"
    );
    assert_eq!(agent.received.len(), 0);
    agent.call("skill.remove_prompt", json!({"ref": prompt["ref"]})).await;
    assert_eq!(agent.received[0]["method"], "session.notice");
    let unknown = agent.refused("skill.remove", json!({"timing": "nope"})).await;
    assert_eq!(unknown, (-32002, "unknown_event_name".to_owned()));
    // Nothing is named, and what is only found waits for an approval: the agent is told both.
    agent.received.clear();
    agent.call("skill.begin", json!({"messages": []})).await;
    agent.call("skill.inject", json!({"timing": "before_planning"})).await;
    let codes: Vec<&Value> = agent.received.iter().map(|line| &line["params"]["code"]).collect();
    assert_eq!(codes, ["skill_nobody_named", "untrusted_skipped"]);
}

#[tokio::test]
async fn a_folder_of_skills_can_be_named_for_a_request() {
    let home = Home::new();
    let hooks = home.folder.path().join("elsewhere/helper/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let list = json!({"hooks": [
        {"name": "a", "file": "a.md", "timing": "after_user_input", "role": "system", "persistent": false},
    ]});
    fs::write(hooks.join("hooks.json"), list.to_string()).unwrap();
    fs::write(hooks.join("a.md"), "from elsewhere").unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"dialect": "skill"})).await;
    let skills = home.folder.path().join("elsewhere");
    agent
        .call(
            "skill.begin",
            json!({"messages": [], "enabled_skills": ["helper"], "skills_dir": skills}),
        )
        .await;
    let injected = agent.call("skill.inject", json!({"timing": "after_user_input"})).await;
    assert_eq!(
        injected["messages"],
        json!([{"role": "system", "content": "from elsewhere"}])
    );
}
