//! The tables of the dialects, for the window.

use hookwright_model::{Card, Dialect, FilterChoices, FilterKey, FilterSubject, Merge, OutputKind, OutputSpec};
use serde::Serialize;

use crate::app::App;
use crate::dto::{DialectInfo, DialectsDoc, Empty, EventInfo, FieldInfo, FilterInfo, OutputEffect, OutputInfo};
use crate::fault::Fault;
use crate::hooks::to_ms;

/// The command `dialects`: all dialects with their events, fields and lifecycle maps.
///
/// # Errors
/// Never.
pub async fn dialects(_app: &App, _: Empty) -> Result<DialectsDoc, Fault> {
    Ok(DialectsDoc {
        dialects: hookwright_dialects::all()
            .iter()
            .map(|dialect| dialect_info(*dialect))
            .collect(),
    })
}

fn dialect_info(dialect: &dyn Dialect) -> DialectInfo {
    let card = dialect.card();
    let kind = |kind: hookwright_model::FieldKind| word(&kind);
    let field = |spec: &hookwright_model::FieldSpec| FieldInfo {
        name: spec.name.to_owned(),
        kind: kind(spec.kind),
        about: spec.about.into(),
    };
    let filters = card.definition.filters();
    let events = card.events.iter().map(|event| EventInfo {
        name: event.name.to_owned(),
        group: event.group.into(),
        about: event.about.into(),
        notify_only: event.notify_only,
        compares: filters
            .iter()
            .filter_map(|filter| Some((filter.key.to_owned(), filter.spec.field_at(event)?.to_owned())))
            .collect(),
        fields: card.common.iter().chain(event.fields).map(field).collect(),
        accepts: event
            .outputs
            .iter()
            .map(|output| OutputInfo {
                name: output.name.to_owned(),
                kind: kind(output.kind),
                does: output_effect(output),
                about: output.about.into(),
            })
            .collect(),
        verdicts: event.verdicts.to_vec(),
        order: event.chain.order.rule().into(),
        budget_ms: event.chain.budget.map(to_ms),
        lifetime: event.lifetime,
    });
    DialectInfo {
        id: card.id.to_owned(),
        name: card.name.to_owned(),
        tag: card.tag.to_owned(),
        about: card.about.into(),
        first: card.first.to_owned(),
        switch: dialect.card().edit_support.switch.map(str::to_owned),
        shelves: dialect
            .card()
            .edit_support
            .target_layers
            .iter()
            .map(|layer| layer.as_str().to_owned())
            .collect(),
        filters: filters.iter().map(|filter| filter_info(card, filter)).collect(),
        prompt_field: card.prompts.map(|prompts| prompts.field.to_owned()),
        connects: !dialect.relay_hooks("").is_empty(),
        tool_field: card.tool_field.to_owned(),
        common: card.common.iter().map(|field| field.name.to_owned()).collect(),
        events: events.collect(),
        map: card.lifecycle_map.into(),
    }
}

/// A value of a table as its word in JSON.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).ok();
    value
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn filter_info(card: &Card, filter: &FilterKey) -> FilterInfo {
    let events = |notify_only: bool| {
        let some = card.events.iter().filter(move |event| event.notify_only == notify_only);
        some.map(|event| event.name.to_owned()).collect()
    };
    let spec = filter.spec;
    FilterInfo {
        key: filter.key.to_owned(),
        field: filter.field.clone(),
        test: word(&spec.test),
        without_subject: word(&spec.without_subject),
        names_events: spec.subject == FilterSubject::Event,
        overruled_by: spec.overruled_by.map(str::to_owned),
        choices: match spec.choices {
            FilterChoices::Any => Vec::new(),
            FilterChoices::Deciding => events(false),
            FilterChoices::NotifyOnly => events(true),
        },
        about: spec.about.into(),
    }
}

fn output_effect(output: &OutputSpec) -> OutputEffect {
    match output.effect {
        // What is added together with a decision has an effect only with that decision.
        OutputKind::Add(_) if !output.with_verdicts.is_empty() => OutputEffect::Steers,
        OutputKind::Replace | OutputKind::ReplaceField(_) | OutputKind::ReplaceParts => OutputEffect::Replaces,
        OutputKind::Add(Merge::Notice | Merge::JoinNotice) => OutputEffect::Tells,
        OutputKind::Add(Merge::Record) => OutputEffect::Records,
        OutputKind::Add(Merge::AnyTrue) | OutputKind::Control => OutputEffect::Steers,
        OutputKind::Add(
            Merge::Append | Merge::Last | Merge::Join | Merge::JoinParagraphs | Merge::Union | Merge::Gather,
        ) => OutputEffect::Adds,
    }
}
