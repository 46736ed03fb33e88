//! Changing settings files (`CONTRACTS.md` §2.7): entries, and the groups that hold them.

mod place;

use std::cmp::Ordering;
use std::path::PathBuf;

use hookwright_model::{EditContext, EditPlan, EditRequest, FieldValue, Layer, Message, SourceTree, TargetLayer, args};
use serde_json::{Map, Value, json};

use self::place::{Group, Here, not_python, shared, takes_everything};
use super::settings::part;
use crate::edited::{self, Copy, Draft, GONE, Ledger, Row, Wanted};
use crate::relay;
use crate::splice::{self, Bound, Cut, Format, Op, Path, Step, key};

hookwright_model::messages! {
    /// Qoder has no switch.
    NO_SWITCH = "edit_no_switch" / "qoder" { "Qoder has no switch for a hook in its settings", "Qoder 的设置中没有单个 hook 的开关" } hint { "`hookwright mute {hook}` leaves it out of Hookwright's engine", "`hookwright mute {hook}` 可让 Hookwright 的引擎跳过它" };
    /// A hook that is Python.
    MODULE = "edit_module" { "{hook} is written in Python, at {path}:{line}", "{hook} 由 Python 编写，位于 {path}:{line}" } hint { "open the file there and change the code", "请打开该文件直接修改代码" };
}

/// Fields that hold a text (`qoder.md` §2).
const TEXTS: [&str; 9] = [
    "type",
    "command",
    "name",
    "shell",
    "matcher",
    "statusMessage",
    "description",
    "id",
    "env.*",
];

const SHELVES: [TargetLayer; 3] = [TargetLayer::User, TargetLayer::Project, TargetLayer::Local];

/// What is to be written.
///
/// # Errors
/// Why it cannot be done.
pub(super) fn edit(desk: &EditContext<'_>, intention: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor {
        desk,
        draft: Draft::default(),
        ledger: Ledger::of(desk, '.'),
    };
    match intention {
        EditRequest::Add {
            event,
            shelf,
            definition,
        } => editor.add(event, *shelf, definition),
        EditRequest::Change { hook, changes } => editor.change(hook, &Wanted::of(changes)),
        EditRequest::Remove { hook } => editor.remove(hook),
    }
}

/// A matcher may be null, which is everything (`qoder.md` §2).
fn matcher_of(given: &FieldValue) -> Result<Value, Message> {
    match given {
        FieldValue::Written {
            text,
            read: Some(Value::Null),
        } if !text.trim().is_empty() => Ok(Value::Null),
        FieldValue::Written { .. } | FieldValue::Value(_) => edited::value_of("matcher", given, &TEXTS),
    }
}

struct Editor<'d> {
    desk: &'d EditContext<'d>,
    draft: Draft,
    ledger: Ledger,
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let (layer, local) = match shelf {
            TargetLayer::User => (Layer::User, "settings"),
            TargetLayer::Project => (Layer::Project, "settings"),
            TargetLayer::Local => (Layer::Project, "local"),
            TargetLayer::Skill => return Err(edited::no_shelf("qoder", shelf, &SHELVES)),
        };
        let fits = |tree: &&SourceTree| {
            tree.root.layer == layer
                && tree.root.path.extension().is_some_and(|end| end == "json")
                && part(&tree.root.path) == local
        };
        let tree = self.desk.trees.iter().find(fits);
        tree.ok_or_else(|| edited::no_shelf("qoder", shelf, &SHELVES))
    }

    fn find(&self, id: &str) -> Result<Here<'d>, Message> {
        let gone = || GONE.render(args! { "hook" => id });
        let hook = self.desk.target.ok_or_else(gone)?;
        not_python(hook, id)?;
        let mut trees = self.desk.trees.iter();
        let tree = trees.find(|tree| tree.root.path == hook.source.path).ok_or_else(gone)?;
        Here::of(tree, hook).ok_or_else(gone)
    }

    /// The value at a path of a file, as it is by now.
    fn value(&mut self, tree: &SourceTree, path: &[Step]) -> Result<Value, Message> {
        let text = self.draft.text(tree, &tree.root.path)?.clone();
        let whole = splice::value(Format::Json, &text)?;
        Ok(splice::find(&whole, path).cloned().unwrap_or(Value::Null))
    }

    fn groups(&mut self, tree: &SourceTree, event_at: &Path) -> Result<Vec<Value>, Message> {
        Ok(match self.value(tree, event_at)? {
            Value::Array(groups) => groups,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => Vec::new(),
        })
    }

    /// The place of a new group behind all that an event has in a file.
    fn behind(&mut self, tree: &'d SourceTree, event: &str) -> Result<Here<'d>, Message> {
        let event_at = vec![key("hooks"), key(event)];
        let layer = tree.root.layer.as_str();
        Ok(Here {
            tree,
            group: self.groups(tree, &event_at)?.len(),
            event_at,
            event: event.to_owned(),
            prefix: format!("qoder:{layer}:{event}:{}.", part(&tree.root.path)),
            index: 0,
        })
    }

    /// A place behind everything an event has in a file: in its last group when that takes everything, else in a new one.
    fn end_of(
        &mut self,
        tree: &'d SourceTree,
        event: &str,
        shared: &Map<String, Value>,
    ) -> Result<(Here<'d>, Group), Message> {
        let mut here = self.behind(tree, event)?;
        let groups = self.groups(tree, &here.event_at.clone())?;
        let last = groups.len().checked_sub(1);
        if let Some((last, group)) = last.and_then(|last| Some((last, groups.get(last)?)))
            && shared.is_empty()
            && takes_everything(group)
        {
            here.group = last;
            here.index = self.ledger.count(&here.list(last));
            return Ok((here, Group::Known));
        }
        Ok((here, Group::New))
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let mut entry = definition.clone();
        let mut shared = Map::new();
        if let Some(matcher) = entry.shift_remove("matcher") {
            shared.insert("matcher".to_owned(), matcher);
        }
        let tree = self.tree(shelf)?;
        let (here, group) = self.end_of(tree, event, &shared)?;
        let row = Row {
            old: None,
            event: event.to_owned(),
            definition: Value::Object(entry.clone()),
        };
        self.put(&here, group, shared, row, Value::Object(entry), None)?;
        Ok(self.plan(Some(&here), here.path()))
    }

    /// Puts an entry into a group that is there, or into a new one with these other fields.
    fn put(
        &mut self,
        here: &Here<'_>,
        group: Group,
        mut shared: Map<String, Value>,
        row: Row,
        written: Value,
        cut: Option<Cut>,
    ) -> Result<(), Message> {
        match group {
            Group::Known => {
                let content = edited::content(written, cut);
                let op = Op::Insert { at: here.at(), content };
                self.draft.splice(here.tree, Format::Json, op)?;
            }
            Group::New => {
                let inside = if cut.is_some() { json!([]) } else { json!([written]) };
                shared.insert("hooks".to_owned(), inside);
                let content = edited::content(Value::Object(shared), None);
                let op = Op::Insert {
                    at: here.group_at(),
                    content,
                };
                self.draft.splice(here.tree, Format::Json, op)?;
                if cut.is_some() {
                    let op = Op::Insert {
                        at: here.at(),
                        content: edited::content(written, cut),
                    };
                    self.draft.splice(here.tree, Format::Json, op)?;
                }
                let new = here.group;
                let behind = |group: usize| Some(group + usize::from(group >= new));
                self.ledger.renumber(&here.path(), &here.prefix, behind);
            }
        }
        self.ledger.put(&here.spot(), row);
        Ok(())
    }

    fn remove(mut self, id: &str) -> Result<EditPlan, Message> {
        let here = self.find(id)?;
        self.take_out(&here)?;
        self.draft.restore(self.desk.former);
        Ok(self.plan(None, here.path()))
    }

    /// Takes an entry out; with the last one its group goes.
    fn take_out(&mut self, here: &Here<'_>) -> Result<(), Message> {
        let alone = self.entries(here)? == 1;
        let at = if alone { here.group_at() } else { here.at() };
        self.draft.remove(here.tree, &here.path(), Format::Json, at)?;
        self.ledger.take(&here.spot());
        if alone {
            let gone = here.group;
            self.ledger
                .renumber(&here.path(), &here.prefix, |group| match group.cmp(&gone) {
                    Ordering::Less => Some(group),
                    Ordering::Equal => None,
                    Ordering::Greater => Some(group - 1),
                });
        }
        Ok(())
    }

    fn entries(&mut self, here: &Here<'_>) -> Result<usize, Message> {
        Ok(self
            .value(here.tree, &here.entries_at())?
            .as_array()
            .map_or(0, Vec::len))
    }

    fn change(mut self, id: &str, wanted: &Wanted<'_>) -> Result<EditPlan, Message> {
        let here = self.find(id)?;
        if wanted.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => id }));
        }
        let mut here = self.placed(here, wanted)?;
        for (field, given) in &wanted.fields {
            match (*field, given) {
                ("matcher", given) => {
                    let value = given.map(matcher_of).transpose()?;
                    here = self.matcher(here, value)?;
                }
                (field, Some(given)) => self.set(&here, field, given)?,
                (field, None) => {
                    let at = [here.at(), edited::steps(field)?].concat();
                    self.field(&here, field, Op::Unset { at })?;
                }
            }
        }
        if let Some(place) = wanted.place {
            self.shift(&mut here, place)?;
        }
        Ok(self.plan(Some(&here), here.path()))
    }

    fn placed(&mut self, here: Here<'d>, wanted: &Wanted<'_>) -> Result<Here<'d>, Message> {
        let tree = wanted.shelf.map_or(Ok(here.tree), |shelf| self.tree(shelf))?;
        let copy = wanted.copy == Copy::Copied;
        let elsewhere = tree.root.path != here.tree.root.path;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let row = self.ledger.row(&here.spot()).cloned();
        let mut row = row.ok_or_else(|| GONE.render(args! { "hook" => here.spot().key().1 }))?;
        if copy {
            row.old = None;
        }
        let text = self.draft.text(here.tree, &here.path())?.clone();
        let cut = splice::cut(Format::Json, &text, &here.at(), Bound::OtherText);
        let written = self.value(here.tree, &here.at())?;
        if !elsewhere {
            let there = Here {
                index: here.index + 1,
                ..here
            };
            self.put(&there, Group::Known, Map::new(), row, written, cut)?;
            return Ok(there);
        }
        // The group's other fields mean something for its entries: they come along, and alone in its group it brings all
        // that is written there, comments too.
        let whole = self.value(here.tree, &here.group_at())?;
        let there = if self.entries(&here)? == 1 {
            let there = self.behind(tree, &here.event)?;
            let cut = splice::cut(Format::Json, &text, &here.group_at(), Bound::OtherText);
            let op = Op::Insert {
                at: there.group_at(),
                content: edited::content(whole, cut),
            };
            self.draft.splice(there.tree, Format::Json, op)?;
            self.ledger.put(&there.spot(), row);
            there
        } else {
            let fields = shared(whole);
            let (there, group) = self.end_of(tree, &here.event, &fields)?;
            self.put(&there, group, fields, row, written, cut)?;
            there
        };
        if !copy {
            self.take_out(&here)?;
        }
        Ok(there)
    }

    fn set(&mut self, here: &Here<'_>, field: &str, given: &FieldValue) -> Result<(), Message> {
        let value = edited::value_of(field, given, &TEXTS)?;
        let steps = edited::steps(field)?;
        let at = [here.at(), steps.clone()].concat();
        let before = self.value(here.tree, &at)?;
        let wrapped = match (&before, &value) {
            (Value::String(command), Value::String(inner)) if field == "command" => {
                relay::rewrap("qoder", command, inner)
            }
            (_, _) => None,
        };
        let Some(whole) = wrapped else {
            return self.field(here, field, Op::Set { at, value });
        };
        let op = Op::Set {
            at,
            value: Value::String(whole),
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        if let Some(row) = self.ledger.row(&here.spot()) {
            splice::meant(&mut row.definition, &Op::Set { at: steps, value });
        }
        Ok(())
    }

    /// Does a change of a field in the text and in the list of hooks.
    fn field(&mut self, here: &Here<'_>, field: &str, op: Op) -> Result<(), Message> {
        let spot = here.spot();
        let Some(row) = self.ledger.row(&spot) else {
            return Err(GONE.render(args! { "hook" => spot.key().1 }));
        };
        if edited::field(&mut row.definition, field, &op)? {
            self.draft.splice(here.tree, Format::Json, op)?;
        }
        Ok(())
    }

    /// A matcher is its group's. A hook that shares its group gets one of its own, right behind.
    fn matcher(&mut self, here: Here<'d>, value: Option<Value>) -> Result<Here<'d>, Message> {
        let at = [here.group_at(), vec![key("matcher")]].concat();
        let before = self.value(here.tree, &here.group_at())?;
        if before.get("matcher") == value.as_ref() {
            return Ok(here);
        }
        if self.entries(&here)? == 1 {
            let op = match value {
                Some(value) => Op::Set { at, value },
                None => Op::Unset { at },
            };
            self.draft.splice(here.tree, Format::Json, op)?;
            return Ok(here);
        }
        let row = self.ledger.row(&here.spot()).cloned();
        let row = row.ok_or_else(|| GONE.render(args! { "hook" => here.spot().key().1 }))?;
        let text = self.draft.text(here.tree, &here.path())?.clone();
        let cut = splice::cut(Format::Json, &text, &here.at(), Bound::SameText);
        let written = self.value(here.tree, &here.at())?;
        let mut fields = shared(before);
        match value {
            Some(value) => fields.insert("matcher".to_owned(), value),
            None => fields.shift_remove("matcher"),
        };
        let there = Here {
            group: here.group + 1,
            index: 0,
            ..here.clone()
        };
        self.put(&there, Group::New, fields, row, written, cut)?;
        self.take_out(&here)?;
        Ok(there)
    }

    /// In a group of several its list is the group's; alone in its group it moves with it, in the event's list.
    fn shift(&mut self, here: &mut Here<'_>, place: u32) -> Result<(), Message> {
        let entries = self.entries(here)?;
        if entries > 1 {
            let to = edited::index_of(place, entries)?;
            let op = Op::Move {
                list: here.entries_at(),
                from: here.index,
                to,
            };
            self.draft.splice(here.tree, Format::Json, op)?;
            if let Some(row) = self.ledger.take(&here.spot()) {
                here.index = to;
                self.ledger.put(&here.spot(), row);
            }
            return Ok(());
        }
        let groups = self.groups(here.tree, &here.event_at.clone())?.len();
        let to = edited::index_of(place, groups)?;
        let op = Op::Move {
            list: here.event_at.clone(),
            from: here.group,
            to,
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        let from = here.group;
        self.ledger.renumber(&here.path(), &here.prefix, |group| {
            Some(match group {
                _ if group == from => to,
                _ if from < group && group <= to => group - 1,
                _ if to <= group && group < from => group + 1,
                _ => group,
            })
        });
        here.group = to;
        Ok(())
    }

    fn plan(self, here: Option<&Here<'_>>, path: PathBuf) -> EditPlan {
        let mut plan = EditPlan {
            files: self.draft.files(),
            hook: here.map(|here| here.spot().key()),
            path,
            ..EditPlan::default()
        };
        self.ledger.finish(&mut plan);
        plan
    }
}
