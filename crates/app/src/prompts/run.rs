//! `prompt.run`: asks the model several times about one event, and counts how often it decides the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hookwright_dialects::lookup::find_event;
use hookwright_engine::{ReportedRun, ReportedStep, record_report};
use hookwright_model::{
    Call, Captured, Dialect, End, Event, EventSpec, Hook, Origin, Outcome, Payload, PromptCall, Run, Trace, render,
};
use hookwright_workspace::blocking::blocking;

use super::{NOT_A_PROMPT, payload_for, prompt_support};
use crate::app::App;
use crate::draft_hook::{DraftHook, draft_hook};
use crate::dto::{ModelTestEnd, PromptAnswer, PromptRunDoc, PromptRunRequest};
use crate::fault::Fault;
use crate::named_runs::{NamedRun, client_name};
use crate::pushes::Push;
use crate::reply_cache::{KeptReply, ReplyKey};

/// The model is asked at most this often.
const MAX_TIMES: u32 = 20;
/// Characters of a response that are shown.
const SHOWN: usize = 4000;

/// The command `prompt.run`: asks the model of the settings about one event, one time after another. Each answer is
/// pushed as it comes. `fire.stop` with the same name stops it. Answers to an equal input are not asked for again.
///
/// # Errors
/// A name is unknown, the hook is invalid, is not approved or asks no model, or the history cannot be read.
pub async fn prompt_run(app: &App, request: PromptRunRequest) -> Result<PromptRunDoc, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    prompt_support(dialect)?;
    let hook = blocking(|| approved_hook(app, &request, spec))?;
    let project = request
        .project
        .as_deref()
        .map_or_else(|| app.workspace.env.home.clone(), PathBuf::from);
    let (payload, _) = payload_for(app, dialect, spec, request.trace.as_deref(), request.project.as_deref()).await?;
    let payload = Arc::new(payload);
    let Call::Prompt(call) = dialect.encode(&hook, spec, &payload, &project) else {
        return Err(render!(NOT_A_PROMPT, "hook" => hook.label.clone()).into());
    };
    let run = app.runs.begin(request.run.clone());
    let bench = Bench {
        app,
        dialect,
        spec,
        hook,
        payload,
        project: &project,
        call,
        run: &run,
    };
    let times = request.times.clamp(1, MAX_TIMES);
    let mut answers = Vec::new();
    for index in 0..times {
        let answer = bench.ask(index, request.fresh == Some(true)).await;
        let is_last = !matches!(answer.end, ModelTestEnd::Replied | ModelTestEnd::TimedOut);
        app.push(Push::PromptAnswer {
            run: client_name(&request.run).to_owned(),
            of: times,
            answer: Box::new(answer.clone()),
        });
        answers.push(answer);
        // An endpoint that refuses will refuse again.
        if is_last {
            break;
        }
    }
    Ok(count(answers, times))
}

/// The hook with its changes. A hook of a project must be approved, since its prompt and its model come from there.
fn approved_hook(app: &App, request: &PromptRunRequest, spec: &'static EventSpec) -> Result<Arc<Hook>, Fault> {
    let draft = DraftHook {
        method: "prompt.run",
        project: request.project.as_deref(),
        dialect: &request.dialect,
        hook: request.hook.as_deref(),
        steps: &request.steps,
        unsaved: request.unsaved.as_ref(),
        definition: request.definition.as_ref(),
    };
    if let Some(id) = &request.hook {
        let open_project = match &request.project {
            Some(project) => app.workspace.open_project(Path::new(project))?,
            None => app.workspace.user_hooks(),
        };
        let snapshot = open_project.snapshot();
        let saved = snapshot.hook(id).ok_or_else(|| snapshot.unknown_hook(id))?;
        app.workspace.trust.check_gate(saved)?;
    }
    let hook = draft_hook(app, &draft, spec)?;
    match &hook.invalid {
        Some(why) => Err(why.clone().into()),
        None => Ok(hook),
    }
}

struct Bench<'a> {
    app: &'a App,
    dialect: &'static dyn Dialect,
    spec: &'static EventSpec,
    hook: Arc<Hook>,
    payload: Arc<Payload>,
    project: &'a Path,
    call: PromptCall,
    run: &'a NamedRun,
}

impl Bench<'_> {
    async fn ask(&self, index: u32, fresh: bool) -> PromptAnswer {
        let key = self.key(index);
        let kept = if fresh { None } else { self.app.replies.get(&key) };
        let cached = kept.is_some();
        let run = match kept {
            Some(kept) => replied(&self.call, kept),
            None => {
                let cancelled = self.run.cancel().clone().cancelled_owned().boxed().shared();
                self.app
                    .exec
                    .ask_model(self.call.clone(), self.hook.timeout, cancelled)
                    .await
            }
        };
        if run.end == End::Replied && !cached {
            let reply = KeptReply {
                text: run.stdout.bytes.clone(),
                took: run.took,
                counters: run.counters.clone(),
            };
            self.app.replies.put(key, reply);
        }
        self.answer(index, run, cached)
    }

    /// Everything that the reply depends on, and which of the equal requests it is.
    fn key(&self, index: u32) -> ReplyKey {
        let settings = self.app.workspace.settings();
        let endpoint = serde_json::to_string(&settings.model).unwrap_or_default();
        let PromptCall {
            system,
            prompt,
            model,
            max_tokens,
            temperature,
        } = &self.call;
        let input = serde_json::json!([endpoint, system, prompt, model, max_tokens, temperature, index]);
        blake3::hash(input.to_string().as_bytes())
    }

    fn answer(&self, index: u32, run: Run, cached: bool) -> PromptAnswer {
        let redactor = self.app.workspace.redactor();
        let shown = |bytes: &[u8]| {
            let masked = redactor.text(&String::from_utf8_lossy(bytes)).0;
            (!masked.is_empty()).then(|| masked.chars().take(SHOWN).collect())
        };
        let end = ModelTestEnd::from(run.end);
        let trace = self.decoded(&run);
        let step = trace.steps.first();
        let outcome = step.map_or(Outcome::Skipped, |step| step.outcome);
        let replied = end == ModelTestEnd::Replied;
        PromptAnswer {
            index,
            end,
            // A reply that the dialect cannot read is a failure of the hook.
            valid: replied && !matches!(outcome, Outcome::FailedOpen | Outcome::FailedClosed),
            outcome,
            verdict: trace.verdict.kind,
            fields: step.map_or_else(Vec::new, |step| {
                step.edits.iter().map(|edit| edit.field.clone()).collect()
            }),
            reason: step
                .filter(|_| replied)
                .and_then(|step| step.reason.as_deref())
                .map(|reason| redactor.text(reason).0),
            text: shown(&run.stdout.bytes),
            error: shown(&run.stderr.bytes),
            took_ms: run.took.as_secs_f64() * 1000.0,
            input_tokens: run.counters.get("input_tokens").copied(),
            output_tokens: run.counters.get("output_tokens").copied(),
            cached,
        }
    }

    /// What the reply decides, as the engine decodes it.
    fn decoded(&self, run: &Run) -> Trace {
        let event = Event {
            trace: String::new(),
            dialect: self.dialect.card().id,
            name: self.spec.name,
            origin: Origin::Test,
            session: None,
            agent: None,
            connection: None,
            depth: 0,
            project: self.project.to_owned(),
            at: self.app.workspace.now(),
            payload: self.payload.clone(),
        };
        let step = ReportedStep {
            hook: self.hook.clone(),
            outcome: None,
            runs: vec![ReportedRun {
                started: Duration::ZERO,
                run: run.clone(),
            }],
        };
        record_report(self.dialect, self.spec, event, vec![step])
    }
}

fn replied(call: &PromptCall, kept: KeptReply) -> Run {
    Run {
        end: End::Replied,
        code: None,
        signal: None,
        stdin: Captured::new(call.prompt.clone()),
        stdout: Captured::new(kept.text),
        stderr: Captured::default(),
        took: kept.took,
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters: kept.counters,
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

/// The answers with what they have in common.
fn count(answers: Vec<PromptAnswer>, times: u32) -> PromptRunDoc {
    let replied: Vec<&PromptAnswer> = answers.iter().filter(|one| one.end == ModelTestEnd::Replied).collect();
    let mut decisions: BTreeMap<String, u32> = BTreeMap::new();
    for answer in &replied {
        // Texts may differ; the same fields and the same verdict are the same decision.
        let decision = format!("{:?} {:?} {:?}", answer.outcome, answer.verdict, answer.fields);
        *decisions.entry(decision).or_default() += 1;
    }
    let valid = replied.iter().filter(|one| one.valid).count();
    let of = u32::try_from(replied.len()).unwrap_or(u32::MAX);
    PromptRunDoc {
        agreed: decisions.into_values().max().unwrap_or_default(),
        valid: u32::try_from(valid).unwrap_or(u32::MAX),
        replied: of,
        times,
        answers,
    }
}
