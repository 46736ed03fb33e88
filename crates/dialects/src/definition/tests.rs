use hookwright_model::definition::{DefinitionError, DefinitionField, DefinitionKind, DefinitionSpec, ValueType};

use hookwright_model::definition::DefinitionError::{
    Blank, DuplicateKey, Missing, TooLarge, TooSmall, UnknownKey, UnknownKeyNear, UnknownWord, WrongType,
};

/// The errors for which a row needs a message, and those in the mapping that it contains.
fn errors_of(field: &DefinitionField) -> Vec<DefinitionError> {
    let mut errors = match &field.kind {
        DefinitionKind::Text | DefinitionKind::File | DefinitionKind::Pattern | DefinitionKind::Event => {
            vec![WrongType(ValueType::Text)]
        }
        DefinitionKind::Command | DefinitionKind::Prompt(_) => vec![WrongType(ValueType::Text), Blank],
        DefinitionKind::Choice(_) => vec![WrongType(ValueType::Text), UnknownWord],
        DefinitionKind::Flag => vec![WrongType(ValueType::Flag)],
        DefinitionKind::Number(number) => {
            let small = number.least.map(|_| TooSmall);
            let large = number.most.map(|_| TooLarge);
            [WrongType(ValueType::Number)]
                .into_iter()
                .chain(small)
                .chain(large)
                .collect()
        }
        DefinitionKind::Words | DefinitionKind::Tools | DefinitionKind::Events(_) | DefinitionKind::List(_) => {
            vec![WrongType(ValueType::List)]
        }
        DefinitionKind::TextMap
        | DefinitionKind::Mapping(_)
        | DefinitionKind::Filter(_)
        | DefinitionKind::ByName(_) => {
            vec![WrongType(ValueType::Mapping)]
        }
        // The dialect reads what contains the hooks.
        DefinitionKind::AnyMap
        | DefinitionKind::OpenMapping(_)
        | DefinitionKind::Hook(_)
        | DefinitionKind::ByEvent(_) => Vec::new(),
    };
    errors.extend(field.required.then_some(Missing));
    errors
}

/// What the dialect says itself, because no row can: the dialect, the field and the error.
const SAID_ELSEWHERE: [(&str, &str, DefinitionError); 7] = [
    // If it is probably in milliseconds, the lint says so.
    ("qoder", "timeout", TooLarge),
    ("claude-code", "timeout", TooLarge),
    ("codex", "timeout", TooLarge),
    // The example is the name of the folder.
    ("agent-hooks", "name", Missing),
    // A wrong value is shown as JSON.
    ("skill", "timing", WrongType(ValueType::Text)),
    ("skill", "role", WrongType(ValueType::Text)),
    ("skill", "role", UnknownWord),
];

fn check(dialect: &str, spec: &DefinitionSpec, fields: &[DefinitionField]) {
    for field in fields.iter().filter(|field| !field.is_note) {
        for error in errors_of(field) {
            let mut messages = field.messages.iter().chain(spec.messages);
            let has_message = messages.any(|says| says.error == error);
            let is_elsewhere = SAID_ELSEWHERE.contains(&(dialect, field.name, error));
            assert!(has_message != is_elsewhere, "{dialect} {} {error:?}", field.name);
        }
        check(dialect, spec, field.kind.fields());
    }
}

#[test]
fn every_error_has_a_message() {
    for card in crate::all().iter().map(|dialect| dialect.card()) {
        let spec = card.definition;
        for error in [WrongType(ValueType::File), DuplicateKey, UnknownKey, UnknownKeyNear] {
            assert!(
                spec.messages.iter().any(|says| says.error == error),
                "{} {error:?}",
                card.id
            );
        }
        check(card.id, spec, spec.hook_fields());
    }
}
