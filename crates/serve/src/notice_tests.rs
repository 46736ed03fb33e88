//! The notifications of an engine, as a window receives them. Each test has its own home folder.

use std::fs;
use std::time::Duration;

use hookwright_app::{NoticeReason, Push};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

use crate::Client;
use crate::agent_tests::{Agent, command, home_with};
use crate::tests::Home;

/// A client, and the pushes that it receives from now on.
async fn window(home: &Home) -> (Client, Receiver<Push>) {
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let pushes = client.subscribe().await.unwrap();
    (client, pushes)
}

/// The next notification: what it is about, its text, and where it leads.
async fn next_notice(pushes: &mut Receiver<Push>) -> (Option<NoticeReason>, String, String) {
    let next = async {
        loop {
            if let Push::Notice { reason, text, to, .. } = pushes.recv().await.unwrap() {
                return (reason, text, to.unwrap_or_default());
            }
        }
    };
    timeout(Duration::from_secs(20), next)
        .await
        .unwrap_or_else(|_| panic!("no notification came"))
}

fn has_notice(pushes: &mut Receiver<Push>) -> bool {
    std::iter::from_fn(|| pushes.try_recv().ok()).any(|push| matches!(push, Push::Notice { .. }))
}

fn tool(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_arguments": {"command": command}})
}

#[tokio::test]
async fn a_guard_that_failed_open_is_told_once_and_leads_to_its_execution() {
    let home = home_with(&json!({"pre_tool_execution": command("exit 3")}));
    let engine = home.engine().await;
    let (_client, mut pushes) = window(&home).await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let fired = agent.fire("pre_tool_execution", tool("ls")).await;
    let (reason, text, to) = next_notice(&mut pushes).await;
    assert_eq!(reason, Some(NoticeReason::FailedOpen));
    assert!(
        text.starts_with("guard ") && text.ends_with(" failed at pre_tool_execution; the agent continued"),
        "{text}"
    );
    let trace = fired["trace"].as_str().unwrap();
    assert_eq!(to, format!("/history?trace={trace}&step=0"));
    agent.fire("pre_tool_execution", tool("ls")).await;
    // The engine has seen that event too when it answers another one.
    agent.fire("pre_tool_execution", tool("ls")).await;
    assert!(!has_notice(&mut pushes));
}

#[tokio::test]
async fn a_kind_that_is_switched_off_is_not_told_and_the_switch_works_at_once() {
    let home = home_with(&json!({"pre_tool_execution": command("exit 3"), "stop": command("exit 3")}));
    let engine = home.engine().await;
    let (client, mut pushes) = window(&home).await;
    let set = |on: bool| client.call("settings.set", json!({"key": "notifications.failed_open", "value": on}));
    set(false).await.unwrap();
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    agent.fire("pre_tool_execution", tool("ls")).await;
    tokio::task::yield_now().await;
    set(true).await.unwrap();
    agent.fire("stop", json!({})).await;
    let (_, text, _) = next_notice(&mut pushes).await;
    assert!(text.contains(" failed at stop;"), "{text}");
}

#[tokio::test]
async fn a_hook_that_an_agent_registers_is_told_if_it_waits_for_approval() {
    let home = Home::new();
    let engine = home.engine().await;
    let (_client, mut pushes) = window(&home).await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let definition = json!({"command": "touch ran", "timeout": 5});
    let params = json!({"event": "stop", "definition": definition});
    assert_eq!(agent.call("hook.register", params).await["trusted"], false);
    let (reason, text, to) = next_notice(&mut pushes).await;
    assert_eq!(reason, Some(NoticeReason::WaitsForApproval));
    assert_eq!(text, "hook touch ran at stop waits for approval");
    assert!(to.starts_with("/trust?hook=jcli:session:"), "{to}");
}

#[tokio::test]
async fn a_hook_that_is_written_to_a_project_is_told_and_older_ones_are_not() {
    let home = Home::new();
    let file = home.project().join(".jcli/hooks.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, json!({"stop": command("./old.sh")}).to_string()).unwrap();
    let engine = home.engine().await;
    let (client, mut pushes) = window(&home).await;
    client
        .call("projects.add", json!({"path": home.project()}))
        .await
        .unwrap();
    // What an agent registers is told alone: the older hook is not. After that, the engine knows the project.
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let definition = json!({"command": "touch ran", "timeout": 5});
    agent
        .call("hook.register", json!({"event": "stop", "definition": definition}))
        .await;
    assert_eq!(
        next_notice(&mut pushes).await.1,
        "hook touch ran at stop waits for approval"
    );
    let hooks = json!({"stop": command("./old.sh"), "pre_send_message": command("./new.sh")});
    fs::write(&file, hooks.to_string()).unwrap();
    client.call("hooks.refresh", json!({})).await.unwrap();
    // That it is new and that it did not run at an event is one thing to review, and is counted once.
    agent.fire("pre_send_message", json!({"user_input": "hi"})).await;
    let (reason, text, to) = next_notice(&mut pushes).await;
    assert_eq!(reason, Some(NoticeReason::WaitsForApproval));
    assert!(
        [
            "hook new.sh at pre_send_message waits for approval",
            "hook new.sh did not run at pre_send_message: it waits for approval",
        ]
        .contains(&text.as_str()),
        "{text}"
    );
    assert_eq!(to, "/trust?hook=jcli:project:pre_send_message:0");
}
