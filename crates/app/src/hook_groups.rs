//! The places that hooks are read from, as groups of a list, and the chains of its events.

use std::collections::HashMap;
use std::path::{MAIN_SEPARATOR, Path};

use hookwright_engine::{Candidate, plan};
use hookwright_model::{
    Dialect, EVERY_EVENT, GroupFault, HookChain, HookGroup, HookRow, Layer, SourceRow, TurnedOffHook,
};

/// The health of hooks of an older version that their agent does not run.
const LAST_GOOD: &str = "last_good";

/// The hooks of each event of a dialect in run order, as indexes of the candidates.
pub(crate) struct CandidateChain {
    pub event: String,
    pub order: Vec<usize>,
}

/// The chains of a dialect: first the events that rows name, in the order of the rows, then those that only hooks of
/// all events serve.
pub(crate) fn chains(dialect: &dyn Dialect, candidates: &[Candidate], rows: &[usize]) -> Vec<CandidateChain> {
    let card = dialect.card();
    let mut events: Vec<&str> = Vec::new();
    let named = rows.iter().map(|&index| candidates[index].hook.event.as_str());
    let every = candidates
        .iter()
        .filter(|candidate| candidate.hook.event == EVERY_EVENT);
    let served = every.flat_map(|candidate| {
        let serves = |spec: &&hookwright_model::EventSpec| candidate.hook.matches_event(spec);
        card.events.iter().filter(serves).map(|spec| spec.name)
    });
    for event in named.filter(|event| *event != EVERY_EVENT).chain(served) {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    let chain = |event: &str| {
        let order = match card.event(event) {
            Some(spec) => {
                let mine = candidates.iter().enumerate();
                let mine = mine.filter(|(_, candidate)| candidate.hook.matches_event(spec));
                let (indexes, mine): (Vec<usize>, Vec<&Candidate>) = mine.unzip();
                let order = plan::run_order(dialect, spec, &mine);
                order.into_iter().map(|index| indexes[index]).collect()
            }
            // The dialect fires no such event.
            None => (0..candidates.len())
                .filter(|&index| candidates[index].hook.event == event)
                .collect(),
        };
        CandidateChain {
            event: event.to_owned(),
            order,
        }
    };
    events.into_iter().map(chain).collect()
}

/// Identifies the group of what is read from this path.
pub(crate) fn group_of(dialect: &str, layer: Layer, path: &str, sources: &[SourceRow]) -> String {
    let place = place_of(dialect, layer, path, sources);
    format!("{dialect} {} {place}", layer.as_str())
}

/// The groups of rows and of hooks that are turned off, in order.
pub(crate) fn groups(
    rows: &[HookRow],
    chains: &[HookChain],
    turned_off: &[TurnedOffHook],
    sources: &[SourceRow],
) -> Vec<HookGroup> {
    let mut out: Vec<HookGroup> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (index, row) in (0..).zip(rows) {
        let place = *places.entry(&row.group).or_insert_with(|| {
            out.push(empty_group(&row.group, &row.dialect, row.layer, &row.path, sources));
            out.len() - 1
        });
        out[place].rows.push(index);
        out[place].fault = out[place].fault.into_iter().chain(fault(row)).min();
    }
    for hook in turned_off {
        places.entry(&hook.group).or_insert_with(|| {
            out.push(empty_group(&hook.group, &hook.dialect, hook.layer, &hook.path, sources));
            out.len() - 1
        });
    }
    let in_chain: HashMap<(u32, &str), usize> = chains
        .iter()
        .flat_map(|chain| {
            chain
                .rows
                .iter()
                .zip(0..)
                .map(|(&row, place)| ((row, chain.event.as_str()), place))
        })
        .collect();
    for group in &mut out {
        let mut events: Vec<&str> = Vec::new();
        for &index in &group.rows {
            let event = rows[index as usize].event.as_str();
            if !events.contains(&event) {
                events.push(event);
            }
        }
        // Hooks of all events have no chain of their own.
        let place = |index: u32| {
            let event = rows[index as usize].event.as_str();
            let at = events.iter().position(|known| *known == event);
            let row = &rows[index as usize];
            (at, in_chain.get(&(index, event)).copied(), row.position)
        };
        group.rows.sort_by_key(|&index| place(index));
    }
    let dialects: Vec<&str> = hookwright_dialects::all()
        .iter()
        .map(|dialect| dialect.card().id)
        .collect();
    out.sort_by_key(|group| (dialects.iter().position(|id| *id == group.dialect), group.layer));
    let mut counts: HashMap<String, u32> = HashMap::new();
    for group in &mut out {
        let count = counts.entry(group.dialect.clone()).or_insert(0);
        *count += 1;
        group.place = *count;
    }
    out
}

fn empty_group(group: &str, dialect: &str, layer: Layer, path: &str, sources: &[SourceRow]) -> HookGroup {
    HookGroup {
        group: group.to_owned(),
        dialect: dialect.to_owned(),
        layer,
        path: place_of(dialect, layer, path, sources),
        place: 0,
        rows: Vec::new(),
        fault: None,
    }
}

fn fault(row: &HookRow) -> Option<GroupFault> {
    if row.health.code.as_deref() == Some(LAST_GOOD) {
        return Some(GroupFault::NotRead);
    }
    (row.guard && row.health.state.is_fault()).then_some(GroupFault::Guard)
}

/// The place that was read for a hook: its file, the folder that its folder lies in, or its skill.
fn place_of(dialect: &str, layer: Layer, path: &str, sources: &[SourceRow]) -> String {
    let inside = |source: &SourceRow| {
        let is_mine = source.dialect == dialect && source.layer == layer;
        let rest = Path::new(path).strip_prefix(&source.path).ok()?;
        is_mine.then(|| (source.path.clone(), rest.to_owned()))
    };
    let Some((place, rest)) = sources.iter().filter_map(inside).max_by_key(|(place, _)| place.len()) else {
        return path.to_owned();
    };
    match rest.components().next().filter(|_| layer == Layer::Skill) {
        Some(skill) => format!("{place}{MAIN_SEPARATOR}{}", skill.as_os_str().display()),
        None => place,
    }
}
