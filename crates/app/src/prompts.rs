//! Prompt templates: what a template becomes for a recorded event, and how steadily a model answers it.

pub(crate) mod run;

use std::path::PathBuf;

use hookwright_dialects::lookup::find_event;
use hookwright_model::event::EventDefaults;
use hookwright_model::prompt_rendering::{PromptPart, PromptPartKind, PromptRendering, PromptSupport};
use hookwright_model::{Dialect, EventSpec, Payload, render};
use hookwright_redact::Redactor;

use crate::app::App;
use crate::dto::{
    PromptPartDoc, PromptPartSort, PromptRenderDoc, PromptRenderRequest, PromptVariableInfo, TraceRequest,
};
use crate::fault::Fault;
use crate::history::history_show;

/// Characters of a value that are shown next to its name.
const MAX_SAMPLE: usize = 200;

hookwright_model::messages! {
    /// The dialect has no hooks that ask a model.
    NO_PROMPTS = "no_prompts" { "hooks of {dialect} cannot ask a model", "{dialect} 的 Hook 无法询问模型" };
    /// The hook does not ask a model.
    NOT_A_PROMPT = "not_a_prompt" { "{hook} does not ask a model", "{hook} 不询问模型" };
}

/// The command `prompt.render`: a template filled with a recorded event, or with the sample payload of the event. It
/// asks no model.
///
/// # Errors
/// A name is unknown, the dialect has no prompts, or the history cannot be read.
pub async fn prompt_render(app: &App, request: PromptRenderRequest) -> Result<PromptRenderDoc, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    let support = prompt_support(dialect)?;
    let (payload, recorded) =
        payload_for(app, dialect, spec, request.trace.as_deref(), request.project.as_deref()).await?;
    let rendering = (support.render)(&request.template, spec, &payload);
    Ok(document(
        &app.workspace.redactor(),
        support,
        spec,
        &payload,
        rendering,
        recorded,
    ))
}

/// The prompt templates of a dialect.
pub(crate) fn prompt_support(dialect: &dyn Dialect) -> Result<&'static PromptSupport, Fault> {
    let card = dialect.card();
    card.prompts
        .ok_or_else(|| render!(NO_PROMPTS, "dialect" => card.name).into())
}

/// The payload of a trace, and whether there is one. Without it, the sample payload with the common fields.
pub(crate) async fn payload_for(
    app: &App,
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    trace: Option<&str>,
    project: Option<&str>,
) -> Result<(Payload, bool), Fault> {
    if let Some(trace) = trace {
        let trace = history_show(
            app,
            TraceRequest {
                trace: trace.to_owned(),
            },
        )
        .await?;
        if !trace.payload_before.is_empty() && trace.event == spec.name {
            return Ok(((*trace.payload_before).clone(), true));
        }
    }
    let mut payload = dialect.fixture(spec);
    let defaults = EventDefaults {
        session_id: String::new(),
        cwd: project.map_or_else(|| app.workspace.env.home.clone(), PathBuf::from),
        now: app.workspace.now(),
    };
    dialect.accept(spec, &mut payload, &defaults)?;
    Ok((payload, false))
}

fn document(
    redactor: &Redactor,
    support: &PromptSupport,
    spec: &EventSpec,
    payload: &Payload,
    rendering: PromptRendering,
    recorded: bool,
) -> PromptRenderDoc {
    let written: String = rendering.parts.iter().map(|part| part.written.as_str()).collect();
    let parts: Vec<PromptPartDoc> = rendering
        .parts
        .into_iter()
        .map(|part| part_document(redactor, part))
        .collect();
    let read: String = parts.iter().map(|part| part.text.as_str()).collect();
    let variables = (support.variables)(spec).into_iter().map(|variable| {
        let value = payload.get(variable.name).filter(|value| !value.is_null());
        let value = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        PromptVariableInfo {
            name: variable.name.to_owned(),
            is_set: variable.is_set,
            value: value
                .filter(|value| !value.is_empty())
                .map(|value| redactor.text(&value).0.chars().take(MAX_SAMPLE).collect()),
        }
    });
    let rendered_tokens = estimated_tokens(&read);
    PromptRenderDoc {
        variables: variables.collect(),
        recorded,
        template_tokens: estimated_tokens(&written),
        rendered_tokens,
        total_tokens: rendered_tokens + estimated_tokens(&rendering.instructions) + estimated_tokens(&rendering.system),
        instructions: rendering.instructions,
        system: rendering.system,
        parts,
    }
}

fn part_document(redactor: &Redactor, part: PromptPart) -> PromptPartDoc {
    let (kind, name, nearest, text) = match part.kind {
        PromptPartKind::Text => (PromptPartSort::Text, None, None, redactor.text(&part.written).0),
        PromptPartKind::Variable { name, value } if value.is_empty() => {
            (PromptPartSort::Empty, Some(name.to_owned()), None, String::new())
        }
        PromptPartKind::Variable { name, value } => {
            let value = redactor.text(&value).0;
            (PromptPartSort::Value, Some(name.to_owned()), None, value)
        }
        PromptPartKind::Unknown { name, nearest } => {
            let nearest = nearest.map(str::to_owned);
            (PromptPartSort::Unknown, Some(name), nearest, part.written.clone())
        }
    };
    PromptPartDoc {
        kind,
        written: part.written,
        text,
        name,
        nearest,
    }
}

/// About how many tokens a model counts: a token for four characters of Latin text, and one for each other character.
fn estimated_tokens(text: &str) -> u32 {
    let (ascii, other) = text.chars().fold((0_u32, 0_u32), |(ascii, other), char| {
        if char.is_ascii() {
            (ascii + 1, other)
        } else {
            (ascii, other + 1)
        }
    });
    ascii.div_ceil(4) + other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated_by_the_kind_of_text() {
        assert_eq!(estimated_tokens(""), 0);
        assert_eq!(estimated_tokens("abcde"), 2);
        assert_eq!(estimated_tokens("工具 x"), 3);
    }
}
