//! A fake dialect with one output of each kind. Its hooks return outputs in the engine's own terms.

use std::path::Path;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use hookwright_model::{
    Additions, Bilingual, Call, Card, ChainPolicy, Conversation, ConversationRead, Decision, Decoded, Dialect,
    DirProbe, EditSupport, End, EventDefaults, EventSpec, FieldKind, Files, Flow, Hook, HookOutput, Life, LifecycleMap,
    LintContext, Locations, Merge, Message, Order, OutputKind, OutputSpec, Parsed, Payload, Placement, Problem,
    ProcessCall, Program, Reasons, Reply, Resolution, Root, Run, Scenario, SimulationHost, SimulationResult,
    SourceTree, Trace, Verdict, VerdictKind, VerdictRule, Wire,
};
use serde_json::{Value, json};

use super::message;

const NO_TEXT: Bilingual = Bilingual { en: "", zh: "" };

const fn output(name: &'static str, effect: OutputKind) -> OutputSpec {
    OutputSpec {
        name,
        kind: FieldKind::Any,
        effect,
        with_verdicts: &[],
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
        outputs,
        verdicts,
        ..EventSpec::base(chain(Order::LayersThenDeclared, Flow::Pipe, VerdictRule::Last))
    }
}

const fn chain(order: Order, flow: Flow, decides: VerdictRule) -> ChainPolicy {
    ChainPolicy {
        order,
        flow,
        verdict_rule: decides,
        budget: Some(Duration::from_secs(30)),
        races: false,
    }
}

static WORDS: OutputSpec = output("words", OutputKind::Add(Merge::Join));
static SAID: OutputSpec = output("said", OutputKind::Add(Merge::JoinNotice));
static PATHS: OutputSpec = output("paths", OutputKind::Add(Merge::Union));
static QUIET: OutputSpec = output("quiet", OutputKind::Add(Merge::AnyTrue));
static KEPT: OutputSpec = output("kept", OutputKind::Add(Merge::Gather));
static NEW_TEXT: OutputSpec = OutputSpec {
    with_verdicts: &[VerdictKind::Proceed, VerdictKind::Approve, VerdictKind::Ask],
    ..output("new_text", OutputKind::ReplaceField("text"))
};
static PARTS: OutputSpec = output("parts", OutputKind::ReplaceParts);

static EVENTS: [EventSpec; 8] = [
    EventSpec {
        chain: chain(
            Order::Loaded,
            Flow::Fan,
            VerdictRule::StrictestKept(Reasons::LastDenial),
        ),
        ..event("last", &[], &[VerdictKind::Ask, VerdictKind::Deny])
    },
    EventSpec {
        chain: chain(
            Order::Loaded,
            Flow::Fan,
            VerdictRule::StrictestKept(Reasons::Paragraphs),
        ),
        ..event("paragraphs", &[], &[VerdictKind::Deny])
    },
    EventSpec {
        chain: chain(Order::Loaded, Flow::Fan, VerdictRule::StrictestKept(Reasons::Lines)),
        exit_2: Some(VerdictKind::Deny),
        ..event(
            "fan",
            &[&NEW_TEXT, &WORDS, &SAID, &PATHS, &QUIET],
            &[
                VerdictKind::Approve,
                VerdictKind::Ask,
                VerdictKind::Deny,
                VerdictKind::EndSession,
            ],
        )
    },
    EventSpec {
        chain: chain(Order::RankDown, Flow::Sequence, VerdictRule::Strictest),
        ..event(
            "line",
            &[&TEXT, &WORDS, &PARTS],
            &[
                VerdictKind::Approve,
                VerdictKind::Respond,
                VerdictKind::Ask,
                VerdictKind::Deny,
            ],
        )
    },
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
    EventSpec {
        chain: chain(Order::ByPlacement, Flow::Pipe, VerdictRule::Strictest),
        ..event("seats", &[&NOTES, &KEPT], &[])
    },
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
    command: None,
    dir_vars: &[],
    first: "guard",
    last: None,
    events: &EVENTS,
    settings: &[],
    location_vars: &[],
    aliases: &[],
    unfired: &[],
    tool_field: "tool_name",
    call_input: "tool_input",
    prompts: None,
    broken_file: hookwright_model::BrokenFile::Unknown,
    edit_support: EditSupport {
        switch: None,
        target_layers: &[],
    },
    definition: &hookwright_model::definition::DefinitionSpec::EMPTY,
    tool_calls: None,
    lifecycle_map: &LifecycleMap::EMPTY,
    blocking_outputs: &[],
    templates: "",
    told_turns: &[],
};

#[derive(Debug)]
pub struct FakeDialect;

impl FakeDialect {
    pub fn spec(&self, name: &str) -> &'static EventSpec {
        CARD.event(name).expect("a toy event")
    }
}

impl Dialect for FakeDialect {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

impl Files for FakeDialect {
    fn roots(&self, _: &Locations, _: &dyn DirProbe) -> Vec<Root> {
        Vec::new()
    }

    fn parse(&self, _: &SourceTree) -> Parsed {
        Parsed::default()
    }

    fn detect_root(&self, _: &Path, _: &Locations) -> Option<Root> {
        None
    }

    fn lint(&self, _: &LintContext<'_>) -> Vec<Problem> {
        Vec::new()
    }
}

impl Wire for FakeDialect {
    fn accept(&self, _: &EventSpec, _: &mut Payload, _: &EventDefaults) -> Result<(), Message> {
        Ok(())
    }

    /// The command is the hook's label, so that [`super::fake_runner::FakeRunner`] can find its script. `cwd` comes
    /// from the payload.
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
            held_pipe: None,
            folder_vars: &[],
            env_file: None,
            env_without: &[],
        })
    }

    fn decode(&self, _: &Hook, _: &EventSpec, _: &Payload, run: &Run) -> Decoded {
        if run.end != End::Exit || run.code != Some(0) {
            return Decoded::Failure(message("it broke"));
        }
        let Ok(Value::Object(said)) = serde_json::from_slice(&run.stdout.bytes) else {
            return Decoded::Nothing;
        };
        let mut answer = HookOutput {
            halt: said.contains_key("halt"),
            ..HookOutput::default()
        };
        let ours = said.contains_key("unsaid").then(|| message("nothing was said"));
        for (name, value) in said {
            match name.as_str() {
                "halt" | "unsaid" => {}
                "weaker" => answer.other_decisions.push(Decision {
                    what: "weaker",
                    kind: serde_json::from_value(value).expect("a verdict"),
                    reason: Some("and".to_owned()),
                    feedback: None,
                    default_message: None,
                }),
                "result" => answer.reply_fields.push((name, value)),
                "verdict" => {
                    let kind = serde_json::from_value(value.clone()).expect("a verdict");
                    answer.decision = Some(Decision {
                        what: "verdict",
                        kind,
                        reason: ours.is_none().then(|| "because".to_owned()),
                        feedback: None,
                        default_message: ours.clone(),
                    });
                }
                _ => answer.fields.push((name, value)),
            }
        }
        Decoded::Answer(answer)
    }

    fn apply_additions(&self, _: &EventSpec, payload: &mut Payload, additions: &Additions, _: &Verdict) {
        if let Some(notes) = additions.get("notes") {
            payload.insert("notes".to_owned(), notes.clone());
        }
    }

    fn closed_verdict(&self, _: &Hook, failure: &Message, _: Option<End>) -> (VerdictKind, Message) {
        (VerdictKind::Stop, failure.clone())
    }

    fn user_messages(&self, _: &EventSpec, resolution: &Resolution) -> Vec<Message> {
        let unsaid = resolution.verdict.code.is_some() && resolution.verdict.kind == VerdictKind::Retry;
        unsaid.then(|| message("tried again")).into_iter().collect()
    }

    fn reply(&self, _: &EventSpec, resolution: &Resolution) -> Reply {
        let json = json!({
            "replaced": resolution.replaced,
            "additions": resolution.additions,
            "halted": resolution.halted,
            "below": resolution.weaker_verdict,
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
}

/// The conversation of the fake dialect: why hooks can no longer block, and the events that have ended, in order.
#[derive(Debug, Default)]
pub struct FakeConversation {
    pub no_block_reason: Option<Message>,
    pub ended: Vec<String>,
}

impl Conversation for FakeConversation {
    fn read(&self, _: &EventSpec, _: &Payload) -> ConversationRead {
        ConversationRead {
            no_block_reason: self.no_block_reason.clone(),
            turn: self.ended.len() as u64,
        }
    }

    fn remember(&mut self, _: &EventSpec, read: &ConversationRead, trace: &mut Trace) {
        self.ended.push(format!("{} read {}", trace.trace, read.turn));
    }

    fn to_json(&self) -> Value {
        json!(self.ended)
    }
}

impl Life for FakeDialect {
    fn conversation(&self, _vars: hookwright_model::EngineVars<'_>) -> Box<dyn Conversation> {
        Box::new(FakeConversation::default())
    }

    /// Hooks that the payload's `seated` lists come first, in that order. The others follow, sorted by label.
    fn placement(&self, hook: &Hook, payload: &Payload) -> Placement {
        let seated = payload.get("seated").and_then(Value::as_array);
        let place = seated.and_then(|names| names.iter().position(|name| name == hook.label.as_str()));
        Placement {
            position: place.unwrap_or(usize::MAX),
            then: hook.label.clone(),
            ..Placement::default()
        }
    }

    /// The fake dialect has no lifecycle to simulate.
    fn simulate<'a>(
        &'a self,
        _: &'a Scenario,
        _: &'a mut dyn SimulationHost,
        _: &'a mut SimulationResult,
    ) -> BoxFuture<'a, Result<(), Message>> {
        async { Ok(()) }.boxed()
    }
}
