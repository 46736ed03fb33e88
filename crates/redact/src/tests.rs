mod cutting;
mod json_texts;
mod keys;
mod large_texts;
mod names;
mod patterns;
mod planted;
mod repeated_values;
mod settings;
mod traces;

use hookwright_model::listing::ExplainStep;
use hookwright_model::run::End;
use hookwright_model::trace::{
    Attempt, FieldEdit, Gate, GateName, Ignored, Notice, NoticeKind, Reply, SourceRef, Step, Trace, Verdict,
};
use hookwright_model::{Health, HealthState, Layer, Origin, Outcome, RunMode, VerdictKind, args};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use super::*;

const NO_ENVIRONMENT: [(&str, &str); 0] = [];

fn redactor() -> Redactor {
    Redactor::new(NO_ENVIRONMENT, &RedactionSettings::default())
}

fn redactor_with(keys: &[&str], patterns: &[&str]) -> Redactor {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Redactor::new(
        NO_ENVIRONMENT,
        &RedactionSettings {
            enabled: true,
            keys: texts(keys),
            patterns: texts(patterns),
        },
    )
}

fn masked(text: &str) -> String {
    redactor().text(text).0
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn attempt(stdin: &str, stdout: &str, stderr: &str) -> Attempt {
    Attempt {
        counted: std::collections::BTreeMap::new(),
        end: End::Exit,
        code: Some(0),
        signal: None,
        stdin: stdin.to_owned(),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        started_ms: 0.1,
        took_ms: 2.0,
        truncated: false,
        command: vec!["/bin/sh".to_owned(), "-c".to_owned(), "true".to_owned()],
        cwd: Some("/code".to_owned()),
        env: vec!["JCLI_CWD".to_owned()],
        output_problems: Vec::new(),
        pipe_held: false,
    }
}

fn step(attempts: Vec<Attempt>) -> Step {
    Step {
        hook: "jcli:user:pre_tool_execution:0".to_owned(),
        label: "guard.py".to_owned(),
        position: Some(1),
        order: 1,
        source: SourceRef {
            layer: Layer::User,
            path: "/home/p/hooks.yaml".to_owned(),
            line: 2,
        },
        handler: "shell".to_owned(),
        version: "0123456789abcdef".to_owned(),
        uid: String::new(),
        agent_trust: None,
        mode: RunMode::Await,
        outcome: Outcome::NoOpinion,
        reason: None,
        code: None,
        args: args! {},
        gates: vec![Gate::passed(GateName::Valid)],
        edits: Vec::new(),
        ignored: Vec::new(),
        attempts,
        removed: Vec::new(),
    }
}

fn trace(payload: Value, steps: Vec<Step>) -> Trace {
    Trace {
        trace: "01J00000000000000000000000".to_owned(),
        dialect: "jcli".to_owned(),
        event: "pre_tool_execution".to_owned(),
        origin: Origin::Cli,
        session: None,
        agent: None,
        project: Some("/code".to_owned()),
        at: "2026-01-15T10:30:00Z".parse().unwrap(),
        took_ms: 3.0,
        verdict: Verdict::proceed(),
        payload_before: Arc::new(object(payload.clone())),
        payload_after: Arc::new(object(payload)),
        reply: Reply {
            json: json!({}),
            exit_code: 0,
            stderr: String::new(),
        },
        notices: Vec::new(),
        steps,
        redacted: false,
        recorded: true,
        bodies_removed_days: None,
    }
}

fn redacted(payload: Value, steps: Vec<Step>) -> Trace {
    redactor().redact_trace(trace(payload, steps)).recorded
}
