//! Changing `hooks.yaml` (`CONTRACTS.md` §2.7).

use std::path::PathBuf;

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, HookChange, Layer, Message, SourceTree, TargetLayer, args,
};
use serde_json::{Map, Value};

use crate::edited::{self, Copy, Draft, GONE, Ledger, Row, Spot, Wanted};
use crate::relay;
use crate::splice::{self, Bound, Format, Op, Path, Step, key};

hookwright_model::messages! {
    /// j-cli has no switch.
    NO_SWITCH = "edit_no_switch" { "j-cli has no switch in its file: every hook that stands there runs", "j-cli 的文件中没有开关：写在里面的 hook 都会运行" } hint { "`hookwright mute {hook}` leaves it out of Hookwright's engine", "`hookwright mute {hook}` 可让 Hookwright 的引擎跳过它" };
}

/// Fields that hold a text (`jcli.md` §2).
const TEXTS: [&str; 8] = [
    "type",
    "command",
    "prompt",
    "model",
    "on_error",
    "filter.tool_name",
    "filter.tool_matcher",
    "filter.model_prefix",
];

const SHELVES: [TargetLayer; 2] = [TargetLayer::User, TargetLayer::Project];

/// What is to be written.
///
/// # Errors
/// Why it cannot be done.
pub(super) fn edit(desk: &EditContext<'_>, intention: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor {
        desk,
        draft: Draft::default(),
        ledger: Ledger::of(desk, ':'),
    };
    match intention {
        EditRequest::Add {
            event,
            shelf,
            definition,
        } => editor.add(event, *shelf, definition),
        EditRequest::Change { hook, changes } => editor.change(hook, changes),
        EditRequest::Remove { hook } => editor.remove(hook),
    }
}

struct Editor<'d> {
    desk: &'d EditContext<'d>,
    draft: Draft,
    ledger: Ledger,
}

/// A hook's place in its file.
struct Here<'d> {
    tree: &'d SourceTree,
    list: Path,
    spot: Spot,
    event: String,
}

impl Here<'_> {
    fn at(&self) -> Path {
        [self.list.clone(), vec![Step::Item(self.spot.index)]].concat()
    }

    fn path(&self) -> PathBuf {
        self.tree.root.path.clone()
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layer = match shelf {
            TargetLayer::User => Layer::User,
            TargetLayer::Project => Layer::Project,
            TargetLayer::Local | TargetLayer::Skill => return Err(edited::no_shelf("jcli", shelf, &SHELVES)),
        };
        let tree = self.desk.trees.iter().find(|tree| tree.root.layer == layer);
        tree.ok_or_else(|| edited::no_shelf("jcli", shelf, &SHELVES))
    }

    fn find(&self, id: &str) -> Result<Here<'d>, Message> {
        let gone = || GONE.render(args! { "hook" => id });
        let hook = self.desk.target.ok_or_else(gone)?;
        let path = &hook.source.path;
        let tree = self
            .desk
            .trees
            .iter()
            .find(|tree| tree.root.path == *path)
            .ok_or_else(gone)?;
        let spot = Spot::of(hook, ':').ok_or_else(gone)?;
        let name = spot
            .list
            .1
            .trim_end_matches(':')
            .splitn(3, ':')
            .nth(2)
            .unwrap_or_default();
        // A key's second list is `name.2` in ids.
        let is_key = self.key_stands(tree, name);
        let (name, nth) = match name.rsplit_once('.') {
            Some((first, nth)) if !is_key => (first, nth.parse::<usize>().map_err(|_| gone())?.saturating_sub(1)),
            Some(_) | None => (name, 0),
        };
        Ok(Here {
            tree,
            list: vec![Step::Key(name.to_owned(), nth)],
            spot: spot.clone(),
            event: hook.event.clone(),
        })
    }

    fn key_stands(&self, tree: &SourceTree, name: &str) -> bool {
        let text = tree
            .files
            .get(&tree.root.path)
            .and_then(|file| file.text.as_deref().ok());
        let value = text.and_then(|text| splice::value(Format::Yaml, text).ok());
        value.is_some_and(|value| value.get(name).is_some())
    }

    /// The end of an event's list.
    fn end_of(&self, tree: &'d SourceTree, event: &str) -> Here<'d> {
        let list = (
            tree.root.path.clone(),
            format!("jcli:{}:{event}:", tree.root.layer.as_str()),
        );
        let index = self.ledger.count(&list);
        Here {
            tree,
            list: vec![key(event)],
            spot: Spot { list, index },
            event: event.to_owned(),
        }
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let here = self.end_of(self.tree(shelf)?, event);
        let row = Row {
            old: None,
            event: event.to_owned(),
            definition: Value::Object(definition.clone()),
        };
        self.put(&here, row, None)?;
        Ok(self.plan(Some(&here), here.path()))
    }

    fn put(&mut self, here: &Here<'_>, row: Row, cut: Option<splice::Cut>) -> Result<(), Message> {
        let op = Op::Insert {
            at: here.at(),
            content: edited::content(row.definition.clone(), cut),
        };
        self.draft.splice(here.tree, Format::Yaml, op)?;
        self.ledger.put(&here.spot, row);
        Ok(())
    }

    fn remove(mut self, hook: &str) -> Result<EditPlan, Message> {
        let here = self.find(hook)?;
        self.draft.remove(here.tree, &here.path(), Format::Yaml, here.at())?;
        self.ledger.take(&here.spot);
        self.draft.restore(self.desk.former);
        Ok(self.plan(None, here.path()))
    }

    fn change(mut self, hook: &str, changes: &[HookChange]) -> Result<EditPlan, Message> {
        let wanted = Wanted::of(changes);
        if wanted.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => hook }));
        }
        let here = self.find(hook)?;
        let mut here = self.placed(here, &wanted)?;
        for (field, given) in &wanted.fields {
            match given {
                Some(given) => self.set(&here, field, given)?,
                None => {
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
        let copy = wanted.copy == Copy::Copied;
        let shelf = wanted.shelf;
        let tree = shelf.map_or(Ok(here.tree), |shelf| self.tree(shelf))?;
        let elsewhere = tree.root.path != here.tree.root.path;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let there = if elsewhere {
            self.end_of(tree, &here.event)
        } else {
            Here {
                tree,
                list: here.list.clone(),
                spot: Spot {
                    list: here.spot.list.clone(),
                    index: here.spot.index + 1,
                },
                event: here.event.clone(),
            }
        };
        let row = self.ledger.row(&here.spot).cloned();
        let mut row = row.ok_or_else(|| GONE.render(args! { "hook" => here.spot.key().1 }))?;
        let bound = if elsewhere { Bound::OtherText } else { Bound::SameText };
        let text = self.draft.text(here.tree, &here.path())?.clone();
        let written = self.written(&text, &here)?;
        let cut = splice::cut(Format::Yaml, &text, &here.at(), bound);
        if copy {
            row.old = None;
        }
        let op = Op::Insert {
            at: there.at(),
            content: edited::content(written, cut),
        };
        // What is new is written before what is gone.
        self.draft.splice(there.tree, Format::Yaml, op)?;
        self.ledger.put(&there.spot, row);
        if !copy {
            self.draft.remove(here.tree, &here.path(), Format::Yaml, here.at())?;
            self.ledger.take(&here.spot);
        }
        Ok(there)
    }

    /// The definition as it stands in the file: of a wrapped command the whole.
    fn written(&self, text: &str, here: &Here<'_>) -> Result<Value, Message> {
        let whole = splice::value(Format::Yaml, text)?;
        Ok(splice::find(&whole, &here.at()).cloned().unwrap_or(Value::Null))
    }

    fn set(&mut self, here: &Here<'_>, field: &str, given: &FieldValue) -> Result<(), Message> {
        let value = edited::value_of(field, given, &TEXTS)?;
        let steps = edited::steps(field)?;
        let at = [here.at(), steps.clone()].concat();
        let text = self.draft.text(here.tree, &here.path())?.clone();
        let before = self.written(&text, here)?;
        let wrapped = match (before.get("command"), &value) {
            (Some(Value::String(command)), Value::String(inner)) if field == "command" => {
                relay::rewrap("jcli", command, inner)
            }
            (Some(_) | None, _) => None,
        };
        let Some(whole) = wrapped else {
            return self.field(here, field, Op::Set { at, value });
        };
        // In the file the relay stays around the command; the hook is the command inside.
        let op = Op::Set {
            at,
            value: Value::String(whole),
        };
        self.draft.splice(here.tree, Format::Yaml, op)?;
        if let Some(row) = self.ledger.row(&here.spot) {
            splice::meant(&mut row.definition, &Op::Set { at: steps, value });
        }
        Ok(())
    }

    /// Does a change of a field in the text and in the list of hooks.
    fn field(&mut self, here: &Here<'_>, field: &str, op: Op) -> Result<(), Message> {
        let Some(row) = self.ledger.row(&here.spot) else {
            return Err(GONE.render(args! { "hook" => here.spot.key().1 }));
        };
        if !edited::field(&mut row.definition, field, &op)? {
            return Ok(());
        }
        self.draft.splice(here.tree, Format::Yaml, op)
    }

    fn shift(&mut self, here: &mut Here<'_>, place: u32) -> Result<(), Message> {
        let to = edited::index_of(place, self.ledger.count(&here.spot.list))?;
        let op = Op::Move {
            list: here.list.clone(),
            from: here.spot.index,
            to,
        };
        self.draft.splice(here.tree, Format::Yaml, op)?;
        if let Some(row) = self.ledger.take(&here.spot) {
            here.spot.index = to;
            self.ledger.put(&here.spot, row);
        }
        Ok(())
    }

    fn plan(self, here: Option<&Here<'_>>, path: PathBuf) -> EditPlan {
        let mut plan = EditPlan {
            files: self.draft.files(),
            hook: here.map(|here| here.spot.key()),
            path,
            ..EditPlan::default()
        };
        self.ledger.finish(&mut plan);
        plan
    }
}
