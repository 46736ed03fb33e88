//! Checks files before and after an edit, with code that is independent of the editor.

use std::collections::{BTreeMap, BTreeSet};

use hookwright_model::EditDoc;
use serde_json::Value;

use crate::edits::document::{CommentMark, FileStyle, GeneratedFile, GeneratedFiles, HookLineOwner};
use crate::edits::random_edit::{EditAction, RandomEdit};
use crate::edits::reader::{self, Files, HookSpan};

pub struct EditCase<'a> {
    pub dialect: &'static str,
    pub generated: &'a GeneratedFiles,
    pub slots: &'a [HookSpan],
    pub before: &'a Files,
    pub edit: &'a RandomEdit,
    /// The ids of the hooks, by their numbers.
    pub ids: &'a BTreeMap<usize, String>,
}

fn ensure(condition: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(what()) }
}

impl EditCase<'_> {
    /// Checks everything that must be true after an edit.
    pub fn check(&self, doc: &EditDoc, after: &Files, now: &BTreeMap<String, usize>) -> Result<(), String> {
        self.check_values(after)?;
        self.check_ids(doc, now)?;
        self.check_other_files(after)?;
        self.check_comments(after)?;
        for file in &self.generated.files {
            if let (Some((old, mode)), Some((new, new_mode))) = (self.before.get(&file.path), after.get(&file.path)) {
                ensure(mode == new_mode, || format!("{} has mode {new_mode:o}", file.path))?;
                if old != new && file.kind != FileStyle::Text {
                    self.check_file_ends(file, old, new)?;
                    self.check_lines(file, old, new)?;
                }
            }
        }
        Ok(())
    }

    fn slot(&self) -> Option<&HookSpan> {
        let number = self.edit.hook?;
        self.slots
            .iter()
            .find(|slot| reader::tag(self.dialect, &slot.value) == Some(number))
    }

    /// Checks with another parser that every file contains the expected hooks.
    fn check_values(&self, after: &Files) -> Result<(), String> {
        let found = reader::hook_spans(self.dialect, after)?;
        let (found, expected) = (lists(self, &found), lists(self, &self.edit.expected));
        ensure(found == expected, || {
            format!("the files say {found:#?}\nand not {expected:#?}")
        })
    }

    /// Checks that the reported ids are the present ids of the hooks.
    fn check_ids(&self, doc: &EditDoc, now: &BTreeMap<String, usize>) -> Result<(), String> {
        for (number, old) in self.ids {
            let id = doc.moved.get(old).unwrap_or(old);
            let is_removed = self.edit.what == EditAction::Remove && Some(*number) == self.edit.hook;
            let is_current = now.get(id) == Some(number);
            ensure(is_current || is_removed, || {
                format!("{old} should be {id} now: {now:?}, moved {:?}", doc.moved)
            })?;
        }
        let hook = doc.hook.as_ref().and_then(|id| now.get(id)).copied();
        let expected = match self.edit.what {
            EditAction::Remove => None,
            EditAction::Add => Some(9000),
            EditAction::Set
            | EditAction::Unset
            | EditAction::Rename
            | EditAction::Enable
            | EditAction::Disable
            | EditAction::Move
            | EditAction::Duplicate
            | EditAction::MoveToFile
            | EditAction::CopyToFile => self.edit.hook,
        };
        ensure(hook == expected, || format!("the answer names {:?}", doc.hook))?;
        let copy = matches!(self.edit.what, EditAction::Duplicate | EditAction::CopyToFile);
        let itself = self.edit.hook.and_then(|number| self.ids.get(&number));
        ensure(
            !copy || itself.map(|id| doc.moved.get(id).unwrap_or(id)) != doc.hook.as_ref(),
            || "the copy is taken for the hook".into(),
        )
    }

    /// Checks the files that contain no hook definition. They change only if the edit is about them.
    fn check_other_files(&self, after: &Files) -> Result<(), String> {
        let is_of_hook = |path: &str| {
            let file = self.generated.files.iter().find(|file| file.path == path);
            let owner = file.and_then(|file| file.lines.first()).map(|(_, owner)| *owner);
            owner
                .and_then(HookLineOwner::hook)
                .is_some_and(|owner| Some(owner) == self.edit.hook)
        };
        let slots: BTreeSet<&str> = self.edit.expected.iter().map(|slot| slot.file.as_str()).collect();
        for (path, (bytes, _)) in self.before.iter().filter(|(path, _)| !slots.contains(path.as_str())) {
            let may_go = matches!(
                self.edit.what,
                EditAction::Remove | EditAction::MoveToFile | EditAction::Rename
            ) && is_of_hook(path);
            let config = self.slots.iter().any(|slot| slot.file == *path);
            let text = self.slot().is_some_and(|slot| self.text_of(slot) == *path);
            let changes = self.edit.new_text.is_some() && (is_of_hook(path) || text);
            match after.get(path) {
                Some((now, _)) if now == bytes => {}
                Some((now, _)) if changes => {
                    let expected = self.edit.new_text.clone().unwrap_or_default();
                    ensure(reader::text(after, path) == expected, || {
                        format!("{path} is {:?}", String::from_utf8_lossy(now))
                    })?;
                }
                Some(_) if config => {}
                None if may_go => {}
                _ => return Err(format!("{path} is another or gone")),
            }
        }
        // A copied or moved file has the same content as before.
        for (path, (bytes, mode)) in after.iter().filter(|(path, _)| !self.before.contains_key(*path)) {
            if slots.contains(path.as_str()) {
                ensure(self.edit.what != EditAction::Add || *mode == 0o600, || {
                    format!("{path} has mode {mode:o}")
                })?;
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or_default();
            let original = self
                .before
                .iter()
                .find(|(old, (text, _))| is_of_hook(old) && text == bytes && has_same_extension(old, name));
            let is_allowed = match self.edit.what {
                EditAction::Add => !bytes.is_empty(),
                // The front matter is checked elsewhere. The text after it is the same.
                EditAction::Duplicate if name == "HOOK.md" => {
                    let old = self
                        .slot()
                        .map(|slot| reader::text(self.before, &slot.file))
                        .unwrap_or_default();
                    text_after_front_matter(&old) == text_after_front_matter(&reader::text(after, path))
                }
                EditAction::Duplicate | EditAction::MoveToFile | EditAction::CopyToFile | EditAction::Rename => {
                    original.is_some_and(|(_, (_, old))| old == mode || self.dialect == "skill")
                        || self.dialect == "skill" && self.shared_text(path, after)
                }
                EditAction::Set
                | EditAction::Unset
                | EditAction::Enable
                | EditAction::Disable
                | EditAction::Remove
                | EditAction::Move => false,
            };
            ensure(is_allowed, || {
                format!("{path} is new: {:?}", String::from_utf8_lossy(bytes))
            })?;
        }
        Ok(())
    }

    /// Whether a file is a copy of the hook's text. A text that several hooks name belongs to the first of them, so it
    /// has another owner.
    fn shared_text(&self, path: &str, after: &Files) -> bool {
        let Some(slot) = self.slot() else { return false };
        let old = self.text_of(slot);
        self.before.contains_key(&old) && self.before[&old].0 == after[path].0
    }

    /// The path of the text of a skill's hook.
    fn text_of(&self, slot: &HookSpan) -> String {
        let folder = slot.file.trim_end_matches("hooks.json");
        format!("{folder}{}", slot.value["file"].as_str().unwrap_or_default())
    }

    fn check_comments(&self, after: &Files) -> Result<(), String> {
        let all: Vec<String> = after
            .iter()
            .filter(|(_, (bytes, _))| std::str::from_utf8(bytes).is_ok())
            .map(|(path, _)| reader::text(after, path))
            .collect();
        for mark in &self.generated.marks {
            let count = all.iter().map(|text| text.matches(&mark.word).count()).sum::<usize>();
            let (least, most) = self.expected_count(mark);
            ensure((least..=most).contains(&count), || {
                format!("the comment {} stands there {count} times", mark.word)
            })?;
        }
        Ok(())
    }

    /// How often a comment must occur after the edit, as least and most.
    fn expected_count(&self, mark: &CommentMark) -> (usize, usize) {
        let is_of_hook = mark.owner.hook().is_some() && mark.owner.hook() == self.edit.hook;
        if !is_of_hook {
            return (1, 1);
        }
        let in_changed = match mark.owner {
            HookLineOwner::Hook(_, Some(field)) => mark.in_field && self.edit.field.as_deref() == Some(field),
            HookLineOwner::Hook(_, None)
            | HookLineOwner::Container(_)
            | HookLineOwner::Unowned
            | HookLineOwner::Frame => false,
        };
        // The editor writes out the value of an alias, so that part is written again and may lose its comments.
        let is_anchored = self.generated.anchored;
        match self.edit.what {
            EditAction::Remove => (0, 0),
            EditAction::Duplicate if matches!(mark.owner, HookLineOwner::Container(_)) => (1, 1),
            EditAction::Duplicate | EditAction::CopyToFile if is_anchored || in_changed => (1, 2),
            EditAction::Duplicate | EditAction::CopyToFile => (2, 2),
            EditAction::MoveToFile if is_anchored => (0, 1),
            EditAction::Set | EditAction::Unset | EditAction::Move if in_changed => (0, 1),
            EditAction::Unset if self.is_flow_hook() || matches!(mark.owner, HookLineOwner::Container(_)) => (0, 1),
            EditAction::Add
            | EditAction::Set
            | EditAction::Unset
            | EditAction::Rename
            | EditAction::Enable
            | EditAction::Disable
            | EditAction::Move
            | EditAction::MoveToFile => (1, 1),
        }
    }

    /// Whether the hook is written in flow style, in which a field has no line of its own.
    fn is_flow_hook(&self) -> bool {
        let lines = self.generated.files.iter().flat_map(|file| &file.lines);
        let mut mine = lines.filter(|(_, owner)| owner.hook() == self.edit.hook);
        !mine.any(|(_, owner)| matches!(owner, HookLineOwner::Hook(_, Some(_))))
    }

    /// Checks the byte-order mark, the line breaks and the end of the file.
    fn check_file_ends(&self, file: &GeneratedFile, old: &[u8], new: &[u8]) -> Result<(), String> {
        let bom = "\u{feff}".as_bytes();
        ensure(old.starts_with(bom) == new.starts_with(bom), || {
            "the byte-order mark".into()
        })?;
        let text = String::from_utf8_lossy(new);
        let has_bare_newline = text.replace("\r\n", "").contains('\n');
        let crlf = text.contains('\r');
        let one_line = !String::from_utf8_lossy(old).contains('\n');
        let mixed = if file.crlf && !one_line { has_bare_newline } else { crlf };
        ensure(!mixed, || format!("mixed line breaks in {}", file.path))?;
        // An empty line before a removed hook stays, and is then the end of the file.
        let ends_differ = old.ends_with(b"\n") != new.ends_with(b"\n");
        let is_taken_away = matches!(
            self.edit.what,
            EditAction::Remove | EditAction::MoveToFile | EditAction::Move
        );
        // A text value that ends with a line break also ends the file with it.
        let brought = file.kind == FileStyle::Yaml && new.ends_with(b"\n");
        ensure(!ends_differ || is_taken_away || brought, || {
            format!("the end of {}", file.path)
        })
    }

    /// Checks that only lines of the hook differ.
    fn check_lines(&self, file: &GeneratedFile, old: &[u8], new: &[u8]) -> Result<(), String> {
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        let plain = |line: &str| match file.kind {
            // A comma depends on whether another entry follows.
            FileStyle::Json => line.replace(',', ""),
            FileStyle::Yaml | FileStyle::Front | FileStyle::Text => line.to_owned(),
        };
        let set = matches!(
            self.edit.what,
            EditAction::Set | EditAction::Unset | EditAction::Enable | EditAction::Disable | EditAction::Rename
        );
        let is_mine = |owner: &HookLineOwner| match owner {
            HookLineOwner::Hook(hook, _) | HookLineOwner::Container(hook) => Some(*hook) == self.edit.hook,
            HookLineOwner::Frame => !set,
            // Lines between hooks stay at their position in the list, but a move changes their neighbours.
            HookLineOwner::Unowned => self.edit.what == EditAction::Move,
        };
        let unchanged = file
            .lines
            .iter()
            .filter(|(line, owner)| !is_mine(owner) && !line.trim().is_empty());
        let mut rest = new.lines().map(|line| plain(line.trim_start_matches('\u{feff}')));
        for (line, _) in unchanged {
            let expected = plain(line);
            ensure(rest.any(|line| line == expected), || {
                format!("the line {line:?} is gone, or elsewhere")
            })?;
        }
        let (old, new) = (plain(&old), plain(&new));
        let alias = self.generated.anchored;
        let shared_matcher = self.dialect == "qoder" && self.edit.field.as_deref() == Some("matcher");
        let key = self.dialect == "picoclaw" && self.edit.what == EditAction::Rename;
        if alias || shared_matcher || key || file.kind == FileStyle::Json && self.is_flow_hook() {
            return Ok(());
        }
        match self.edit.what {
            EditAction::Set | EditAction::Enable | EditAction::Disable | EditAction::Rename => {
                self.check_field(file, &old, &new, &plain)
            }
            EditAction::Duplicate if self.edit.field.is_none() && !self.gets_own_name() => {
                ensure(differs_by_one_insertion(&old, &new), || {
                    "a copy is put in, and something else changed".into()
                })
            }
            EditAction::Remove | EditAction::MoveToFile if !self.is_alone() => {
                let is_in_file = file.lines.iter().any(|(_, owner)| owner.hook() == self.edit.hook);
                ensure(!is_in_file || differs_by_one_insertion(&new, &old), || {
                    "a hook is taken out, and something else changed".into()
                })
            }
            EditAction::Unset if !self.edit.nested && !self.is_flow_hook() => {
                ensure(differs_by_one_insertion(&new, &old), || {
                    "a field is taken out, and something else changed".into()
                })
            }
            EditAction::Add
            | EditAction::Unset
            | EditAction::Remove
            | EditAction::Move
            | EditAction::Duplicate
            | EditAction::MoveToFile
            | EditAction::CopyToFile => Ok(()),
        }
    }

    /// Whether a copy gets a name of its own.
    fn gets_own_name(&self) -> bool {
        matches!(self.dialect, "skill" | "agent-hooks" | "picoclaw")
    }

    /// Whether the list has no other hook.
    fn is_alone(&self) -> bool {
        let Some(slot) = self.slot() else { return false };
        let same = self
            .slots
            .iter()
            .filter(|other| (&other.file, &other.list) == (&slot.file, &slot.list));
        same.count() == 1
    }

    /// Checks that only the lines of an existing field change. A new field is inserted, and no text is removed.
    fn check_field(
        &self,
        file: &GeneratedFile,
        old: &str,
        new: &str,
        plain: &dyn Fn(&str) -> String,
    ) -> Result<(), String> {
        let field = self.edit.field.as_deref();
        let of_field = |owner: &HookLineOwner| matches!(owner, HookLineOwner::Hook(hook, name) if Some(*hook) == self.edit.hook && *name == field && name.is_some());
        let Some(first) = file.lines.iter().position(|(_, owner)| of_field(owner)) else {
            let flow = self.is_flow_hook();
            return ensure(flow || differs_by_one_insertion(old, new), || {
                "a field is put in, and something else changed".into()
            });
        };
        let eol = if file.crlf { "\r\n" } else { "\n" };
        let last = file
            .lines
            .iter()
            .rposition(|(_, owner)| of_field(owner))
            .unwrap_or(first);
        let join = |lines: &[(String, HookLineOwner)]| {
            let lines: Vec<String> = lines.iter().map(|(line, _)| plain(line)).collect();
            lines.join(eol)
        };
        let head = join(&file.lines[..first]);
        let tail = join(&file.lines[last + 1..]);
        let new = new.trim_start_matches('\u{feff}');
        let is_unchanged_around = new.starts_with(&head) && new.trim_end().ends_with(tail.trim_end());
        ensure(is_unchanged_around, || {
            format!("lines beside those of {field:?} differ")
        })
    }
}

/// The text after the front matter.
fn text_after_front_matter(text: &str) -> String {
    let lines = text.split_inclusive('\n').skip(1);
    lines.skip_while(|line| line.trim_end() != "---").collect()
}

fn has_same_extension(path: &str, name: &str) -> bool {
    let end = |path: &str| path.rsplit_once('.').map(|(_, end)| end.to_owned());
    path.rsplit('/').next() == Some(name) || end(path) == end(name)
}

/// Whether the long text is the short one with one piece inserted.
fn differs_by_one_insertion(short: &str, long: &str) -> bool {
    let (short, long) = (short.as_bytes(), long.as_bytes());
    let begin = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let end = short
        .iter()
        .rev()
        .zip(long.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    short.len() <= long.len() && begin + end >= short.len()
}

type List = Vec<(Option<Value>, String, Value)>;

/// The hooks of every list in their order, without the names and files that a copy gets of its own.
fn lists(case: &EditCase<'_>, slots: &[HookSpan]) -> BTreeMap<(String, String), List> {
    let mut found: BTreeMap<(String, String), List> = BTreeMap::new();
    let about = case.edit.hook;
    let carried = matches!(
        case.edit.what,
        EditAction::Duplicate | EditAction::MoveToFile | EditAction::CopyToFile
    );
    for slot in slots {
        let mut value = slot.value.clone();
        let (mut file, mut name) = (slot.file.clone(), slot.name.clone());
        if carried && about.is_some() && reader::tag(case.dialect, &value) == about {
            for field in ["name", "file"]
                .iter()
                .filter(|_| matches!(case.dialect, "skill" | "agent-hooks"))
            {
                if let Some(map) = value.as_object_mut() {
                    map.shift_remove(*field);
                }
            }
            name.clear();
            if case.dialect == "agent-hooks" {
                let parent = file.rsplitn(3, '/').nth(2).unwrap_or_default().to_owned();
                file = parent;
            }
        }
        let matches_all = |matcher: &Value| matcher.is_null() || matcher == "" || matcher == "*";
        let matcher = slot.matcher.clone().filter(|matcher| !matches_all(matcher));
        found
            .entry((file, slot.list.clone()))
            .or_default()
            .push((matcher, name, value));
    }
    if case.dialect == "agent-hooks" || case.dialect == "picoclaw" {
        // The hooks of these dialects are folders or names, which have no order.
        for list in found.values_mut() {
            list.sort_by_key(|(_, name, value)| (name.clone(), value.to_string()));
        }
    }
    found
}
