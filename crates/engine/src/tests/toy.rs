//! A dialect with one output of each kind, whose hooks answer in the engine's own terms.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    Additions, Answer, Ask, Call, Captured, Card, ChainPolicy, Clearance, Clock, Decides, Decoded, Dialect, End,
    EventSpec, Facts, FieldKind, Flow, Ground, Hook, LintDesk, Merge, Order, OutputKind, OutputSpec, Parsed, Payload,
    Places, Played, Problem, ProcessCall, Program, Reply, Resolution, Root, Run, RunOrder, Runner, Scenario, Seat,
    SourceTree, Stage, Text, VerdictKind, Words,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::words;
use crate::World;

const NO_TEXT: Text = Text { en: "", zh: "" };

const fn output(name: &'static str, effect: OutputKind) -> OutputSpec {
    OutputSpec {
        name,
        kind: FieldKind::Any,
        effect,
        beside: &[],
        about: NO_TEXT,
    }
}

static TEXT: OutputSpec = output("text", OutputKind::Replace);
static NOTES: OutputSpec = output("notes", OutputKind::Add(Merge::Append));
static CONTEXT: OutputSpec = output("context", OutputKind::Add(Merge::Last));
static SAY: OutputSpec = output("say", OutputKind::Add(Merge::Notice));

const fn event(
    name: &'static str,
    outputs: &'static [&'static OutputSpec],
    verdicts: &'static [VerdictKind],
) -> EventSpec {
    EventSpec {
        name,
        group: NO_TEXT,
        about: NO_TEXT,
        fields: &[],
        outputs,
        verdicts,
        notify_only: false,
    }
}

static WORDS: OutputSpec = output("words", OutputKind::Add(Merge::Join));
static SAID: OutputSpec = output("said", OutputKind::Add(Merge::JoinNotice));
static PATHS: OutputSpec = output("paths", OutputKind::Add(Merge::Union));
static QUIET: OutputSpec = output("quiet", OutputKind::Add(Merge::AnyTrue));
static KEPT: OutputSpec = output("kept", OutputKind::Add(Merge::Gather));
static NEW_TEXT: OutputSpec = OutputSpec {
    beside: &[VerdictKind::Proceed, VerdictKind::Approve, VerdictKind::Ask],
    ..output("new_text", OutputKind::ReplaceField("text"))
};
static PARTS: OutputSpec = output("parts", OutputKind::ReplaceParts);

static EVENTS: [EventSpec; 6] = [
    event(
        "fan",
        &[&NEW_TEXT, &WORDS, &SAID, &PATHS, &QUIET],
        &[VerdictKind::Approve, VerdictKind::Ask, VerdictKind::Deny],
    ),
    event(
        "line",
        &[&TEXT, &WORDS, &PARTS],
        &[
            VerdictKind::Approve,
            VerdictKind::Respond,
            VerdictKind::Ask,
            VerdictKind::Deny,
        ],
    ),
    event(
        "guard",
        &[&TEXT, &NOTES, &CONTEXT, &SAY],
        &[
            VerdictKind::Approve,
            VerdictKind::Respond,
            VerdictKind::Ask,
            VerdictKind::Retry,
            VerdictKind::Stop,
        ],
    ),
    event("narrow", &[&TEXT], &[VerdictKind::Stop]),
    event("seats", &[&NOTES, &KEPT], &[]),
    EventSpec {
        notify_only: true,
        ..event("told", &[], &[])
    },
];

static CARD: Card = Card {
    id: "toy",
    name: "Toy",
    tag: "to",
    about: NO_TEXT,
    common: &[],
    event_field: "event",
    env_field: None,
    dir_vars: &[],
    first: "guard",
    last: None,
    events: &EVENTS,
};

/// The dialect.
#[derive(Debug)]
pub struct Toy;

impl Toy {
    pub fn spec(&self, name: &str) -> &'static EventSpec {
        CARD.event(name).expect("a toy event")
    }
}

impl Dialect for Toy {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn chain(&self, event: &EventSpec) -> ChainPolicy {
        let (order, flow, decides) = match event.name {
            "fan" => (Order::Loaded, Flow::Fan, Decides::StrictestJoined),
            "seats" => (Order::Seated, Flow::Pipe, Decides::Strictest),
            "line" => (Order::RankDown, Flow::Sequence, Decides::Strictest),
            _ => (Order::LayersThenDeclared, Flow::Pipe, Decides::Last),
        };
        ChainPolicy {
            order,
            flow,
            decides,
            budget: Some(Duration::from_secs(30)),
        }
    }

    fn roots(&self, _: &Places, _: &dyn Ground) -> Vec<Root> {
        Vec::new()
    }

    fn parse(&self, _: &SourceTree) -> Parsed {
        Parsed::default()
    }

    fn claims(&self, _: &Path, _: &Places) -> Option<Root> {
        None
    }

    fn lint(&self, _: &LintDesk<'_>) -> Vec<Problem> {
        Vec::new()
    }

    /// Who stands in the payload's `seated` comes first, in that order; others follow by their labels.
    fn seat(&self, hook: &Hook, payload: &Payload) -> Seat {
        let seated = payload.get("seated").and_then(Value::as_array);
        let place = seated.and_then(|names| names.iter().position(|name| name == hook.label.as_str()));
        Seat {
            place: place.unwrap_or(usize::MAX),
            then: hook.label.clone(),
            ..Seat::default()
        }
    }

    fn accept(&self, _: &EventSpec, _: &mut Payload, _: &Facts) -> Result<(), Words> {
        Ok(())
    }

    /// The command is the hook's name, so that the script knows who is asked; its own directory stands in the payload.
    fn encode(&self, hook: &Hook, _: &EventSpec, payload: &Payload, project: &Path) -> Call {
        let cwd = payload
            .get("cwd")
            .and_then(Value::as_str)
            .map_or_else(|| project.to_owned(), Into::into);
        Call::Process(ProcessCall {
            program: Program::Shell(hook.label.clone()),
            cwd,
            fallback_cwd: project.to_owned(),
            env: Vec::new(),
            stdin: serde_json::to_vec(payload).unwrap_or_default(),
        })
    }

    fn decode(&self, _: &Hook, _: &EventSpec, _: &Payload, run: &Run) -> Decoded {
        if run.end != End::Exit || run.code != Some(0) {
            return Decoded::Failure(words("it broke"));
        }
        let Ok(Value::Object(said)) = serde_json::from_slice(&run.stdout.bytes) else {
            return Decoded::Nothing;
        };
        let mut answer = Answer {
            halt: said.contains_key("halt"),
            ..Answer::default()
        };
        let ours = said.contains_key("unsaid").then(|| words("nothing was said"));
        for (name, value) in said {
            match name.as_str() {
                "halt" | "unsaid" => {}
                "weaker" => answer.also.push(Ask {
                    what: "weaker",
                    kind: serde_json::from_value(value).expect("a verdict"),
                    reason: Some("and".to_owned()),
                    feedback: None,
                    ours: None,
                }),
                "result" => answer.carried.push((name, value)),
                "verdict" => {
                    let kind = serde_json::from_value(value.clone()).expect("a verdict");
                    answer.ask = Some(Ask {
                        what: "verdict",
                        kind,
                        reason: ours.is_none().then(|| "because".to_owned()),
                        feedback: None,
                        ours: ours.clone(),
                    });
                }
                _ => answer.fields.push((name, value)),
            }
        }
        Decoded::Answer(answer)
    }

    fn fold(&self, _: &EventSpec, payload: &mut Payload, additions: &Additions) {
        if let Some(notes) = additions.get("notes") {
            payload.insert("notes".to_owned(), notes.clone());
        }
    }

    fn closed(&self, _: &Hook, failure: &Words, _: Option<End>) -> (VerdictKind, Words) {
        (VerdictKind::Stop, failure.clone())
    }

    fn tells(&self, _: &EventSpec, resolution: &Resolution) -> Vec<Words> {
        let unsaid = resolution.verdict.code.is_some() && resolution.verdict.kind == VerdictKind::Retry;
        unsaid.then(|| words("tried again")).into_iter().collect()
    }

    fn reply(&self, _: &EventSpec, resolution: &Resolution) -> Reply {
        let json = json!({
            "replaced": resolution.replaced,
            "additions": resolution.additions,
            "halted": resolution.halted,
            "below": resolution.below,
        });
        Reply {
            json,
            exit_code: 0,
            stderr: String::new(),
        }
    }

    fn fixture(&self, _: &EventSpec) -> Payload {
        Payload::new()
    }

    /// Its life has no moments of its own.
    fn simulate<'a>(
        &'a self,
        _: &'a Scenario,
        _: &'a mut dyn Stage,
        _: &'a mut Played,
    ) -> BoxFuture<'a, Result<(), Words>> {
        async { Ok(()) }.boxed()
    }
}

/// How a scripted attempt ends.
#[derive(Debug, Clone)]
struct Part {
    end: End,
    code: Option<i32>,
    stdout: Value,
    took: Duration,
    stops_chain: bool,
    note: Option<Words>,
}

/// What the hooks do, by name, attempt by attempt; the world and the clock of one event.
#[derive(Default)]
pub struct Script {
    parts: Mutex<HashMap<String, VecDeque<Part>>>,
    given: Mutex<Vec<(String, Value)>>,
    elapsed_ms: AtomicU64,
    stop: CancellationToken,
    swapped: Mutex<Vec<(String, usize)>>,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    fn part(self, name: &str, part: Part) -> Self {
        lock(&self.parts).entry(name.to_owned()).or_default().push_back(part);
        self
    }

    /// The hook answers with this object.
    pub fn says(self, name: &str, stdout: Value) -> Self {
        self.says_after(name, 0, stdout)
    }

    /// The same, after so many milliseconds.
    pub fn says_after(self, name: &str, took_ms: u64, stdout: Value) -> Self {
        let took = Duration::from_millis(took_ms);
        self.part(
            name,
            Part {
                end: End::Exit,
                code: Some(0),
                stdout,
                took,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// The hook answers, and a person should know something.
    pub fn says_with_note(self, name: &str, note: &str) -> Self {
        let part = Part {
            end: End::Exit,
            code: Some(0),
            stdout: json!({}),
            took: Duration::ZERO,
            stops_chain: false,
            note: Some(words(note)),
        };
        self.part(name, part)
    }

    /// The hook ends with status 1 after so many milliseconds.
    pub fn breaks(self, name: &str, took_ms: u64) -> Self {
        let took = Duration::from_millis(took_ms);
        self.part(
            name,
            Part {
                end: End::Exit,
                code: Some(1),
                stdout: Value::Null,
                took,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// The hook never ends by itself.
    pub fn hangs(self, name: &str) -> Self {
        let took = Duration::from_secs(1_000_000);
        self.part(
            name,
            Part {
                end: End::Exit,
                code: Some(0),
                stdout: json!({}),
                took,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// A signal ends the hook.
    pub fn gets_killed(self, name: &str) -> Self {
        self.part(
            name,
            Part {
                end: End::Signal,
                code: Some(9),
                stdout: Value::Null,
                took: Duration::ZERO,
                stops_chain: false,
                note: None,
            },
        )
    }

    /// The person stops the chain while this hook runs.
    pub fn gets_stopped_during(self, name: &str) -> Self {
        let part = Part {
            end: End::Cancelled,
            code: None,
            stdout: Value::Null,
            took: Duration::ZERO,
            stops_chain: true,
            note: None,
        };
        self.part(name, part)
    }

    /// The person stops the chain just as this hook has answered.
    pub fn gets_stopped_after(self, name: &str, stdout: Value) -> Self {
        let part = Part {
            end: End::Exit,
            code: Some(0),
            stdout,
            took: Duration::ZERO,
            stops_chain: true,
            note: None,
        };
        self.part(name, part)
    }

    /// The hook breaks, and just then the person stops the chain.
    pub fn breaks_and_gets_stopped(self, name: &str) -> Self {
        let part = Part {
            end: End::Exit,
            code: Some(1),
            stdout: Value::Null,
            took: Duration::ZERO,
            stops_chain: true,
            note: None,
        };
        self.part(name, part)
    }

    /// Before its attempt of that number (from 1), the last look finds other content than was approved.
    pub fn gets_swapped_before(self, name: &str, attempt: usize) -> Self {
        lock(&self.swapped).push((name.to_owned(), attempt));
        self
    }

    pub fn given(&self) -> Vec<(String, Value)> {
        lock(&self.given).clone()
    }

    pub fn world(&self) -> World<'_> {
        let cancelled = self.stop.clone().cancelled_owned().boxed().shared();
        World {
            runner: self,
            clearance: self,
            cancelled,
            run_id: &|| "run".to_owned(),
            depth: 1,
            session: "one",
            session_begins: false,
            bar: None,
            manners: hookwright_model::Manners::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clock for Script {
    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.elapsed_ms.load(Ordering::Relaxed))
    }
}

impl Clearance for Script {
    fn clear(&self, hook: &Hook, _: &Path) -> Result<(), Words> {
        let done = lock(&self.given).iter().filter(|(name, _)| *name == hook.label).count();
        let swapped = lock(&self.swapped).contains(&(hook.label.clone(), done + 1));
        if swapped { Err(words("another file")) } else { Ok(()) }
    }
}

impl Runner for Script {
    fn run<'a>(&'a self, call: Call, order: RunOrder) -> BoxFuture<'a, Run> {
        let Call::Process(ProcessCall {
            program: Program::Shell(name),
            stdin,
            ..
        }) = call
        else {
            panic!("toy hooks are shell")
        };
        lock(&self.given).push((name.clone(), serde_json::from_slice(&stdin).unwrap_or_default()));
        let part = lock(&self.parts)
            .get_mut(&name)
            .and_then(VecDeque::pop_front)
            .unwrap_or_else(|| panic!("{name} was not expected to run"));
        let in_time = part.took <= order.limit;
        let took = part.took.min(order.limit);
        self.elapsed_ms
            .fetch_add(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if part.stops_chain {
            self.stop.cancel();
        }
        let run = Run {
            end: if in_time { part.end } else { End::TimedOut },
            code: part.code.filter(|_| in_time && part.end != End::Signal),
            signal: part.code.filter(|_| in_time && part.end == End::Signal),
            stdin: Captured::of(stdin),
            stdout: Captured::of(if part.stdout.is_null() {
                String::new()
            } else {
                part.stdout.to_string()
            }),
            stderr: Captured::default(),
            took,
            command: vec![name],
            cwd: None,
            env: Vec::new(),
            notes: part.note.into_iter().collect(),
            counted: std::collections::BTreeMap::new(),
        };
        futures::future::ready(run).boxed()
    }
}
