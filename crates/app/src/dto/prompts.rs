//! Prompt templates: filled for an event, and asked several times.

use hookwright_model::{Outcome, VerdictKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::{EditStep, ModelTestEnd, UnsavedText};

/// What a part of a template is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum PromptPartSort {
    /// Text.
    Text,
    /// A variable with a value.
    Value,
    /// A variable without a value.
    Empty,
    /// A text that looks like a variable and is none.
    Unknown,
}

dto! {
    /// The request of `prompt.render`.
    struct PromptRenderRequest {
        /// The project directory, for the sample payload.
        #[serde(default)] #[ts(optional = nullable)]
        project: Option<String>,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The text with variables.
        template: String,
        /// The recorded event whose payload is used; absent for the sample payload of the event.
        #[serde(default)] #[ts(optional = nullable)]
        trace: Option<String>,
    }
    /// The reply of `prompt.render`: what the model would read, with secrets masked.
    struct PromptRenderDoc {
        /// The parts of the template in their order. Their written texts together are the template.
        parts: Vec<PromptPartDoc>,
        /// The variables that the dialect knows.
        variables: Vec<PromptVariableInfo>,
        /// What the dialect adds after the template.
        instructions: String,
        /// The system message.
        system: String,
        /// Whether the payload is that of the recorded event; otherwise it is a sample.
        recorded: bool,
        /// About how many tokens the template has.
        template_tokens: u32,
        /// About how many tokens the filled template has.
        rendered_tokens: u32,
        /// About how many tokens the model reads, with instructions and system message.
        total_tokens: u32,
    }
    /// One part of a template.
    struct PromptPartDoc {
        /// What it is.
        kind: PromptPartSort,
        /// The part as it is in the template.
        written: String,
        /// What the model reads.
        text: String,
        /// The name of the variable, or what looks like one; `null` for text.
        name: Option<String>,
        /// The variable that was probably meant; `null` if there is none.
        nearest: Option<String>,
    }
    /// A variable of a template.
    struct PromptVariableInfo {
        /// Its name, without braces.
        name: String,
        /// Whether the event can have a value for it.
        is_set: bool,
        /// The beginning of its value in this payload; `null` without one.
        value: Option<String>,
    }
    /// The request of `prompt.run`. It names a hook, or has the definition of a new one.
    struct PromptRunRequest {
        /// The project directory; absent or `null` for the user's own hooks.
        #[serde(default)] #[ts(optional = nullable)]
        project: Option<String>,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// Hook id.
        #[serde(default)] #[ts(optional = nullable)]
        hook: Option<String>,
        /// Changes of that hook, as for `edit.change`. They are not written.
        #[serde(default)] #[ts(as = "Option<Vec<EditStep>>", optional)]
        steps: Vec<EditStep>,
        /// An unsaved text that defines that hook.
        #[serde(default)] #[ts(optional = nullable)]
        unsaved: Option<UnsavedText>,
        /// The fields of a new definition, with the dialect's names. It is used only without `hook`.
        #[serde(default)] #[ts(optional = nullable, type = "Record<string, unknown>")]
        definition: Option<Map<String, Value>>,
        /// The recorded event whose payload is used; absent for the sample payload of the event.
        #[serde(default)] #[ts(optional = nullable)]
        trace: Option<String>,
        /// A name of the client for this run. It is in the pushes, and `fire.stop` stops it.
        run: String,
        /// How often the model is asked, from 1 to 20.
        times: u32,
        /// Whether the model is asked again although there are answers to the same input.
        #[serde(default)] #[ts(optional)]
        fresh: Option<bool>,
    }
    /// The reply of `prompt.run`.
    struct PromptRunDoc {
        /// The answers, in the order in which they were asked for.
        answers: Vec<PromptAnswer>,
        /// How many times were asked for.
        times: u32,
        /// How many times the model replied.
        replied: u32,
        /// How many of these replies lead to the most frequent decision.
        agreed: u32,
        /// How many of these replies the dialect can read.
        valid: u32,
    }
    /// One answer of the model.
    struct PromptAnswer {
        /// Which of the requests it answers, from 0.
        index: u32,
        /// How the request ended.
        end: ModelTestEnd,
        /// Whether the dialect can read the reply.
        valid: bool,
        /// The outcome that the hook would have.
        outcome: Outcome,
        /// The verdict that the hook alone would lead to.
        verdict: VerdictKind,
        /// The fields that it would change.
        fields: Vec<String>,
        /// Why the reply cannot be read; `null` if it can.
        reason: Option<String>,
        /// The reply, with secrets masked; `null` without one.
        text: Option<String>,
        /// The error; `null` without one.
        error: Option<String>,
        /// How long it took, in milliseconds.
        took_ms: f64,
        /// The tokens of the prompt, as the provider counted them; `null` if it did not.
        #[ts(type = "number | null")]
        input_tokens: Option<u64>,
        /// The tokens of the reply, as the provider counted them; `null` if it did not.
        #[ts(type = "number | null")]
        output_tokens: Option<u64>,
        /// Whether it was kept from an earlier request with the same input.
        cached: bool,
    }
}
