//! Changing `config.json` (`CONTRACTS.md` §2.7): entries of `hooks.processes`, known by their names.

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, Handler, HookKey, Layer, Message, SourceTree, TargetLayer, args,
};
use serde_json::{Map, Value, json};

use super::entry::{EVERY_KIND, POINTS};
use super::events::CARD;
use crate::edited::{
    self, Copy, Draft, GONE, NAME_TAKEN, NO_NAME, NamedRow, Names, ORDERED, OTHER_EVENT, Switch, Wanted,
};
use crate::splice::{self, Bound, Cut, Format, Op, Path, Step, key};

hookwright_model::messages! {
    /// A hook that is compiled into the agent.
    BUILTIN = "edit_builtin" { "{hook} is compiled into the agent; its file only sets it up", "{hook} 编译在 agent 内部；文件中只是它的设置" } hint { "edit `hooks.builtins` in {path} by hand", "请手工编辑 {path} 中的 `hooks.builtins`" };
}

/// Fields that hold a text (`picoclaw.md` §2).
const TEXTS: [&str; 4] = ["name", "transport", "dir", "env.*"];

const SHELVES: [TargetLayer; 2] = [TargetLayer::User, TargetLayer::Project];

/// What is to be written.
///
/// # Errors
/// Why it cannot be done.
pub(super) fn edit(desk: &EditContext<'_>, intention: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor {
        desk,
        draft: Draft::default(),
        names: Names::of(desk, |hook| hook.source.path.clone()),
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

/// What an entry is for, where that is known and the event is none of it; one point of a pair brings the other. What it
/// says in a way that cannot be read is told as an error of its own. Returns the field that says it, with its words.
fn serves_others(entry: &Map<String, Value>, event: &str) -> Option<(&'static str, String)> {
    let words = |field: &str| match entry.get(field) {
        None => Some(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(Value::as_str).collect::<Option<Vec<&str>>>(),
        Some(_) => None,
    };
    let (points, kinds) = (words("intercept")?, words("observe")?);
    let (at_points, at_kinds) = (("intercept", &points), ("observe", &kinds));
    let pair = |point: &str| match point {
        "before_llm" | "after_llm" => "llm",
        "before_tool" | "after_tool" => "tool",
        _ => "",
    };
    let point = |word: &&str| *word == event || !pair(word).is_empty() && pair(word) == pair(event);
    let kind = |word: &&str| *word == event || EVERY_KIND.contains(word);
    let (served, sides) = if POINTS.contains(&event) {
        (points.iter().any(point), [at_points, at_kinds])
    } else {
        (kinds.iter().any(kind), [at_kinds, at_points])
    };
    // Rather the field that such an event would stand in.
    let (field, found) = sides.into_iter().find(|(_, words)| !words.is_empty())?;
    (!served).then(|| (field, found.join(", ")))
}

struct Editor<'d> {
    desk: &'d EditContext<'d>,
    draft: Draft,
    names: Names,
}

/// An entry's place.
#[derive(Clone)]
struct Here<'d> {
    tree: &'d SourceTree,
    name: String,
    /// Which of several entries of this name, from 0.
    nth: usize,
}

impl Here<'_> {
    fn at(&self) -> Path {
        vec![key("hooks"), key("processes"), Step::Key(self.name.clone(), self.nth)]
    }

    fn key(&self) -> HookKey {
        let root = &self.tree.root;
        let mut id = format!("{}:{}:{}", CARD.id, root.layer.as_str(), self.name);
        if self.nth > 0 {
            id += &format!(".{}", self.nth + 1);
        }
        (root.path.clone(), id)
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layer = match shelf {
            TargetLayer::User => Layer::User,
            TargetLayer::Project => Layer::Project,
            TargetLayer::Local | TargetLayer::Skill => return Err(edited::no_shelf(CARD.id, shelf, &SHELVES)),
        };
        let tree = self.desk.trees.iter().find(|tree| tree.root.layer == layer);
        tree.ok_or_else(|| edited::no_shelf(CARD.id, shelf, &SHELVES))
    }

    fn find(&self, id: &str) -> Result<Here<'d>, Message> {
        let gone = || GONE.render(args! { "hook" => id });
        let hook = self.desk.target.ok_or_else(gone)?;
        let path = &hook.source.path;
        if hook.handler == Handler::Builtin {
            return Err(BUILTIN.render(args! { "hook" => id, "path" => path.display().to_string() }));
        }
        let tree = self
            .desk
            .trees
            .iter()
            .find(|tree| tree.root.path == *path)
            .ok_or_else(gone)?;
        let name = hook.label.clone();
        let own = hook.id.splitn(3, ':').nth(2).unwrap_or_default();
        let nth = own.strip_prefix(&name).and_then(|rest| rest.strip_prefix('.'));
        let nth = nth
            .and_then(|nth| nth.parse::<usize>().ok())
            .map_or(0, |nth| nth.saturating_sub(1));
        Ok(Here { tree, name, nth })
    }

    /// The place of a new entry.
    fn vacant(&self, tree: &'d SourceTree, name: &str) -> Result<Here<'d>, Message> {
        let here = Here {
            tree,
            name: name.to_owned(),
            nth: 0,
        };
        if self.names.has(&here.key()) {
            let shown = tree.root.path.display().to_string();
            return Err(NAME_TAKEN.render(args! { "name" => name, "path" => shown }));
        }
        Ok(here)
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let mut entry = definition.clone();
        let name = match entry.shift_remove("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name,
            Some(_) | None => return Err(NO_NAME.render(args! { "dialect" => CARD.id })),
        };
        if let Some((field, found)) = serves_others(&entry, event) {
            return Err(OTHER_EVENT.render(args! { "field" => field, "found" => found, "event" => event }));
        }
        // What it is for is what it was asked for.
        if !entry.contains_key("intercept") && !entry.contains_key("observe") {
            let field = if POINTS.contains(&event) {
                "intercept"
            } else {
                "observe"
            };
            entry.insert(field.to_owned(), json!([event]));
        }
        let here = self.vacant(self.tree(shelf)?, &name)?;
        let row = NamedRow {
            old: None,
            definition: Value::Object(entry),
        };
        self.put(&here, row, None)?;
        Ok(self.plan(Some(&here), &here))
    }

    fn put(&mut self, here: &Here<'_>, row: NamedRow, cut: Option<Cut>) -> Result<(), Message> {
        let op = Op::Insert {
            at: here.at(),
            content: edited::content(row.definition.clone(), cut),
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        self.names.put(here.key(), &here.tree.root.path, row);
        Ok(())
    }

    fn remove(mut self, id: &str) -> Result<EditPlan, Message> {
        let here = self.find(id)?;
        self.draft
            .remove(here.tree, &here.tree.root.path, Format::Json, here.at())?;
        self.names.take(&here.key());
        self.draft.restore(self.desk.former);
        Ok(self.plan(None, &here))
    }

    fn change(mut self, id: &str, wanted: &Wanted<'_>) -> Result<EditPlan, Message> {
        if wanted.place.is_some() {
            return Err(ORDERED.render(args! { "dialect" => "PicoClaw", "field" => "priority" }));
        }
        let here = self.find(id)?;
        let mut here = self.placed(here, wanted)?;
        for (field, given) in &wanted.fields {
            match (*field, given) {
                ("name", Some(given)) => here = self.rename(here, given)?,
                (field, Some(given)) => {
                    let value = edited::value_of(field, given, &TEXTS)?;
                    let at = [here.at(), edited::steps(field)?].concat();
                    self.field(&here, field, Op::Set { at, value })?;
                }
                (field, None) => {
                    let at = [here.at(), edited::steps(field)?].concat();
                    self.field(&here, field, Op::Unset { at })?;
                }
            }
        }
        if let Some(switch) = wanted.switch {
            let at = [here.at(), vec![key("enabled")]].concat();
            let value = Value::Bool(switch == Switch::On);
            self.field(&here, "enabled", Op::Set { at, value })?;
        }
        Ok(self.plan(Some(&here), &here))
    }

    fn placed(&mut self, here: Here<'d>, wanted: &Wanted<'_>) -> Result<Here<'d>, Message> {
        let tree = wanted.shelf.map_or(Ok(here.tree), |shelf| self.tree(shelf))?;
        let copy = wanted.copy == Copy::Copied;
        let elsewhere = tree.root.path != here.tree.root.path;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let row = self.names.row(&here.key()).cloned();
        let mut row = row.ok_or_else(|| GONE.render(args! { "hook" => here.key().1 }))?;
        if copy {
            row.old = None;
        }
        let there = if elsewhere {
            self.vacant(tree, &here.name)?
        } else {
            let taken = |name: &str| self.vacant(tree, name).is_err();
            self.vacant(tree, &edited::spare(&here.name, taken))?
        };
        let text = self.draft.text(here.tree, &here.tree.root.path)?.clone();
        let cut = splice::cut(Format::Json, &text, &here.at(), Bound::OtherText);
        self.put(&there, row, cut.map(|cut| cut.under(&there.name)))?;
        if !copy {
            self.draft
                .remove(here.tree, &here.tree.root.path, Format::Json, here.at())?;
            self.names.take(&here.key());
        }
        Ok(there)
    }

    fn rename(&mut self, here: Here<'d>, given: &FieldValue) -> Result<Here<'d>, Message> {
        let value = edited::value_of("name", given, &TEXTS)?;
        let name = value.as_str().filter(|name| !name.trim().is_empty());
        let name = name
            .ok_or_else(|| NO_NAME.render(args! { "dialect" => CARD.id }))?
            .to_owned();
        if name == here.name {
            return Ok(here);
        }
        let there = self.vacant(here.tree, &name)?;
        let op = Op::Rename {
            at: here.at(),
            to: name,
        };
        self.draft.splice(here.tree, Format::Json, op)?;
        if let Some(row) = self.names.take(&here.key()) {
            self.names.put(there.key(), &here.tree.root.path, row);
        }
        Ok(there)
    }

    fn field(&mut self, here: &Here<'_>, field: &str, op: Op) -> Result<(), Message> {
        let Some(row) = self.names.row(&here.key()) else {
            return Err(GONE.render(args! { "hook" => here.key().1 }));
        };
        if edited::field(&mut row.definition, field, &op)? {
            self.draft.splice(here.tree, Format::Json, op)?;
        }
        Ok(())
    }

    fn plan(self, here: Option<&Here<'_>>, at: &Here<'_>) -> EditPlan {
        let changed = self.draft.changed();
        let mut plan = EditPlan {
            files: self.draft.files(),
            hook: here.map(Here::key),
            path: at.tree.root.path.clone(),
            ..EditPlan::default()
        };
        self.names.finish(&mut plan, &changed);
        plan
    }
}
