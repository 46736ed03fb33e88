//! The texts of the files that an edit changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::definition::DefinitionFormat;
use hookwright_model::{FileChange, FileKind, Former, Message, ReadText, SourceTree, render};
use indexmap::IndexMap;
use serde_json::Value;

use super::{MAX_JSON_DEPTH, MAX_TOML_DEPTH, MAX_YAML_DEPTH, TOO_DEEP, UNREADABLE, with_file};
use crate::front_matter::{self, FrontMatter};
use crate::node::Node;
use crate::splice::{self, Format, Op, PathStep};

/// The texts of the files of one dialect that an edit changes, in the order in which it first changes them.
#[derive(Debug)]
pub struct TextEdits {
    format: DefinitionFormat,
    texts: IndexMap<PathBuf, EditedText>,
}

#[derive(Debug)]
struct EditedText {
    before: Option<String>,
    now: String,
    /// The path of the parent from which an element was removed, if one was.
    removed_from: Option<splice::Path>,
    /// Whether the file is removed.
    is_removed: bool,
}

impl TextEdits {
    /// No change of any file.
    #[must_use]
    pub fn new(format: DefinitionFormat) -> Self {
        Self {
            format,
            texts: IndexMap::new(),
        }
    }

    /// The syntax of a file. Front matter is YAML.
    #[must_use]
    pub fn syntax(&self, path: &Path) -> Format {
        syntax(self.format, path)
    }

    /// The current text of a file of this tree. It is empty for a file that does not exist.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn text(&self, tree: &SourceTree, path: &Path) -> Result<String, Message> {
        match self.texts.get(path) {
            Some(text) => Ok(text.now.clone()),
            None => Ok(text_before(tree, path)?.unwrap_or_default()),
        }
    }

    /// Replaces the text of a file of this tree.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn set_text(&mut self, tree: &SourceTree, path: &Path, now: String) -> Result<(), Message> {
        match self.texts.get_mut(path) {
            Some(text) => text.now = now,
            None => {
                let text = EditedText {
                    before: text_before(tree, path)?,
                    now,
                    removed_from: None,
                    is_removed: false,
                };
                self.texts.insert(path.to_owned(), text);
            }
        }
        Ok(())
    }

    /// The value at a path of a file, with all edits so far.
    ///
    /// # Errors
    /// The file cannot be read or does not parse.
    pub fn node(&self, tree: &SourceTree, path: &Path, at: &[PathStep]) -> Result<Option<Arc<Node>>, Message> {
        let text = self.text(tree, path)?;
        let root = splice::parse_nodes(self.syntax(path), self.part_with_hooks(&text));
        let root = root.map_err(|broken| with_file(splice::syntax_message(&broken), path))?;
        Ok(root.as_ref().and_then(|root| Node::find(root, at)).cloned())
    }

    /// The part of a file that defines hooks: the front matter, or the whole text.
    fn part_with_hooks<'t>(&self, text: &'t str) -> &'t str {
        match (self.format, front_matter::split(text)) {
            (DefinitionFormat::FrontMatter, FrontMatter::Found { yaml, .. }) => yaml,
            (DefinitionFormat::FrontMatter | DefinitionFormat::Json | DefinitionFormat::Yaml, _) => text,
        }
    }

    /// Applies operations to one of the files of a root.
    ///
    /// # Errors
    /// One of the operations cannot be done.
    pub fn splice(&mut self, tree: &SourceTree, path: &Path, ops: &[Op]) -> Result<(), Message> {
        ops.iter().try_for_each(|op| check_depth(self.syntax(path), op))?;
        let text = self.text(tree, path)?;
        let part = self.part_with_hooks(&text);
        let next = splice::apply(self.syntax(path), part, ops).map_err(|message| with_file(message, path))?;
        self.set_text(tree, path, next + &text[part.len()..])
    }

    /// Removes an element from a file of a root, and each list and mapping around it that becomes empty.
    ///
    /// # Errors
    /// The element cannot be removed.
    pub fn remove(&mut self, tree: &SourceTree, path: &Path, at: splice::Path) -> Result<(), Message> {
        let before = self.text(tree, path)?;
        let parent = at.split_last().map_or(&[][..], |(_, parent)| parent).to_vec();
        self.remove_part(tree, path, at)?;
        let text = splice::without_empty(self.syntax(path), &self.text(tree, path)?, &parent);
        let blank = match self.syntax(path) {
            Format::Yaml => splice::without_empty_root(&before, &text),
            Format::Json | Format::Toml => None,
        };
        self.set_text(tree, path, blank.unwrap_or(text))
    }

    /// Removes an element from a file of a root. Its parent stays, even if it becomes empty.
    ///
    /// # Errors
    /// The element cannot be removed.
    pub fn remove_part(&mut self, tree: &SourceTree, path: &Path, at: splice::Path) -> Result<(), Message> {
        let parent = at.split_last().map(|(_, parent)| parent.to_vec());
        self.splice(tree, path, &[Op::Remove { at }])?;
        if let Some(text) = self.texts.get_mut(path) {
            text.removed_from = parent;
        }
        Ok(())
    }

    /// Restores the bytes that files had before an edit by Hookwright. It applies to files from which an element was
    /// removed and which have the same value again. If the last edit only added that element, the values are not
    /// compared. A file that did not exist before is removed.
    pub fn restore(&mut self, former: &Former) {
        let format = self.format;
        for (path, text) in &mut self.texts {
            let (Some(parent), Some(past)) = (&text.removed_from, former.get(path)) else {
                continue;
            };
            let syntax = syntax(format, path);
            let same = |earlier: &&Option<String>| splice::means_same(syntax, earlier.as_deref(), &text.now, parent);
            let found = if past.just_added {
                past.states.first()
            } else {
                past.states.iter().find(same)
            };
            match found {
                Some(Some(earlier)) => text.now.clone_from(earlier),
                Some(None) => text.is_removed = true,
                None => {}
            }
        }
    }

    /// The file changes to be written.
    #[must_use]
    pub fn files(self) -> Vec<FileChange> {
        let changed = self.texts.into_iter().filter_map(|(path, text)| {
            if text.is_removed {
                return text.before.is_some().then_some(FileChange::Remove { path });
            }
            (text.before.as_ref() != Some(&text.now)).then_some(FileChange::Write {
                path,
                text: text.now,
                kind: FileKind::Plain,
            })
        });
        changed.collect()
    }
}

fn syntax(format: DefinitionFormat, path: &Path) -> Format {
    match (format, Format::of_file(path)) {
        (_, Format::Toml) => Format::Toml,
        (DefinitionFormat::Json, _) => Format::Json,
        (DefinitionFormat::Yaml | DefinitionFormat::FrontMatter, _) => Format::Yaml,
    }
}

/// The text of a file before the edit; `None` if the file does not exist.
fn text_before(tree: &SourceTree, path: &Path) -> Result<Option<String>, Message> {
    Ok(text_in(std::slice::from_ref(tree), path)?.map(|text| (*text).to_owned()))
}

/// The text of a file in one of these trees; `None` if it does not exist.
///
/// # Errors
/// The file exists and cannot be read.
pub fn text_in(trees: &[SourceTree], path: &Path) -> ReadText {
    let file = trees.iter().find_map(|tree| tree.files.get(path));
    let text = file.map(|file| &file.text).map(|text| text.as_deref().map(Arc::from));
    text.transpose().map_err(|problem| {
        let shown = path.display().to_string();
        render!(UNREADABLE, "path" => shown, "why" => problem.message)
    })
}

/// Checks that the edited text can be read again: it is not nested deeper than its reader accepts.
fn check_depth(format: Format, op: &Op) -> Result<(), Message> {
    let (at, value) = match op {
        Op::Set { at, value } => (at, value),
        Op::Insert { at, content } => (at, &content.value),
        Op::Unset { .. } | Op::Remove { .. } | Op::Rename { .. } | Op::Move { .. } => return Ok(()),
    };
    let limit = match format {
        Format::Yaml => MAX_YAML_DEPTH,
        Format::Json => MAX_JSON_DEPTH,
        Format::Toml => MAX_TOML_DEPTH,
    };
    if at.len() + nesting_depth(value) <= limit {
        return Ok(());
    }
    let names = at.iter().filter_map(|step| match step {
        PathStep::Key(name, _) => Some(name.as_str()),
        PathStep::Item(_) => None,
    });
    let begin: String = names.collect::<Vec<_>>().join(".").chars().take(20).collect();
    Err(render!(TOO_DEEP, "field" => begin, "limit" => limit))
}

/// How many lists and mappings are inside each other.
fn nesting_depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting_depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(nesting_depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
