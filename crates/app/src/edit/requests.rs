//! The edit commands of the window, with values instead of command line text, and the parsers for such text.

use std::path::Path;

use hookwright_model::{EditRequest, FieldValue, HookChange, TargetLayer, args};

use super::{BAD_DEFINITION, BAD_SET, EditRefusal, IS_ANOTHER_HOOK, NOTHING_ASKED, UNKNOWN_LAYER, WriteMode};
use crate::App;
use crate::dto::{AddHookRequest, EditDoc, EditHookRequest, EditStep, RemoveHookRequest};
use crate::fault::Fault;

impl App {
    /// The command `edit.add`: adds a hook.
    ///
    /// # Errors
    /// The reason why the edit is refused. No file was changed then.
    pub async fn edit_add(&self, request: AddHookRequest) -> Result<EditDoc, Fault> {
        let intention = EditRequest::Add {
            event: request.event,
            layer: target_layer(&request.layer)?,
            definition: request.definition,
        };
        let writing = write_mode(request.dry_run);
        let done = self.edit(Path::new(&request.project), Some(&request.dialect), &intention, writing);
        to_answer(done, writing)
    }

    /// The command `edit.change`: changes, moves or duplicates a hook.
    ///
    /// # Errors
    /// The reason why the edit is refused. No file was changed then.
    pub async fn edit_change(&self, request: EditHookRequest) -> Result<EditDoc, Fault> {
        let changes = request
            .steps
            .into_iter()
            .map(parse_change)
            .collect::<Result<Vec<_>, _>>()?;
        let intention = change_request(request.hook, changes)?;
        let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
        self.check_same_hook(project, &intention, request.version.as_deref())?;
        to_answer(self.edit(project, None, &intention, writing), writing)
    }

    /// The command `edit.remove`: removes a hook.
    ///
    /// # Errors
    /// The reason why the edit is refused. No file was changed then.
    pub async fn edit_remove(&self, request: RemoveHookRequest) -> Result<EditDoc, Fault> {
        let intention = EditRequest::Remove { hook: request.hook };
        let (project, writing) = (Path::new(&request.project), write_mode(request.dry_run));
        self.check_same_hook(project, &intention, request.version.as_deref())?;
        to_answer(self.edit(project, None, &intention, writing), writing)
    }

    /// Checks that the id still belongs to the hook that the user saw. An id contains a position in a list, so it may
    /// now belong to the hook next to it.
    fn check_same_hook(&self, project: &Path, intention: &EditRequest, version: Option<&str>) -> Result<(), Fault> {
        let (EditRequest::Change { hook, .. } | EditRequest::Remove { hook }, Some(version)) = (intention, version)
        else {
            return Ok(());
        };
        let open_project = self.open_project(project)?;
        open_project.refresh();
        match open_project.snapshot().hook(hook) {
            Some(known) if known.version() != version => Err(IS_ANOTHER_HOOK.render(args! { "hook" => hook }).into()),
            Some(_) | None => Ok(()),
        }
    }
}

/// The answer to the window. A form shows Problems next to its fields, so in a dry run they are an answer and not a
/// fault.
fn to_answer(done: Result<EditDoc, EditRefusal>, writing: WriteMode) -> Result<EditDoc, Fault> {
    match (done, writing) {
        (Ok(doc), _) => Ok(doc),
        (Err(EditRefusal::Problems(doc, _)), WriteMode::DryRun) => Ok(*doc),
        (Err(refused), _) => Err(refused.fault()),
    }
}

fn write_mode(dry_run: Option<bool>) -> WriteMode {
    match dry_run {
        Some(true) => WriteMode::DryRun,
        Some(false) | None => WriteMode::Now,
    }
}

fn parse_change(step: EditStep) -> Result<HookChange, Fault> {
    Ok(match step {
        EditStep::Set { field, value } => HookChange::Set {
            field,
            value: FieldValue::Value(value),
        },
        EditStep::Unset { field } => HookChange::Unset { field },
        EditStep::Enable => HookChange::Enable,
        EditStep::Disable => HookChange::Disable,
        EditStep::MoveTo { place } => HookChange::MoveTo(place),
        EditStep::ToLayer { layer } => HookChange::ToShelf(target_layer(&layer)?),
        EditStep::Duplicate => HookChange::Duplicate,
    })
}

/// The request for these changes of a hook.
///
/// # Errors
/// `changes` is empty.
pub fn change_request(hook: String, changes: Vec<HookChange>) -> Result<EditRequest, Fault> {
    if changes.is_empty() {
        return Err(NOTHING_ASKED.render_plain().into());
    }
    Ok(EditRequest::Change { hook, changes })
}

/// The layer of this name, such as `user`.
///
/// # Errors
/// No layer has this name. The error lists the known ones.
pub fn target_layer(word: &str) -> Result<TargetLayer, Fault> {
    TargetLayer::from_word(word).ok_or_else(|| {
        let known: Vec<&str> = TargetLayer::ALL.iter().map(|shelf| shelf.as_str()).collect();
        UNKNOWN_LAYER
            .render(args! { "layer" => word, "known" => known.join(", ") })
            .into()
    })
}

/// Parses `FIELD=VALUE`. The value is read as YAML, and its text is passed on too.
///
/// # Errors
/// The text has no `=`, or no field before it.
pub fn parse_set(assignment: &str) -> Result<HookChange, Fault> {
    let bad = || Fault::from(BAD_SET.render(args! { "text" => assignment }));
    let (field, text) = assignment.split_once('=').ok_or_else(bad)?;
    if field.trim().is_empty() {
        return Err(bad());
    }
    let read = match hookwright_dialects::yaml::read(text) {
        Ok(node) => Some(node.map_or(serde_json::Value::Null, |node| node.to_value())),
        Err(_) => None,
    };
    Ok(HookChange::Set {
        field: field.trim().to_owned(),
        value: FieldValue::Written {
            text: text.to_owned(),
            read,
        },
    })
}

/// Parses the fields of a new hook from JSON.
///
/// # Errors
/// The text is not a JSON object.
pub fn parse_definition(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, Fault> {
    let why = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Object(map)) => return Ok(map),
        Ok(_) => "it is another value".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(BAD_DEFINITION.render(args! { "why" => why }).into())
}
