//! What a person may want of a hook, and what every file must say then.

use std::collections::BTreeMap;

use hookwright_model::{EditRequest, FieldValue, HookChange, TargetLayer};
use hookwright_testkit::Chance;
use serde_json::{Value, json};

use crate::reader::{Slot, tag};
use crate::values::{fields, new_hook, shelf_file, spare};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Add,
    Set,
    Unset,
    Rename,
    Enable,
    Disable,
    Remove,
    Move,
    Duplicate,
    Carry,
    CarryCopy,
}

#[derive(Debug)]
pub struct Wish {
    pub what: What,
    pub intention: EditRequest,
    /// The number of the hook that it is about.
    pub hook: Option<usize>,
    /// The top field that changes.
    pub field: Option<String>,
    /// It leads into the field.
    pub nested: bool,
    /// Every hook afterwards. A copy's own name is not known beforehand.
    pub expected: Vec<Slot>,
    /// A text or script that changes whole.
    pub whole: Option<String>,
    /// The only reasons for which it may be refused.
    pub refused_for: &'static [&'static str],
}

/// Puts a value where the dots lead; `None` where something else stands in the way.
fn put(value: &mut Value, field: &str, new: Option<Value>) -> Option<()> {
    let mut here = value;
    let mut steps: Vec<&str> = field.split('.').collect();
    let last = steps.pop()?;
    for step in steps {
        here = here.as_object_mut()?.entry(step).or_insert_with(|| json!({}));
    }
    let map = here.as_object_mut()?;
    match new {
        Some(new) => map.insert(last.to_owned(), new),
        None => map.shift_remove(last),
    };
    Some(())
}

fn add(chance: &mut Chance, dialect: &str, slots: &[Slot], number: usize) -> Wish {
    let (event, definition, mut slot) = new_hook(chance, dialect, number);
    let shelf = match dialect {
        "skill" => TargetLayer::Skill,
        "qoder" => *chance.pick(&[TargetLayer::User, TargetLayer::Project, TargetLayer::Local]),
        _ => *chance.pick(&[TargetLayer::User, TargetLayer::Project]),
    };
    slot.file = match dialect {
        "skill" => "project/skills/writer/hooks/hooks.json".into(),
        "agent-hooks" if shelf == TargetLayer::User => "home/.config/agents/hooks/new/HOOK.md".into(),
        "agent-hooks" => "project/.agents/hooks/new/HOOK.md".into(),
        _ => shelf_file(dialect, shelf, &slot),
    };
    let mut expected = slots.to_vec();
    expected.push(slot);
    Wish {
        what: What::Add,
        intention: EditRequest::Add {
            event: event.to_owned(),
            layer: shelf,
            definition,
        },
        hook: None,
        field: None,
        nested: false,
        expected,
        whole: None,
        refused_for: &[],
    }
}

/// A wish of chance; `None` where this hook cannot be wished that.
pub fn random(chance: &mut Chance, dialect: &str, slots: &[Slot], ids: &BTreeMap<usize, String>) -> Option<Wish> {
    if slots.is_empty() || chance.one_in(12) {
        return Some(add(chance, dialect, slots, 9000));
    }
    let index = chance.below(slots.len());
    let slot = slots[index].clone();
    let number = tag(dialect, &slot.value)?;
    let mut wish = Wish {
        what: What::Remove,
        intention: EditRequest::Remove {
            hook: ids.get(&number)?.clone(),
        },
        hook: Some(number),
        field: None,
        nested: false,
        expected: slots.to_vec(),
        whole: None,
        refused_for: &["edit_shared_anchor"],
    };
    let changes = match chance.below(10) {
        0 => {
            wish.expected.remove(index);
            return Some(wish);
        }
        1..=3 => set(chance, dialect, index, &mut wish)?,
        4 => {
            let field = *chance.pick(spare(dialect));
            wish.what = What::Unset;
            wish.field = Some(field.to_owned());
            if field == "matcher" && dialect == "qoder" {
                regroup(index, None, &mut wish);
            } else {
                slot.value.get(field)?;
                put(&mut wish.expected[index].value, field, None)?;
            }
            vec![HookChange::Unset { field: field.into() }]
        }
        5 => shift(chance, dialect, index, &mut wish),
        6 => {
            let on = chance.one_in(2);
            wish.what = if on { What::Enable } else { What::Disable };
            if dialect == "picoclaw" {
                wish.field = Some("enabled".into());
                put(&mut wish.expected[index].value, "enabled", Some(json!(on)))?;
            } else {
                wish.refused_for = &["edit_no_switch"];
            }
            vec![if on { HookChange::Enable } else { HookChange::Disable }]
        }
        7 => {
            wish.what = What::Duplicate;
            wish.expected.insert(index + 1, slot);
            vec![HookChange::Duplicate]
        }
        8 => rename(dialect, index, number, &mut wish)?,
        _ => carry(chance, dialect, index, &mut wish)?,
    };
    let mut changes = changes;
    if matches!(wish.what, What::Duplicate | What::Move) && chance.one_in(3) && dialect != "agent-hooks" {
        // Several at once.
        let at = if wish.what == What::Duplicate {
            index + 1
        } else {
            wish.expected
                .iter()
                .position(|slot| tag(dialect, &slot.value) == Some(number))?
        };
        let (field, value) = match dialect {
            "picoclaw" => ("priority", json!(77)),
            "skill" => ("role", json!("user")),
            _ => ("timeout", json!(77)),
        };
        if wish.refused_for.first() != Some(&"edit_ordered_by") {
            put(&mut wish.expected[at].value, field, Some(value.clone()))?;
            wish.field = Some(field.into());
        }
        changes.push(HookChange::Set {
            field: field.into(),
            value: FieldValue::Value(value),
        });
    }
    wish.intention = EditRequest::Change {
        hook: ids.get(&number)?.clone(),
        changes,
    };
    Some(wish)
}

fn set(chance: &mut Chance, dialect: &str, index: usize, wish: &mut Wish) -> Option<Vec<HookChange>> {
    let (field, value) = fields(chance, dialect);
    wish.what = What::Set;
    wish.nested = field.contains('.');
    wish.field = field.split('.').next().map(str::to_owned);
    match (dialect, field) {
        ("qoder", "matcher") => regroup(index, Some(value.clone()), wish),
        ("skill", "text") if shares_text(wish, index) => wish.refused_for = &["edit_text_shared"],
        ("skill", "text") | ("agent-hooks", "script") => wish.whole = value.as_str().map(str::to_owned),
        _ => put(&mut wish.expected[index].value, field, Some(value.clone()))?,
    }
    Some(vec![HookChange::Set {
        field: field.to_owned(),
        value: FieldValue::Value(value),
    }])
}

/// Another hook of the skill names the same text.
fn shares_text(wish: &Wish, index: usize) -> bool {
    let slot = &wish.expected[index];
    let same = |other: &&Slot| other.file == slot.file && other.value["file"] == slot.value["file"];
    wish.expected.iter().filter(same).count() > 1
}

/// A hook of Qoder that gets another matcher leaves a group that it shares.
fn regroup(index: usize, matcher: Option<Value>, wish: &mut Wish) {
    let slot = wish.expected[index].clone();
    if slot.matcher == matcher {
        return;
    }
    let same = |other: &Slot| (&other.file, &other.list, other.group) == (&slot.file, &slot.list, slot.group);
    let last = wish.expected.iter().rposition(same).unwrap_or(index);
    let mut moved = wish.expected.remove(index);
    moved.matcher = matcher;
    wish.expected.insert(last, moved);
}

fn shift(chance: &mut Chance, dialect: &str, index: usize, wish: &mut Wish) -> Vec<HookChange> {
    wish.what = What::Move;
    let slot = wish.expected[index].clone();
    let in_list = |other: &Slot| (&other.file, &other.list) == (&slot.file, &slot.list);
    if matches!(dialect, "agent-hooks" | "picoclaw") {
        wish.refused_for = &["edit_ordered_by"];
        return vec![HookChange::MoveTo(1)];
    }
    let mine: Vec<usize> = (0..wish.expected.len())
        .filter(|at| in_list(&wish.expected[*at]))
        .collect();
    let grouped: Vec<usize> = mine
        .iter()
        .copied()
        .filter(|at| wish.expected[*at].group == slot.group)
        .collect();
    if dialect == "qoder" && grouped.len() == 1 {
        // It moves with its group among groups.
        let mut groups: Vec<usize> = mine.iter().map(|at| wish.expected[*at].group).collect();
        groups.dedup();
        let from = groups.iter().position(|group| *group == slot.group).unwrap_or(0);
        let to = chance.below(groups.len());
        let group = groups.remove(from);
        groups.insert(to, group);
        let old: Vec<Slot> = mine.iter().map(|at| wish.expected[*at].clone()).collect();
        let order = |slot: &Slot| groups.iter().position(|group| *group == slot.group);
        let mut new = old;
        new.sort_by_key(order);
        for (at, slot) in mine.iter().zip(new) {
            wish.expected[*at] = slot;
        }
        return vec![HookChange::MoveTo(to as u32 + 1)];
    }
    let list = if dialect == "qoder" { grouped } else { mine };
    let to = chance.below(list.len());
    let moved = wish.expected.remove(index);
    wish.expected.insert(list[to], moved);
    vec![HookChange::MoveTo(to as u32 + 1)]
}

fn rename(dialect: &str, index: usize, number: usize, wish: &mut Wish) -> Option<Vec<HookChange>> {
    let name = format!("renamed-{number}");
    wish.what = What::Rename;
    wish.field = Some("name".into());
    let slot = &mut wish.expected[index];
    match dialect {
        "picoclaw" => slot.name.clone_from(&name),
        "skill" => put(&mut slot.value, "name", Some(json!(name)))?,
        "agent-hooks" => {
            put(&mut slot.value, "name", Some(json!(name)))?;
            let place = slot.file.rsplitn(3, '/').nth(2)?;
            slot.file = format!("{place}/{name}/HOOK.md");
        }
        _ => return None,
    }
    Some(vec![HookChange::Set {
        field: "name".into(),
        value: FieldValue::Value(json!(name)),
    }])
}

/// To another file, or a copy of it.
fn carry(chance: &mut Chance, dialect: &str, index: usize, wish: &mut Wish) -> Option<Vec<HookChange>> {
    let slot = wish.expected[index].clone();
    let copy = chance.one_in(3);
    wish.what = if copy { What::CarryCopy } else { What::Carry };
    let mut changes = Vec::new();
    let file = if dialect == "skill" {
        let skill = *chance.pick(&["reader", "审查", "writer", "new"]);
        changes.push(HookChange::Set {
            field: "skill".into(),
            value: FieldValue::Value(json!(skill)),
        });
        format!("project/skills/{skill}/hooks/hooks.json")
    } else {
        let shelves: &[TargetLayer] = match dialect {
            "qoder" => &[TargetLayer::User, TargetLayer::Project, TargetLayer::Local],
            _ => &[TargetLayer::User, TargetLayer::Project],
        };
        let shelf = *chance.pick(shelves);
        changes.push(HookChange::ToShelf(shelf));
        shelf_file(dialect, shelf, &slot)
    };
    if file == slot.file {
        return None;
    }
    if copy {
        changes.push(HookChange::Duplicate);
    } else {
        wish.expected.remove(index);
    }
    wish.expected.push(Slot {
        file,
        group: usize::MAX,
        ..slot
    });
    Some(changes)
}
