//! `model.test`: asks the configured model endpoint something short.

use std::time::Duration;

use futures::FutureExt;
use hookwright_model::{End, PromptCall, Run};

use crate::app::App;
use crate::dto::{ModelTestDoc, ModelTestEnd, RunRequest};
use crate::fault::Fault;

/// How long the endpoint may take.
const LIMIT: Duration = Duration::from_secs(30);
/// Characters of the response that are shown.
const SHOWN: usize = 400;

/// `model.test`: sends one short prompt to the endpoint of the settings, as a prompt hook would. `fire.stop` with the
/// same name stops it.
///
/// # Errors
/// Never. An endpoint that refuses is a reply.
pub async fn model_test(app: &App, request: RunRequest) -> Result<ModelTestDoc, Fault> {
    let run = app.runs.begin(request.run);
    let call = PromptCall {
        system: "You check that a connection works. Answer with one word.".to_owned(),
        prompt: "Answer with the word: ready".to_owned(),
        model: None,
        max_tokens: 16,
        temperature: 0.0,
    };
    Ok(shown(
        app,
        app.exec
            .ask_model(call, LIMIT, run.cancel().clone().cancelled_owned().boxed().shared())
            .await,
    ))
}

fn shown(app: &App, run: Run) -> ModelTestDoc {
    let redactor = app.workspace.redactor();
    let text = |bytes: &[u8]| {
        let masked = redactor.text(&String::from_utf8_lossy(bytes)).0;
        (!masked.is_empty()).then(|| masked.chars().take(SHOWN).collect())
    };
    let count = |name: &str| run.counters.get(name).copied();
    ModelTestDoc {
        end: run.end.into(),
        text: text(&run.stdout.bytes),
        error: text(&run.stderr.bytes),
        took_ms: run.took.as_secs_f64() * 1000.0,
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
    }
}

impl From<End> for ModelTestEnd {
    fn from(end: End) -> Self {
        match end {
            End::Replied => Self::Replied,
            End::TimedOut => Self::TimedOut,
            End::Cancelled => Self::Stopped,
            End::Exit | End::Signal | End::NotStarted | End::Refused | End::PeerGone | End::Done => Self::Refused,
        }
    }
}
