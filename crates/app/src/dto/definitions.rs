//! The schemas of hook files, as documents.

use hookwright_model::Bilingual;
use hookwright_model::definition::{DefinitionFormat, DefinitionRole, TimeUnit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ValueForm {
    /// A string.
    Text,
    /// A shell command.
    Command,
    /// The path of a file next to the hook file.
    File,
    /// The template of a prompt.
    Prompt,
    /// A regular expression.
    Pattern,
    /// One of the choices.
    Choice,
    /// The name of an event.
    Event,
    /// A list of events.
    Events,
    /// A boolean.
    Flag,
    /// A number.
    Number,
    /// A list of strings.
    Words,
    /// A list of names of tools.
    Tools,
    /// A mapping whose values are strings.
    TextMap,
    /// Any mapping.
    AnyMap,
    /// A mapping that is the condition of the hook.
    Filter,
    /// A mapping with known keys.
    Mapping,
    /// The mapping that defines one hook.
    Hook,
    /// A list of values of one form.
    List,
    /// A mapping from events to values of one form.
    ByEvent,
    /// A mapping from any names to values of one form.
    ByName,
}

dto! {
    /// The reply of `definitions`.
    struct DefinitionsDoc {
        /// The schema of each dialect's hook files.
        definitions: Vec<DefinitionInfo>,
    }
    /// The schema of a dialect's hook files.
    struct DefinitionInfo {
        /// Dialect id.
        dialect: String,
        /// How the files are written.
        format: DefinitionFormat,
        /// What a file contains.
        root: ValueInfo,
        /// Fields that can be edited, and that are outside the mapping of the hook.
        outside: Vec<DefinitionFieldInfo>,
    }
    /// What a value may be.
    struct ValueInfo {
        /// The form of the value.
        form: ValueForm,
        /// The values that are allowed: those of a choice, or the names of events.
        choices: Vec<ChoiceInfo>,
        /// The names of the placeholders of a prompt.
        placeholders: Vec<String>,
        /// The keys of a mapping with known keys.
        fields: Vec<DefinitionFieldInfo>,
        /// Whether the mapping has other keys, which belong to the agent.
        open: bool,
        /// The values of a list, or of a mapping from events or names.
        inner: Option<Box<ValueInfo>>,
        /// The unit of a number.
        unit: Option<TimeUnit>,
        /// The smallest number.
        #[ts(type = "number | null")]
        least: Option<i64>,
        /// The largest number that is used as it is.
        #[ts(type = "number | null")]
        most: Option<i64>,
        /// Whether a number can have a fraction.
        fractions: bool,
    }
    /// A key of a mapping, and its value.
    struct DefinitionFieldInfo {
        /// The key.
        name: String,
        /// A short name. It is empty for another spelling of an earlier field.
        label: Bilingual<String>,
        /// One line of help.
        about: Bilingual<String>,
        /// Whether the field must exist, at least where `only` holds.
        required: bool,
        /// The field has an effect only if another field has this value.
        only: Option<FieldCondition>,
        /// The values that count if the field is absent. The first one whose condition holds is used.
        defaults: Vec<DefaultInfo>,
        /// What a form shows with the field.
        role: DefinitionRole,
        /// What the value may be.
        value: ValueInfo,
    }
    /// Another field of the same mapping, and its value.
    struct FieldCondition {
        /// The other field.
        field: String,
        /// Its value.
        value: String,
    }
    /// A value that counts if a field is absent.
    struct DefaultInfo {
        /// The value.
        #[ts(type = "string | number | boolean")]
        value: Value,
        /// It counts only if another field has this value.
        only: Option<FieldCondition>,
    }
    /// One of the values of a field.
    struct ChoiceInfo {
        /// The value.
        value: String,
        /// A short name. It is empty for another spelling of an earlier value.
        label: Bilingual<String>,
    }
}
