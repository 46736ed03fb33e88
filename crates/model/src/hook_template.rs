//! Templates of new hooks, as the window's form shows them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// What the hook of a template is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum TemplateKind {
    /// It blocks what must not happen.
    Guard,
    /// It changes a text or an input.
    Filter,
    /// It adds a text for the model.
    Context,
    /// It asks a model.
    Prompt,
    /// It is a text without a program.
    Text,
    /// It writes events to a file.
    Record,
}

/// A field that the form asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum TemplateField {
    /// The skill that the hook belongs to.
    Skill,
    /// The name of the hook.
    Name,
    /// What the hook does.
    Description,
    /// The pattern of the tools that it is for.
    Tool,
    /// A command for a shell.
    Command,
    /// A prompt for a model.
    Prompt,
    /// The text of a script.
    Script,
    /// A text for the model.
    Text,
}

/// What a new hook can begin with at one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HookTemplate {
    /// What it is for.
    pub kind: TemplateKind,
    /// The fields of the form, in its order, with what stands in them first. A script may contain `@name@`, which stands
    /// for the field of that name.
    pub fields: Vec<FirstValue>,
    /// The definition as `edit.add` takes it. `@name@` stands for the field of that name; a key whose text is empty when it
    /// is filled is left out, and a mapping without keys too.
    #[ts(type = "Record<string, unknown>")]
    pub definition: Map<String, Value>,
}

/// A field of a form with its first value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FirstValue {
    /// The field.
    pub field: TemplateField,
    /// What stands in it before anybody typed.
    pub value: String,
}
