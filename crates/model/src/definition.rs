//! The schema of a dialect's hook files, as data: which keys they have, what each value may be, and what is said about a
//! wrong one. Files are read by it, edits are checked by it, and the filter builder and the form of the window, completion
//! and the published JSON Schemas are built from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event::Bilingual;
use crate::filter_key::{FilterChoices, FilterKey, FilterSpec};
use crate::message::MessageTemplate;

/// The schema of a dialect's hook files.
#[derive(Debug, Clone, Copy)]
pub struct DefinitionSpec {
    /// The usual paths of the files, below the project or the home directory.
    pub files: &'static [&'static str],
    /// How the files are written.
    pub format: DefinitionFormat,
    /// Whether a field with the value `null` counts as absent.
    pub null_is_absent: bool,
    /// How keys begin that are notes of the author, and mean nothing to the agent.
    pub note_prefixes: &'static [&'static str],
    /// What a file contains.
    pub root: DefinitionKind,
    /// Fields that `add` and `edit` accept, and that are outside the mapping of the hook: its key, a field of its group,
    /// the text of a file next to it.
    pub outside: &'static [DefinitionField],
    /// What is said about an error, unless the field says something else.
    pub messages: &'static [DefinitionMessage],
    /// Keys of the agent that change what a hook means and that Hookwright does not support. With another value than an
    /// empty one, the hook is shown and not run.
    pub foreign_keys: &'static [&'static str],
    /// Unknown keys about which more can be said than that they are unknown.
    pub known_mistakes: &'static [KnownMistake],
}

/// Unknown keys of one meaning, at the first level of a hook or group.
#[derive(Debug, Clone, Copy)]
pub struct KnownMistake {
    /// Whole keys, or a word that a key contains in any letter case.
    pub keys: MistakenKeys,
    /// The message. Its placeholder is `field`.
    pub template: MessageTemplate,
}

/// Which unknown keys a [`KnownMistake`] is about.
#[derive(Debug, Clone, Copy)]
pub enum MistakenKeys {
    /// These keys.
    These(&'static [&'static str]),
    /// Keys that contain this word, in any letter case.
    Containing(&'static str),
}

/// What a reader says about an error of one kind. Its placeholders are filled with what is known about the error: `field`
/// (the dotted name), `found` (the type of the value), `written` (the value), `least`, `most`, `taken` (the value that is
/// used), `wanted` (the right type), `nearest` and `known` (field names), `type` (the kind of hook), `example`.
#[derive(Debug, Clone, Copy)]
pub struct DefinitionMessage {
    /// The kind of error.
    pub error: DefinitionError,
    /// The message.
    pub template: MessageTemplate,
    /// What does not run because of the error.
    pub cost: ErrorCost,
}

/// What an error of a definition costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCost {
    /// Nothing: it is a warning.
    Nothing,
    /// The definition that contains it, if its code is an error.
    Definition,
    /// The whole file: the agent rejects it.
    File,
}

/// The errors that a reader finds by the rows of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionError {
    /// A value of another type.
    WrongType(ValueType),
    /// A number or boolean where a string is expected. Its text is used.
    BareText,
    /// A string that begins with `{{` without quotes, which YAML reads as a mapping.
    Template,
    /// A key that the mapping already has.
    DuplicateKey,
    /// An unknown key.
    UnknownKey,
    /// An unknown key that is similar to a known one.
    UnknownKeyNear,
    /// One of [`DefinitionSpec::foreign_keys`].
    ForeignKey,
    /// A required field does not exist.
    Missing,
    /// A required field does not exist, but one that another kind of hook requires.
    MissingBeside,
    /// A required list does not exist, but a field that belongs to its items.
    MissingLevel,
    /// A string that is empty or only white space.
    Blank,
    /// A string that is none of the choices.
    UnknownWord,
    /// One of [`DefinitionField::foreign_words`].
    ForeignWord,
    /// A number that is too small.
    TooSmall,
    /// A number that is too large. The largest possible one is used.
    TooLarge,
    /// A field of another kind of hook.
    NoEffect,
    /// A file without a value.
    EmptyFile,
    /// A file without front matter.
    NoFrontMatter,
    /// Front matter without its last line.
    OpenFrontMatter,
}

/// The type of a value, as far as an error distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// The content of the file.
    File,
    /// A mapping that defines a hook.
    Hook,
    /// Any other mapping.
    Mapping,
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A number.
    Number,
    /// A list.
    List,
    /// A string in a list, or a value in a mapping of strings.
    Item,
}

/// How a hook file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum DefinitionFormat {
    /// YAML.
    Yaml,
    /// JSON with comments.
    Json,
    /// YAML between two lines `---` at the begin of a Markdown file.
    FrontMatter,
}

/// A key of a mapping, and its value.
#[derive(Debug, Clone, Copy)]
pub struct DefinitionField {
    /// The key.
    pub name: &'static str,
    /// What the value may be.
    pub kind: DefinitionKind,
    /// A short name for a form.
    pub label: Bilingual,
    /// One line of help.
    pub about: Bilingual,
    /// Whether the field must exist, at least where [`Self::only`] holds.
    pub required: bool,
    /// The field has an effect only if another field of the mapping has this value.
    pub only: Option<(&'static str, &'static str)>,
    /// Further values of the field that [`Self::only`] names, with which this field has an effect too.
    pub also_for: &'static [&'static str],
    /// The values that count if the field is absent. The first one whose condition holds is used.
    pub defaults: &'static [DefinitionDefault],
    /// What a form shows with the field.
    pub role: DefinitionRole,
    /// The condition that the field is; `None` for a field that decides nothing about when the hook runs.
    pub filter: Option<FilterSpec>,
    /// What is said about an error in this field. It goes before the messages of [`DefinitionSpec::messages`].
    pub messages: &'static [DefinitionMessage],
    /// A value as a message shows it.
    pub example: &'static str,
    /// Words that the agent knows as a value, and Hookwright does not run.
    pub foreign_words: &'static [&'static str],
    /// Whether an error in this field is only a warning, because the hook runs anyway.
    pub warns: bool,
    /// Whether the field is a note of the author. Its value is not looked at.
    pub is_note: bool,
    /// Whether the value `null` counts as absent in this field, although it does not elsewhere.
    pub may_be_null: bool,
    /// Whether the string is passed to the system, which ends it at a NUL character. So it is always for commands.
    pub is_passed: bool,
}

/// A value that counts if a field is absent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DefinitionDefault {
    /// The value.
    pub value: DefinitionValue,
    /// It counts only if another field of the mapping has this value.
    pub only: Option<(&'static str, &'static str)>,
}

/// A value in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefinitionValue {
    /// A string.
    Text(&'static str),
    /// A whole number.
    Number(i64),
    /// A boolean.
    Flag(bool),
}

/// What a form shows with a field, besides its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum DefinitionRole {
    /// Nothing else.
    #[default]
    Plain,
    /// How much of this limit the hook uses.
    TimeLimit,
    /// Whether the agent continues if the hook fails.
    Failure,
    /// Nothing else: the field decides what kind of hook it is, and which other fields have an effect.
    Handler,
    /// Whether the hook is on.
    Switch,
    /// The field is the key of the mapping that defines the hook.
    Key,
    /// The field cannot be changed in the text of this file alone, because other files depend on it.
    OtherFiles,
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum DefinitionKind {
    /// A string.
    Text,
    /// A shell command.
    Command,
    /// The path of a file next to the hook file.
    File,
    /// The template of a prompt, with the names of its placeholders.
    Prompt(&'static [&'static str]),
    /// A regular expression.
    Pattern,
    /// One of these strings.
    Choice(&'static [DefinitionChoice]),
    /// The name of an event of the dialect.
    Event,
    /// A list of events of the dialect.
    Events(EventSet),
    /// A boolean.
    Flag,
    /// A number.
    Number(NumberSpec),
    /// A list of strings: a program and its arguments.
    Words,
    /// A list of names of tools.
    Tools,
    /// A mapping whose values are strings.
    TextMap,
    /// Any mapping.
    AnyMap,
    /// A mapping that is the condition of the hook.
    Filter(&'static [DefinitionField]),
    /// A mapping with these keys.
    Mapping(&'static [DefinitionField]),
    /// A mapping with these keys, and others that belong to the agent.
    OpenMapping(&'static [DefinitionField]),
    /// The mapping that defines one hook.
    Hook(&'static [DefinitionField]),
    /// A list of such values.
    List(&'static DefinitionKind),
    /// A mapping from the names of events to such values.
    ByEvent(&'static DefinitionKind),
    /// A mapping from any names to such values.
    ByName(&'static DefinitionKind),
}

/// One of the values of a field.
#[derive(Debug, Clone, Copy)]
pub struct DefinitionChoice {
    /// The value.
    pub value: &'static str,
    /// A short name for a form. It is empty for another spelling of an earlier value, which a form does not offer.
    pub label: Bilingual,
}

/// Which events a list can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventSet {
    /// Events that only notify, or those that wait for an answer.
    pub notify_only: bool,
    /// Other words of the list: those for every event, and the empty one.
    pub also: &'static [&'static str],
}

/// The limits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberSpec {
    /// The unit; `None` for a plain number.
    pub unit: Option<TimeUnit>,
    /// The smallest value; `None` if there is none.
    pub least: Option<i64>,
    /// The largest value that is used as it is.
    pub most: Option<i64>,
    /// Whether fractions are allowed. Then the value must be greater than [`Self::least`].
    pub fractions: bool,
    /// Whether a smaller number than [`Self::least`] counts as that. Otherwise it is an error.
    pub clamps: bool,
}

/// The unit of a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
}

impl DefinitionField {
    /// A field that may be absent and has no default.
    #[must_use]
    pub const fn new(name: &'static str, kind: DefinitionKind, label: Bilingual, about: Bilingual) -> Self {
        Self {
            name,
            kind,
            label,
            about,
            required: false,
            only: None,
            also_for: &[],
            defaults: &[],
            role: DefinitionRole::Plain,
            filter: None,
            messages: &[],
            example: "",
            foreign_words: &[],
            warns: false,
            is_note: false,
            may_be_null: false,
            is_passed: false,
        }
    }

    /// The field must exist.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The field has an effect only if `field` has this value.
    #[must_use]
    pub const fn only(self, field: &'static str, value: &'static str) -> Self {
        Self {
            only: Some((field, value)),
            ..self
        }
    }

    /// The field has an effect with these other values, too.
    #[must_use]
    pub const fn also_for(self, values: &'static [&'static str]) -> Self {
        Self {
            also_for: values,
            ..self
        }
    }

    /// Whether the field has an effect. `word` returns the word of another field.
    pub fn has_effect<'w>(&self, word: impl Fn(&str) -> &'w str) -> bool {
        self.only.is_none_or(|(field, value)| {
            let word = word(field);
            word == value || self.also_for.contains(&word)
        })
    }

    /// What counts if the field is absent.
    #[must_use]
    pub const fn defaults(self, defaults: &'static [DefinitionDefault]) -> Self {
        Self { defaults, ..self }
    }

    /// What a form shows with the field.
    #[must_use]
    pub const fn role(self, role: DefinitionRole) -> Self {
        Self { role, ..self }
    }

    /// The field is a condition.
    #[must_use]
    pub const fn filter(self, filter: FilterSpec) -> Self {
        Self {
            filter: Some(filter),
            ..self
        }
    }

    /// What is said about an error in this field.
    #[must_use]
    pub const fn messages(self, messages: &'static [DefinitionMessage]) -> Self {
        Self { messages, ..self }
    }

    /// A value as a message shows it.
    #[must_use]
    pub const fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Words that the agent knows as a value, and Hookwright does not run.
    #[must_use]
    pub const fn foreign_words(self, foreign_words: &'static [&'static str]) -> Self {
        Self { foreign_words, ..self }
    }

    /// An error in this field is only a warning.
    #[must_use]
    pub const fn warns(self) -> Self {
        Self { warns: true, ..self }
    }

    /// The field is a note of the author.
    #[must_use]
    pub const fn note(self) -> Self {
        Self { is_note: true, ..self }
    }

    /// The value `null` counts as absent.
    #[must_use]
    pub const fn may_be_null(self) -> Self {
        Self {
            may_be_null: true,
            ..self
        }
    }

    /// The string is passed to the system.
    #[must_use]
    pub const fn passed(self) -> Self {
        Self {
            is_passed: true,
            ..self
        }
    }
}

/// What is said about this error.
#[must_use]
pub const fn says(error: DefinitionError, template: MessageTemplate) -> DefinitionMessage {
    DefinitionMessage {
        error,
        template,
        cost: ErrorCost::Definition,
    }
}

/// What is said about this error, after which the definition stays valid.
#[must_use]
pub const fn warns(error: DefinitionError, template: MessageTemplate) -> DefinitionMessage {
    DefinitionMessage {
        error,
        template,
        cost: ErrorCost::Nothing,
    }
}

/// What is said about this error, because of which the agent rejects the whole file.
#[must_use]
pub const fn rejects(error: DefinitionError, template: MessageTemplate) -> DefinitionMessage {
    DefinitionMessage {
        error,
        template,
        cost: ErrorCost::File,
    }
}

impl DefinitionDefault {
    /// A default that always counts.
    #[must_use]
    pub const fn always(value: DefinitionValue) -> Self {
        Self { value, only: None }
    }

    /// A default that counts if `field` has the value `is`.
    #[must_use]
    pub const fn with(field: &'static str, is: &'static str, value: DefinitionValue) -> Self {
        Self {
            value,
            only: Some((field, is)),
        }
    }
}

impl From<DefinitionValue> for serde_json::Value {
    fn from(value: DefinitionValue) -> Self {
        match value {
            DefinitionValue::Text(text) => text.into(),
            DefinitionValue::Number(number) => number.into(),
            DefinitionValue::Flag(flag) => flag.into(),
        }
    }
}

/// One row of a table of fields: its key and kind, a short name and one line of help in both languages, and what else holds
/// for it, as methods of [`DefinitionField`].
///
/// ```
/// # use hookwright_model::definition::{DefinitionField, DefinitionKind::Text};
/// const NAME: DefinitionField =
///     hookwright_model::definition_field!("name": Text, "Name" "名称", "The name of the hook." "Hook 的名称。", required);
/// assert!(NAME.required);
/// ```
#[macro_export]
macro_rules! definition_field {
    ($name:literal: $kind:expr, $label:literal $label_zh:literal, $about:literal $about_zh:literal $(, $with:ident $(($($arg:expr),*))?)*) => {
        $crate::definition::DefinitionField::new(
            $name,
            $kind,
            $crate::Bilingual { en: $label, zh: $label_zh },
            $crate::Bilingual { en: $about, zh: $about_zh },
        )
        $(.$with($($($arg),*)?))*
    };
}

impl DefinitionKind {
    /// The fields of a mapping with known keys; empty for any other value.
    #[must_use]
    pub const fn fields(&self) -> &'static [DefinitionField] {
        match self {
            Self::Filter(fields) | Self::Mapping(fields) | Self::OpenMapping(fields) | Self::Hook(fields) => fields,
            Self::Text
            | Self::Command
            | Self::File
            | Self::Prompt(_)
            | Self::Pattern
            | Self::Choice(_)
            | Self::Event
            | Self::Events(_)
            | Self::Flag
            | Self::Number(_)
            | Self::Words
            | Self::Tools
            | Self::TextMap
            | Self::AnyMap
            | Self::List(_)
            | Self::ByEvent(_)
            | Self::ByName(_) => &[],
        }
    }

    /// Whether the value is a string.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Text | Self::Command | Self::File | Self::Prompt(_) | Self::Pattern | Self::Choice(_) | Self::Event
        )
    }

    /// The fields of the mapping that defines a hook, wherever it is in this value.
    fn hook_fields(&self) -> Option<&'static [DefinitionField]> {
        match self {
            Self::Hook(fields) => Some(fields),
            Self::List(inner) | Self::ByEvent(inner) | Self::ByName(inner) => inner.hook_fields(),
            Self::Mapping(fields) | Self::OpenMapping(fields) => {
                fields.iter().find_map(|field| field.kind.hook_fields())
            }
            Self::Text
            | Self::Command
            | Self::File
            | Self::Prompt(_)
            | Self::Pattern
            | Self::Choice(_)
            | Self::Event
            | Self::Events(_)
            | Self::Flag
            | Self::Number(_)
            | Self::Words
            | Self::Tools
            | Self::TextMap
            | Self::AnyMap
            | Self::Filter(_) => None,
        }
    }
}

impl DefinitionSpec {
    /// The schema of a dialect whose files cannot be read.
    pub const EMPTY: Self = Self {
        files: &[],
        format: DefinitionFormat::Json,
        null_is_absent: false,
        note_prefixes: &[],
        root: DefinitionKind::AnyMap,
        outside: &[],
        messages: &[],
        foreign_keys: &[],
        known_mistakes: &[],
    };

    /// The fields of the mapping that defines one hook.
    #[must_use]
    pub fn hook_fields(&self) -> &'static [DefinitionField] {
        self.root.hook_fields().unwrap_or_default()
    }

    /// Whether a key is a note of the author.
    #[must_use]
    pub fn is_note(&self, key: &str) -> bool {
        self.note_prefixes.iter().any(|prefix| key.starts_with(prefix))
    }

    /// The conditions that a definition can contain. Those that decide come before those that are only reported.
    #[must_use]
    pub fn filters(&self) -> Vec<FilterKey> {
        let mut found = Vec::new();
        let own = self.hook_fields().iter().chain(self.outside);
        for field in own {
            let nested = field.kind.fields().iter();
            let inner = nested.map(|inner| (format!("{}.{}", field.name, inner.name), inner));
            for (name, field) in std::iter::once((field.name.to_owned(), field)).chain(inner) {
                found.extend(field.filter.map(|spec| FilterKey {
                    key: field.name,
                    field: name,
                    spec,
                }));
            }
        }
        found.sort_by_key(|filter| filter.spec.choices == FilterChoices::NotifyOnly);
        found
    }

    /// The kind of a field that `edit` can set, by its dotted name; `None` for an unknown field.
    #[must_use]
    pub fn kind_of(&self, dotted: &str) -> Option<DefinitionKind> {
        let (first, rest) = match dotted.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (dotted, None),
        };
        let field = self
            .hook_fields()
            .iter()
            .chain(self.outside)
            .find(|field| field.name == first)?;
        match (rest, field.kind) {
            (None, kind) => Some(kind),
            (Some(_), DefinitionKind::TextMap) => Some(DefinitionKind::Text),
            (Some(rest), kind) => kind
                .fields()
                .iter()
                .find(|inner| inner.name == rest)
                .map(|inner| inner.kind),
        }
    }
}
