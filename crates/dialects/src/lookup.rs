//! Finds a dialect or an event by the name that a user wrote, or says which names are known.

use hookwright_model::{Card, Dialect, EVERY_EVENT, EventSpec, Message, args, render};

use crate::suggest::nearest_event;
use crate::{all, find};

hookwright_model::messages! {
    /// The dialect does not exist.
    UNKNOWN_DIALECT = "unknown_dialect" { "unknown hook system {dialect}", "未知的 Hook 体系 {dialect}" } hint { "write one of {known}", "写为以下之一：{known}" };
    /// The dialect has no such event, and none with a similar name.
    UNKNOWN_EVENT = "unknown_event_name" { "unknown event {event} of {dialect}", "{dialect} 没有事件 {event}" } hint { "known events: {known}", "可用事件：{known}" };
    /// The dialect has no such event, but one with a similar name.
    UNKNOWN_EVENT_NEAR = "unknown_event_name" / "near" { "unknown event {event} of {dialect}", "{dialect} 没有事件 {event}" } hint { "did you mean {nearest}? Known events: {known}", "是否想写 {nearest}？可用事件：{known}" };
    /// The agent fires this event, but Hookwright does not.
    UNFIRED_EVENT = "unfired_event" { "{agent} fires {event}; Hookwright cannot fire it", "{agent} 会触发 {event}，Hookwright 无法触发" } hint { "use `hookwright add` to write hooks for it: Hookwright shows them, the agent runs them", "用 `hookwright add` 为它添加 Hook：Hookwright 只显示，由 Agent 执行" };
    /// No dialect has this event, and none has one with a similar name.
    NO_SUCH_EVENT = "unknown_event_name" / "anywhere" { "no hook system has an event {event}", "所有 Hook 体系都没有事件 {event}" };
    /// No dialect has this event, but one has an event with a similar name.
    NO_SUCH_EVENT_NEAR = "unknown_event_name" / "anywhere_near" { "no hook system has an event {event}", "所有 Hook 体系都没有事件 {event}" } hint { "did you mean {nearest} of {dialect}?", "是否想写 {dialect} 的 {nearest}？" };
}

/// The dialect and the event with these names.
///
/// # Errors
/// The dialect or the event is unknown, or only the agent fires the event. For an unknown name, the error lists the
/// known names. For an event, it also contains the nearest one.
pub fn find_event(dialect: &str, event: &str) -> Result<(&'static dyn Dialect, &'static EventSpec), Message> {
    let dialect = find_dialect(dialect)?;
    let card = dialect.card();
    let spec = card.event(event).ok_or_else(|| {
        if card.unfired.contains(&event) {
            return render!(UNFIRED_EVENT, "agent" => card.name, "event" => event);
        }
        let known: Vec<&str> = card.events.iter().map(|event| event.name).collect();
        let nearest = card
            .resolve_alias(event)
            .or_else(|| nearest_event(event, known.iter().copied()));
        let mut args = args! { "dialect" => card.id, "event" => event, "known" => known.join(", ") };
        match nearest {
            Some(nearest) => {
                args.insert("nearest".to_owned(), nearest.into());
                UNKNOWN_EVENT_NEAR.render(args)
            }
            None => UNKNOWN_EVENT.render(args),
        }
    })?;
    Ok((dialect, spec))
}

/// The event that an agent names: by its name, or by one that other versions of the agent use (`agent-hooks.md` §3,
/// `picoclaw.md` §2).
///
/// # Errors
/// As for [`find_event`].
pub fn find_agent_event(dialect: &str, event: &str) -> Result<(&'static dyn Dialect, &'static EventSpec), Message> {
    let card = find_dialect(dialect)?.card();
    let by_alias = || card.resolve_alias(event);
    let name = card.event(event).map_or_else(by_alias, |spec| Some(spec.name));
    find_event(dialect, name.unwrap_or(event))
}

/// Checks that some dialect has an event of this name. `*` passes too.
///
/// # Errors
/// No dialect has it. The error contains a name that is near, if there is one.
pub fn check_event_name(event: &str) -> Result<(), Message> {
    let dialects = || all().iter();
    let knows = |card: &'static Card| card.event(event).is_some() || card.unfired.contains(&event);
    if event == EVERY_EVENT || dialects().any(|dialect| knows(dialect.card())) {
        return Ok(());
    }
    let named = |dialect: &&'static dyn Dialect| dialect.card().events.iter().map(|known| known.name);
    let nearest = nearest_event(event, dialects().flat_map(named));
    let knows_nearest =
        |dialect: &&&'static dyn Dialect| nearest.is_some_and(|name| dialect.card().event(name).is_some());
    let message = match (nearest, dialects().find(knows_nearest)) {
        (Some(nearest), Some(dialect)) => {
            render!(NO_SUCH_EVENT_NEAR, "event" => event, "nearest" => nearest, "dialect" => dialect.card().id)
        }
        (_, _) => render!(NO_SUCH_EVENT, "event" => event),
    };
    Err(message)
}

/// The dialect with this id.
///
/// # Errors
/// The dialect is unknown. The error lists the known ids.
pub fn find_dialect(dialect: &str) -> Result<&'static dyn Dialect, Message> {
    let known = || {
        all()
            .iter()
            .map(|dialect| dialect.card().id)
            .collect::<Vec<_>>()
            .join(", ")
    };
    find(dialect).ok_or_else(|| render!(UNKNOWN_DIALECT, "dialect" => dialect, "known" => known()))
}
