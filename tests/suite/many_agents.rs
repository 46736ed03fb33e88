//! Many agents at once: no reply is lost or mixed up (`CONTRACTS.md` §3).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hookwright_testkit::Sandbox;
use serde_json::json;

use crate::agent_client::AgentClient;
use crate::sample_agents::engine;

const AGENTS: usize = 64;
/// How many requests of one agent run at once.
const AT_ONCE: usize = 8;

/// How long the agents work: 3 s, or as many as `HOOKWRIGHT_AGENTS_SECONDS` says.
fn duration() -> Duration {
    let given = std::env::var("HOOKWRIGHT_AGENTS_SECONDS").ok();
    let seconds = given.map_or(3, |text| {
        text.parse().expect("HOOKWRIGHT_AGENTS_SECONDS is a number of seconds")
    });
    Duration::from_secs(seconds)
}

/// Fires events until the end, and returns the ids of their traces.
fn work(sandbox: &Sandbox, number: usize, end: Instant) -> Vec<String> {
    let mut agent = AgentClient::open(sandbox, &format!("session {number}"));
    let mut traces = Vec::new();
    let mut round = 0;
    while Instant::now() < end {
        let mut waiting = std::collections::BTreeMap::new();
        for place in 0..AT_ONCE {
            let text = format!("{number} {round} {place}");
            let params = json!({"event": "pre_send_message", "payload": {"user_input": text}});
            waiting.insert(agent.send("event.fire", params), text);
        }
        while !waiting.is_empty() {
            let (id, answer) = agent.answer();
            let text = waiting.remove(&id).expect("each request is answered once");
            let result = &answer["result"];
            assert_eq!(result["recorded"], true, "{text}: {answer}");
            traces.push(result["trace"].as_str().expect("a trace has an id").to_owned());
        }
        round += 1;
    }
    traces
}

#[test]
fn many_agents_at_once_lose_no_reply_and_every_event_is_recorded() {
    let sandbox = Sandbox::new();
    crate::jcli::user(&sandbox, "pre_tool_execution:\n  - command: 'exit 0'\n");
    let _engine = engine(&sandbox);
    let end = Instant::now() + duration();
    let traces: Vec<String> = std::thread::scope(|scope| {
        let sandbox = &sandbox;
        let agents: Vec<_> = (0..AGENTS)
            .map(|number| scope.spawn(move || work(sandbox, number, end)))
            .collect();
        agents
            .into_iter()
            .flat_map(|agent| agent.join().expect("the agent got every reply"))
            .collect()
    });
    assert!(traces.len() >= AGENTS * AT_ONCE, "{} events", traces.len());
    let distinct: BTreeSet<&String> = traces.iter().collect();
    assert_eq!(distinct.len(), traces.len(), "no trace was given twice");
    for trace in traces.iter().step_by(traces.len() / 10) {
        sandbox.run(["show", trace]).assert_exit(0);
    }
    let agents = sandbox.run(["agents", "--json"]).assert_exit(0).json();
    assert_eq!(agents["agents"], json!([]), "every session ended with its connection");
}
