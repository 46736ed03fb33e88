//! The compact form gives the trace back, byte by byte.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::catalog::Catalog;
use crate::message::Message;
use crate::trace::{Attempt, FieldEdit, Gate, Ignored, Notice, Removal, Reply, SourceRef, Step, Trace, Verdict};
use crate::{python_json, render};

crate::messages! {
    PLAIN = "plain" { "nothing to say", "无可奉告" };
    WITH = "with" { "{name} said {text}", "{name} 说 {text}" };
    CASE = "with" / "case" { "in {name} another", "在 {name} 另一" };
}

fn catalog() -> Catalog {
    Catalog::new(ALL.iter().copied())
}

/// Compacts, writes as JSON, reads, and renders.
fn there_and_back(trace: &Trace) -> (String, Trace) {
    let compact = CompactTrace::new(trace);
    let line = serde_json::to_string(&compact).unwrap();
    let read: CompactTrace = serde_json::from_str(&line).unwrap();
    assert_eq!(read, compact);
    (line, read.render(&catalog()))
}

fn text_of(trace: &Trace) -> String {
    serde_json::to_string(trace).unwrap()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |n| serde_json::Number::from_f64(n).map(Value::Number)),
        "[a-z\"\\\\é危 \n]{0,8}".prop_map(Value::from),
        "[a-z危]{80,90}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[abc]", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn payload() -> impl Strategy<Value = Payload> {
    proptest::collection::vec(("[a-e]", value()), 0..6).prop_map(|fields| fields.into_iter().collect::<Map<_, _>>())
}

fn message() -> impl Strategy<Value = Message> {
    let kept = prop_oneof![
        Just(PLAIN.render_plain()),
        "[a-z]{0,4}".prop_map(|name| render!(WITH, "name" => name, "text" => "{name}")),
        "[a-z]{0,4}".prop_map(|name| render!(CASE, "name" => name)),
    ];
    (kept, any::<bool>()).prop_map(|(mut message, cut)| {
        if cut {
            message.text.push('…');
        }
        message
    })
}

fn gates() -> impl Strategy<Value = Vec<Gate>> {
    let failing = (0..6_usize, proptest::option::of(message())).prop_map(|(count, why)| {
        let passed = GATES.into_iter().take(count).map(Gate::passed);
        let last = why.map(|why| Gate::failed(GATES[count], why, Some(NearMiss::Case)));
        passed.chain(last).collect::<Vec<_>>()
    });
    let unusual = proptest::sample::subsequence(GATES.to_vec(), 0..6).prop_map(|names| {
        let gate = |gate| Gate {
            pass: false,
            ..Gate::passed(gate)
        };
        names.into_iter().map(gate).collect()
    });
    prop_oneof![4 => failing, 1 => unusual]
}

/// How a stream relates to the payload.
#[derive(Debug, Clone)]
enum Input {
    Text(String),
    Plain(usize),
    Python(usize),
    Line,
    Request(u32),
    Reordered,
    Cut(usize),
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        "[a-z危]{0,200}".prop_map(Input::Text),
        (0..2_usize).prop_map(Input::Plain),
        (0..2_usize).prop_map(Input::Python),
        Just(Input::Line),
        any::<u32>().prop_map(Input::Request),
        Just(Input::Reordered),
        (0..400_usize).prop_map(Input::Cut),
    ]
}

impl Input {
    fn text(&self, sides: [&Payload; 2]) -> String {
        let plain = |side: usize| serde_json::to_string(sides[side]).unwrap();
        match self {
            Self::Text(text) => text.clone(),
            Self::Plain(side) => plain(*side),
            Self::Python(side) => python_json::to_python_json(&Value::Object(sides[*side].clone())),
            Self::Line => plain(0) + "\n",
            Self::Request(id) => format!("{{\"id\":{id},\"params\":{},\"x\":1}}\n", plain(0)),
            Self::Reordered => {
                let fields: Payload = sides[0].clone().into_iter().rev().collect();
                serde_json::to_string(&fields).unwrap()
            }
            Self::Cut(end) => {
                let text = plain(0);
                text[..text.floor_char_boundary(*end)].to_owned()
            }
        }
    }
}

fn step(sides: [&Payload; 2], parts: StepParts) -> Step {
    let (gates, why, inputs, fields, file, order) = parts;
    let attempt = |input: &Input| Attempt {
        end: End::Exit,
        code: Some(0),
        signal: None,
        stdin: input.text(sides),
        stdout: "{}".to_owned(),
        stderr: String::new(),
        started_ms: 0.1,
        took_ms: 0.1 + 0.2,
        truncated: false,
        command: vec!["sh".to_owned()],
        cwd: None,
        env: vec!["A".to_owned()],
        counted: BTreeMap::new(),
        output_problems: Vec::new(),
        pipe_held: false,
    };
    let edit = |field: &String| FieldEdit {
        field: field.clone(),
        before: sides[0].get(field).cloned().unwrap_or_default(),
        after: sides[1].get(field).cloned().unwrap_or_else(|| json!(["new", field])),
        ..FieldEdit::default()
    };
    Step {
        hook: "h".to_owned(),
        label: "l".to_owned(),
        position: None,
        order,
        source: SourceRef {
            layer: Layer::Project,
            path: file,
            line: 3,
        },
        handler: "shell".to_owned(),
        version: String::new(),
        uid: String::new(),
        agent_trust: None,
        mode: RunMode::Await,
        outcome: Outcome::Changed,
        reason: Some(why.text.clone()),
        code: Some(why.code.to_owned()),
        args: why.args.clone(),
        gates,
        edits: fields.iter().map(edit).collect(),
        ignored: vec![Ignored::new("what", why)],
        attempts: inputs.iter().map(attempt).collect(),
        removed: vec![Removal::default()],
    }
}

type StepParts = (Vec<Gate>, Message, Vec<Input>, Vec<String>, String, u32);

fn step_parts() -> impl Strategy<Value = StepParts> {
    (
        gates(),
        message(),
        proptest::collection::vec(input(), 0..3),
        proptest::collection::vec("[a-f]", 0..3),
        "[ab]",
        0..4_u32,
    )
}

fn trace() -> impl Strategy<Value = Trace> {
    let steps = proptest::collection::vec(step_parts(), 0..4);
    (payload(), payload(), any::<bool>(), message(), steps).prop_map(|(before, other, same, message, steps)| {
        let after = if same { before.clone() } else { other };
        let steps = steps.into_iter().map(|parts| step([&before, &after], parts)).collect();
        let warning = Notice::warning(message.clone(), Some("h"));
        let verdict = Verdict {
            reason: Some(message.text),
            code: Some(message.code.to_owned()),
            args: message.args,
            ..Verdict::proceed()
        };
        Trace {
            trace: "01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
            dialect: "toy".to_owned(),
            event: "e".to_owned(),
            origin: Origin::Cli,
            session: None,
            agent: None,
            project: Some("/p".to_owned()),
            at: Timestamp::UNIX_EPOCH,
            took_ms: 0.1,
            verdict: if same { Verdict::proceed() } else { verdict },
            reply: Reply {
                json: Value::Object(after.clone()),
                exit_code: 0,
                stderr: String::new(),
            },
            payload_before: Arc::new(before),
            payload_after: Arc::new(after),
            notices: vec![warning],
            steps,
            redacted: false,
            recorded: true,
            bodies_removed_days: None,
        }
    })
}

proptest! {
    #[test]
    fn a_compacted_trace_is_rendered_byte_by_byte(trace in trace()) {
        let (_, rendered) = there_and_back(&trace);
        prop_assert_eq!(text_of(&rendered), text_of(&trace));
    }
}

/// A trace with a large payload and these inputs, one a step.
fn large(payload: &Payload, inputs: &[String]) -> Trace {
    let mut trace: Trace = serde_json::from_value(json!({
        "trace": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "dialect": "toy", "event": "e", "origin": "cli", "session": null,
        "agent": null, "project": null, "at": "2026-01-15T10:30:00Z", "took_ms": 1.0,
        "verdict": {"kind": "proceed", "reason": null, "feedback": null, "by": null, "code": null, "args": {}},
        "payload_before": payload, "payload_after": payload,
        "reply": {"json": null, "exit_code": 0, "stderr": ""}, "notices": [], "steps": []
    }))
    .unwrap();
    let parts = (
        Vec::new(),
        PLAIN.render_plain(),
        Vec::new(),
        Vec::new(),
        "f".to_owned(),
        0,
    );
    let mut template = step([payload, payload], parts);
    for input in inputs {
        template.attempts = vec![Attempt {
            stdin: input.clone(),
            ..serde_json::from_value(json!({
                "end": "exit", "code": 0, "signal": null, "stdin": "", "stdout": "", "stderr": "", "started_ms": 0.0,
                "took_ms": 0.0, "truncated": false, "command": [], "cwd": null, "env": []
            }))
            .unwrap()
        }];
        trace.steps.push(template.clone());
    }
    trace
}

#[test]
fn every_form_in_which_dialects_send_a_payload_is_a_reference() {
    let payload: Payload = serde_json::from_value(json!({"kind": "e", "text": "é\n".repeat(20_000), "n": 1})).unwrap();
    let plain = serde_json::to_string(&payload).unwrap();
    let python = python_json::to_python_json(&Value::Object(payload.clone()));
    let reordered: Payload = payload.clone().into_iter().rev().collect();
    let forms = [
        plain.clone(),
        format!("{plain}\n"),
        python,
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{plain}}}\n"),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"x\",\"params\":{plain}}}\n"),
        serde_json::to_string(&reordered).unwrap(),
        plain[..plain.floor_char_boundary(50_000)].to_owned(),
    ];
    for form in &forms {
        let (line, rendered) = there_and_back(&large(&payload, std::slice::from_ref(form)));
        assert!(line.len() < plain.len() + 1000, "{} bytes for {:.60}", line.len(), form);
        assert_eq!(rendered.steps[0].attempts[0].stdin, *form);
    }
    let (line, rendered) = there_and_back(&large(&payload, &forms));
    assert!(line.len() < plain.len() + 6000);
    assert_eq!(rendered.steps.len(), forms.len());
    assert!(
        rendered
            .steps
            .iter()
            .zip(&forms)
            .all(|(step, form)| step.attempts[0].stdin == *form)
    );
}

#[test]
fn a_hook_that_does_not_match_costs_few_bytes() {
    let empty = Payload::new();
    let mut trace = large(&empty, &[]);
    let parts = (
        Vec::new(),
        PLAIN.render_plain(),
        Vec::new(),
        Vec::new(),
        "/home/me/hooks.yaml".to_owned(),
        1,
    );
    let mut missed = step([&empty, &empty], parts);
    (missed.reason, missed.code, missed.ignored, missed.removed) = (None, None, Vec::new(), Vec::new());
    missed.gates = GATES.into_iter().take(4).map(Gate::passed).collect();
    let why = render!(WITH, "name" => "tool_name", "text" => "Bash");
    missed.gates.push(Gate::failed(GateName::Filter, why, None));
    trace.steps = (1..=500)
        .map(|order| Step {
            order,
            ..missed.clone()
        })
        .collect();
    let (line, rendered) = there_and_back(&trace);
    assert_eq!(rendered, trace);
    assert!(
        line.len() < 500 * 200 && line.len() * 3 < text_of(&trace).len(),
        "{}",
        line.len()
    );
}

#[test]
fn a_text_of_a_code_that_is_gone_is_its_name_and_arguments() {
    let mut trace = large(&Payload::new(), &[]);
    trace
        .notices
        .push(Notice::warning(render!(WITH, "name" => "a", "text" => "b"), None));
    let mut compact = CompactTrace::new(&trace);
    // Traces of earlier versions leave the text out.
    compact.notices[0].text = None;
    assert_eq!(compact.render(&catalog()).notices[0].text, "a said b");
    let rendered = compact.render(&Catalog::default());
    assert_eq!(rendered.notices[0].text, r#"with {"name":"a","text":"b"}"#);
}

#[test]
fn a_changed_catalog_does_not_change_what_was_recorded() {
    let mut trace = large(&Payload::new(), &[String::new()]);
    let told = render!(WITH, "name" => "a", "text" => "b");
    let step = &mut trace.steps[0];
    step.gates = vec![Gate::failed(GateName::Valid, told.clone(), None)];
    step.reason = Some(told.text.clone());
    step.code = Some(told.code.to_owned());
    step.args = told.args.clone();
    trace.notices.push(Notice::warning(told, None));
    let changed: &'static crate::MessageTemplate = Box::leak(Box::new(crate::MessageTemplate {
        en: "the same in other words",
        ..WITH
    }));
    let rendered = CompactTrace::new(&trace).render(&Catalog::new([changed]));
    assert_eq!(rendered, trace);
}
