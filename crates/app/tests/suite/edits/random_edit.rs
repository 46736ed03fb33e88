//! Random edits of a hook, each with the content that the files must have after it.

use std::collections::BTreeMap;

use hookwright_model::{EditRequest, FieldValue, HookChange, TargetLayer};
use hookwright_testkit::TestRng;
use serde_json::{Value, json};

use crate::edits::reader::{HookSpan, tag};
use crate::edits::values::{fields, layer_file, new_hook, optional_fields};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditAction {
    Add,
    Set,
    Unset,
    Rename,
    Enable,
    Disable,
    Remove,
    Move,
    Duplicate,
    MoveToFile,
    CopyToFile,
}

#[derive(Debug)]
pub struct RandomEdit {
    pub what: EditAction,
    pub request: EditRequest,
    /// The number of the edited hook.
    pub hook: Option<usize>,
    /// The top field that changes.
    pub field: Option<String>,
    /// Whether only a part of the field changes.
    pub nested: bool,
    /// Every hook after the edit. The name of a copy is not known before.
    pub expected: Vec<HookSpan>,
    /// The new content of a text or script that is replaced as a whole.
    pub new_text: Option<String>,
    /// The only reasons for which it may be refused.
    pub refused_for: &'static [&'static str],
}

/// Sets or removes the value at a dotted path. Returns `None` if the path leads through a value that is not an object.
fn set_path(value: &mut Value, field: &str, new: Option<Value>) -> Option<()> {
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

fn add(rng: &mut TestRng, dialect: &str, slots: &[HookSpan], number: usize) -> RandomEdit {
    let (event, definition, mut slot) = new_hook(rng, dialect, number);
    let layer = match dialect {
        "skill" => TargetLayer::Skill,
        "qoder" => *rng.pick(&[TargetLayer::User, TargetLayer::Project, TargetLayer::Local]),
        _ => *rng.pick(&[TargetLayer::User, TargetLayer::Project]),
    };
    slot.file = match dialect {
        "skill" => "project/skills/writer/hooks/hooks.json".into(),
        "agent-hooks" if layer == TargetLayer::User => "home/.config/agents/hooks/new/HOOK.md".into(),
        "agent-hooks" => "project/.agents/hooks/new/HOOK.md".into(),
        _ => layer_file(dialect, layer, &slot),
    };
    let mut expected = slots.to_vec();
    expected.push(slot);
    RandomEdit {
        what: EditAction::Add,
        request: EditRequest::Add {
            event: event.to_owned(),
            layer,
            definition,
        },
        hook: None,
        field: None,
        nested: false,
        expected,
        new_text: None,
        refused_for: &[],
    }
}

/// A random edit; `None` if it is not possible for the chosen hook.
pub fn random(
    rng: &mut TestRng,
    dialect: &str,
    slots: &[HookSpan],
    ids: &BTreeMap<usize, String>,
) -> Option<RandomEdit> {
    if slots.is_empty() || rng.one_in(12) {
        return Some(add(rng, dialect, slots, 9000));
    }
    let index = rng.less_than(slots.len());
    let slot = slots[index].clone();
    let number = tag(dialect, &slot.value)?;
    let mut edit = RandomEdit {
        what: EditAction::Remove,
        request: EditRequest::Remove {
            hook: ids.get(&number)?.clone(),
        },
        hook: Some(number),
        field: None,
        nested: false,
        expected: slots.to_vec(),
        new_text: None,
        refused_for: &["edit_shared_anchor"],
    };
    let changes = match rng.less_than(10) {
        0 => {
            edit.expected.remove(index);
            return Some(edit);
        }
        1..=3 => set(rng, dialect, index, &mut edit)?,
        4 => {
            let field = *rng.pick(optional_fields(dialect));
            edit.what = EditAction::Unset;
            edit.field = Some(field.to_owned());
            if field == "matcher" && dialect == "qoder" {
                regroup(index, None, &mut edit);
            } else {
                slot.value.get(field)?;
                set_path(&mut edit.expected[index].value, field, None)?;
            }
            vec![HookChange::Unset { field: field.into() }]
        }
        5 => move_in_list(rng, dialect, index, &mut edit),
        6 => {
            let on = rng.one_in(2);
            edit.what = if on { EditAction::Enable } else { EditAction::Disable };
            if dialect == "picoclaw" {
                edit.field = Some("enabled".into());
                set_path(&mut edit.expected[index].value, "enabled", Some(json!(on)))?;
            } else {
                edit.refused_for = &["edit_no_switch"];
            }
            vec![if on { HookChange::Enable } else { HookChange::Disable }]
        }
        7 => {
            edit.what = EditAction::Duplicate;
            edit.expected.insert(index + 1, slot);
            vec![HookChange::Duplicate]
        }
        8 => rename(dialect, index, number, &mut edit)?,
        _ => move_to_file(rng, dialect, index, &mut edit)?,
    };
    let mut changes = changes;
    if matches!(edit.what, EditAction::Duplicate | EditAction::Move) && rng.one_in(3) && dialect != "agent-hooks" {
        // Two changes in one edit.
        let at = if edit.what == EditAction::Duplicate {
            index + 1
        } else {
            edit.expected
                .iter()
                .position(|slot| tag(dialect, &slot.value) == Some(number))?
        };
        let (field, value) = match dialect {
            "picoclaw" => ("priority", json!(77)),
            "skill" => ("role", json!("user")),
            _ => ("timeout", json!(77)),
        };
        if edit.refused_for.first() != Some(&"edit_ordered_by") {
            set_path(&mut edit.expected[at].value, field, Some(value.clone()))?;
            edit.field = Some(field.into());
        }
        changes.push(HookChange::Set {
            field: field.into(),
            value: FieldValue::Value(value),
        });
    }
    edit.request = EditRequest::Change {
        hook: ids.get(&number)?.clone(),
        changes,
    };
    Some(edit)
}

fn set(rng: &mut TestRng, dialect: &str, index: usize, edit: &mut RandomEdit) -> Option<Vec<HookChange>> {
    let (field, value) = fields(rng, dialect);
    edit.what = EditAction::Set;
    edit.nested = field.contains('.');
    edit.field = field.split('.').next().map(str::to_owned);
    match (dialect, field) {
        ("qoder", "matcher") => regroup(index, Some(value.clone()), edit),
        ("skill", "text") if shares_text(edit, index) => edit.refused_for = &["edit_text_shared"],
        ("skill", "text") | ("agent-hooks", "script") => edit.new_text = value.as_str().map(str::to_owned),
        _ => set_path(&mut edit.expected[index].value, field, Some(value.clone()))?,
    }
    Some(vec![HookChange::Set {
        field: field.to_owned(),
        value: FieldValue::Value(value),
    }])
}

/// Whether another hook of the skill names the same text.
fn shares_text(edit: &RandomEdit, index: usize) -> bool {
    let slot = &edit.expected[index];
    let same = |other: &&HookSpan| other.file == slot.file && other.value["file"] == slot.value["file"];
    edit.expected.iter().filter(same).count() > 1
}

/// A Qoder hook that gets another matcher leaves a group that it shares. It is then expected after the hooks of that
/// group.
fn regroup(index: usize, matcher: Option<Value>, edit: &mut RandomEdit) {
    let slot = edit.expected[index].clone();
    if slot.matcher == matcher {
        return;
    }
    let same = |other: &HookSpan| (&other.file, &other.list, other.group) == (&slot.file, &slot.list, slot.group);
    let last = edit.expected.iter().rposition(same).unwrap_or(index);
    let mut moved = edit.expected.remove(index);
    moved.matcher = matcher;
    edit.expected.insert(last, moved);
}

fn move_in_list(rng: &mut TestRng, dialect: &str, index: usize, edit: &mut RandomEdit) -> Vec<HookChange> {
    edit.what = EditAction::Move;
    let slot = edit.expected[index].clone();
    let in_list = |other: &HookSpan| (&other.file, &other.list) == (&slot.file, &slot.list);
    if matches!(dialect, "agent-hooks" | "picoclaw") {
        edit.refused_for = &["edit_ordered_by"];
        return vec![HookChange::MoveTo(1)];
    }
    let mine: Vec<usize> = (0..edit.expected.len())
        .filter(|at| in_list(&edit.expected[*at]))
        .collect();
    let grouped: Vec<usize> = mine
        .iter()
        .copied()
        .filter(|at| edit.expected[*at].group == slot.group)
        .collect();
    if dialect == "qoder" && grouped.len() == 1 {
        // A hook that is alone in its group moves together with the group.
        let mut groups: Vec<usize> = mine.iter().map(|at| edit.expected[*at].group).collect();
        groups.dedup();
        let from = groups.iter().position(|group| *group == slot.group).unwrap_or(0);
        let to = rng.less_than(groups.len());
        let group = groups.remove(from);
        groups.insert(to, group);
        let old: Vec<HookSpan> = mine.iter().map(|at| edit.expected[*at].clone()).collect();
        let order = |slot: &HookSpan| groups.iter().position(|group| *group == slot.group);
        let mut new = old;
        new.sort_by_key(order);
        for (at, slot) in mine.iter().zip(new) {
            edit.expected[*at] = slot;
        }
        return vec![HookChange::MoveTo(to as u32 + 1)];
    }
    let list = if dialect == "qoder" { grouped } else { mine };
    let to = rng.less_than(list.len());
    let moved = edit.expected.remove(index);
    edit.expected.insert(list[to], moved);
    vec![HookChange::MoveTo(to as u32 + 1)]
}

fn rename(dialect: &str, index: usize, number: usize, edit: &mut RandomEdit) -> Option<Vec<HookChange>> {
    let name = format!("renamed-{number}");
    edit.what = EditAction::Rename;
    edit.field = Some("name".into());
    let slot = &mut edit.expected[index];
    match dialect {
        "picoclaw" => slot.name.clone_from(&name),
        "skill" => set_path(&mut slot.value, "name", Some(json!(name)))?,
        "agent-hooks" => {
            set_path(&mut slot.value, "name", Some(json!(name)))?;
            let parent = slot.file.rsplitn(3, '/').nth(2)?;
            slot.file = format!("{parent}/{name}/HOOK.md");
        }
        _ => return None,
    }
    Some(vec![HookChange::Set {
        field: "name".into(),
        value: FieldValue::Value(json!(name)),
    }])
}

/// Moves or copies the hook to another file.
fn move_to_file(rng: &mut TestRng, dialect: &str, index: usize, edit: &mut RandomEdit) -> Option<Vec<HookChange>> {
    let slot = edit.expected[index].clone();
    let copy = rng.one_in(3);
    edit.what = if copy {
        EditAction::CopyToFile
    } else {
        EditAction::MoveToFile
    };
    let mut changes = Vec::new();
    let file = if dialect == "skill" {
        let skill = *rng.pick(&["reader", "审查", "writer", "new"]);
        changes.push(HookChange::Set {
            field: "skill".into(),
            value: FieldValue::Value(json!(skill)),
        });
        format!("project/skills/{skill}/hooks/hooks.json")
    } else {
        let layers: &[TargetLayer] = match dialect {
            "qoder" => &[TargetLayer::User, TargetLayer::Project, TargetLayer::Local],
            _ => &[TargetLayer::User, TargetLayer::Project],
        };
        let layer = *rng.pick(layers);
        changes.push(HookChange::ToLayer(layer));
        layer_file(dialect, layer, &slot)
    };
    if file == slot.file {
        return None;
    }
    if copy {
        changes.push(HookChange::Duplicate);
    } else {
        edit.expected.remove(index);
    }
    edit.expected.push(HookSpan {
        file,
        group: usize::MAX,
        ..slot
    });
    Some(changes)
}
