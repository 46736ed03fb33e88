use std::collections::BTreeSet;

use super::*;
use crate::{all, find};

/// The field tables of a dialect, from the root of a file down.
fn tables(kind: &'static DefinitionKind, out: &mut Vec<&'static [DefinitionField]>) {
    if let DefinitionKind::List(inner) | DefinitionKind::ByEvent(inner) | DefinitionKind::ByName(inner) = kind {
        return tables(inner, out);
    }
    let fields = kind.fields();
    if !fields.is_empty() {
        out.push(fields);
    }
    for field in fields {
        tables(&field.kind, out);
    }
}

fn every_table() -> Vec<&'static [DefinitionField]> {
    let mut found = Vec::new();
    for dialect in all() {
        let spec = dialect.card().definition;
        tables(&spec.root, &mut found);
        found.push(spec.outside);
    }
    found
}

#[test]
fn every_field_has_its_words_in_both_languages() {
    for field in every_table().into_iter().flatten() {
        assert_eq!(field.label.en.is_empty(), field.label.zh.is_empty(), "{}", field.name);
        assert!(
            !field.about.en.is_empty() && !field.about.zh.is_empty(),
            "{}",
            field.name
        );
        if let DefinitionKind::Choice(choices) = field.kind {
            assert!(
                choices
                    .iter()
                    .all(|choice| choice.label.en.is_empty() == choice.label.zh.is_empty())
            );
            assert!(
                choices.iter().any(|choice| !choice.label.en.is_empty()),
                "{}",
                field.name
            );
        }
    }
}

#[test]
fn a_condition_names_a_field_of_the_same_mapping_and_one_of_its_choices() {
    for fields in every_table() {
        let conditions = fields.iter().flat_map(|field| {
            let of_defaults = field.defaults.iter().filter_map(|default| default.only);
            let also = field.also_for.iter().filter_map(|value| Some((field.only?.0, *value)));
            field.only.into_iter().chain(also).chain(of_defaults)
        });
        for (other, value) in conditions {
            let other = fields.iter().find(|field| field.name == other);
            let Some(DefinitionKind::Choice(choices)) = other.map(|field| field.kind) else {
                panic!("{value} is not a choice");
            };
            assert!(choices.iter().any(|choice| choice.value == value), "{value}");
        }
    }
}

#[test]
fn a_field_is_listed_once() {
    for fields in every_table() {
        let names: BTreeSet<&str> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), fields.len(), "{names:?}");
    }
}

#[test]
fn every_dialect_has_the_schema_of_a_hook() {
    for dialect in all() {
        let card = dialect.card();
        assert!(!card.definition.hook_fields().is_empty(), "{}", card.id);
        assert!(!card.definition.files.is_empty(), "{}", card.id);
    }
}

#[test]
fn a_nested_field_is_found_by_its_dotted_name() {
    let kind_of = |dialect: &str, field: &str| find(dialect).and_then(|it| it.card().definition.kind_of(field));
    assert!(kind_of("jcli", "filter.tool_name").is_some_and(|kind| kind.is_text()));
    assert!(kind_of("qoder", "env.PATH").is_some_and(|kind| kind.is_text()));
    assert!(kind_of("qoder", "matcher").is_some_and(|kind| kind.is_text()));
    assert!(kind_of("jcli", "timeout").is_some_and(|kind| !kind.is_text()));
    assert!(kind_of("jcli", "filter.tool").is_none() && kind_of("jcli", "matcher").is_none());
}

#[test]
fn both_languages_describe_the_same_schema() {
    fn without_words(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|key, value| !(["title", "description"].contains(&key.as_str()) && value.is_string()));
                map.values_mut().for_each(without_words);
            }
            Value::Array(items) => items.iter_mut().for_each(without_words),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    for dialect in all() {
        let mut both = [SchemaLanguage::En, SchemaLanguage::Zh].map(|language| json_schema(dialect.card(), language));
        assert_ne!(both[0], both[1]);
        both.iter_mut().for_each(without_words);
        assert_eq!(both[0], both[1]);
    }
}
