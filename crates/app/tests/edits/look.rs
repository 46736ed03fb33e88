//! Looks at files before and after an edit with other eyes than those that made it.

use std::collections::{BTreeMap, BTreeSet};

use hookwright_app::dto::EditDoc;
use serde_json::Value;

use crate::paper::{File, Kind, Mark, Owner, World};
use crate::reader::{self, Files, Slot};
use crate::wish::{What, Wish};

pub struct Case<'a> {
    pub dialect: &'static str,
    pub world: &'a World,
    pub slots: &'a [Slot],
    pub before: &'a Files,
    pub wish: &'a Wish,
    /// The hooks by their numbers.
    pub ids: &'a BTreeMap<usize, String>,
}

fn must(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

impl Case<'_> {
    /// All that must hold after an edit.
    pub fn look(&self, doc: &EditDoc, after: &Files, now: &BTreeMap<String, usize>) -> Result<(), String> {
        self.meaning(after)?;
        self.names(doc, now)?;
        self.other_files(after)?;
        self.comments(after)?;
        for file in &self.world.files {
            if let (Some((old, mode)), Some((new, new_mode))) = (self.before.get(&file.path), after.get(&file.path)) {
                must(mode == new_mode, || format!("{} has mode {new_mode:o}", file.path))?;
                if old != new && file.kind != Kind::Text {
                    self.form(file, old, new)?;
                    self.lines(file, old, new)?;
                }
            }
        }
        Ok(())
    }

    fn slot(&self) -> Option<&Slot> {
        let number = self.wish.hook?;
        self.slots
            .iter()
            .find(|slot| reader::tag(self.dialect, &slot.value) == Some(number))
    }

    /// Every file says what is expected, to another parser.
    fn meaning(&self, after: &Files) -> Result<(), String> {
        let found = reader::slots(self.dialect, after)?;
        let (found, wanted) = (lists(self, &found), lists(self, &self.wish.expected));
        must(found == wanted, || {
            format!("the files say {found:#?}\nand not {wanted:#?}")
        })
    }

    /// The ids that are told are those that hold.
    fn names(&self, doc: &EditDoc, now: &BTreeMap<String, usize>) -> Result<(), String> {
        for (number, old) in self.ids {
            let id = doc.moved.get(old).unwrap_or(old);
            let gone = self.wish.what == What::Remove && Some(*number) == self.wish.hook;
            let holds = now.get(id) == Some(number);
            must(holds || gone, || {
                format!("{old} should be {id} now: {now:?}, moved {:?}", doc.moved)
            })?;
        }
        let hook = doc.hook.as_ref().and_then(|id| now.get(id)).copied();
        let wanted = match self.wish.what {
            What::Remove => None,
            What::Add => Some(9000),
            What::Set
            | What::Unset
            | What::Rename
            | What::Enable
            | What::Disable
            | What::Move
            | What::Duplicate
            | What::Carry
            | What::CarryCopy => self.wish.hook,
        };
        must(hook == wanted, || format!("the answer names {:?}", doc.hook))?;
        let copy = matches!(self.wish.what, What::Duplicate | What::CarryCopy);
        let itself = self.wish.hook.and_then(|number| self.ids.get(&number));
        must(
            !copy || itself.map(|id| doc.moved.get(id).unwrap_or(id)) != doc.hook.as_ref(),
            || "the copy is taken for the hook".into(),
        )
    }

    /// Files of which no part is taken change only where they are meant.
    fn other_files(&self, after: &Files) -> Result<(), String> {
        let mine = |path: &str| {
            let file = self.world.files.iter().find(|file| file.path == path);
            let owner = file.and_then(|file| file.lines.first()).map(|(_, owner)| *owner);
            owner
                .and_then(Owner::hook)
                .is_some_and(|owner| Some(owner) == self.wish.hook)
        };
        let slots: BTreeSet<&str> = self.wish.expected.iter().map(|slot| slot.file.as_str()).collect();
        for (path, (bytes, _)) in self.before.iter().filter(|(path, _)| !slots.contains(path.as_str())) {
            let may_go = matches!(self.wish.what, What::Remove | What::Carry | What::Rename) && mine(path);
            let config = self.slots.iter().any(|slot| slot.file == *path);
            let text = self.slot().is_some_and(|slot| self.text_of(slot) == *path);
            let changes = self.wish.whole.is_some() && (mine(path) || text);
            match after.get(path) {
                Some((now, _)) if now == bytes => {}
                Some((now, _)) if changes => {
                    let wanted = self.wish.whole.clone().unwrap_or_default();
                    must(reader::text(after, path) == wanted, || {
                        format!("{path} is {:?}", String::from_utf8_lossy(now))
                    })?;
                }
                Some(_) if config => {}
                None if may_go => {}
                _ => return Err(format!("{path} is another or gone")),
            }
        }
        // What came along is what it was.
        for (path, (bytes, mode)) in after.iter().filter(|(path, _)| !self.before.contains_key(*path)) {
            if slots.contains(path.as_str()) {
                must(self.wish.what != What::Add || *mode == 0o600, || {
                    format!("{path} has mode {mode:o}")
                })?;
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or_default();
            let original = self
                .before
                .iter()
                .find(|(old, (text, _))| mine(old) && text == bytes && same_end(old, name));
            let holds = match self.wish.what {
                What::Add => !bytes.is_empty(),
                // Its front matter is read elsewhere; the text behind it is the same.
                What::Duplicate if name == "HOOK.md" => {
                    let old = self
                        .slot()
                        .map(|slot| reader::text(self.before, &slot.file))
                        .unwrap_or_default();
                    body(&old) == body(&reader::text(after, path))
                }
                What::Duplicate | What::Carry | What::CarryCopy | What::Rename => {
                    original.is_some_and(|(_, (_, old))| old == mode || self.dialect == "skill")
                        || self.dialect == "skill" && self.shared_text(path, after)
                }
                What::Set | What::Unset | What::Enable | What::Disable | What::Remove | What::Move => false,
            };
            must(holds, || format!("{path} is new: {:?}", String::from_utf8_lossy(bytes)))?;
        }
        Ok(())
    }

    /// A text that several hooks name belongs to the first of them.
    fn shared_text(&self, path: &str, after: &Files) -> bool {
        let Some(slot) = self.slot() else { return false };
        let old = self.text_of(slot);
        self.before.contains_key(&old) && self.before[&old].0 == after[path].0
    }

    /// Where a skill's hook has its text.
    fn text_of(&self, slot: &Slot) -> String {
        let folder = slot.file.trim_end_matches("hooks.json");
        format!("{folder}{}", slot.value["file"].as_str().unwrap_or_default())
    }

    fn comments(&self, after: &Files) -> Result<(), String> {
        let all: Vec<String> = after
            .iter()
            .filter(|(_, (bytes, _))| std::str::from_utf8(bytes).is_ok())
            .map(|(path, _)| reader::text(after, path))
            .collect();
        for mark in &self.world.marks {
            let count = all.iter().map(|text| text.matches(&mark.word).count()).sum::<usize>();
            let (least, most) = self.times(mark);
            must((least..=most).contains(&count), || {
                format!("the comment {} stands there {count} times", mark.word)
            })?;
        }
        Ok(())
    }

    /// How often a comment must stand there.
    fn times(&self, mark: &Mark) -> (usize, usize) {
        let mine = mark.owner.hook().is_some() && mark.owner.hook() == self.wish.hook;
        if !mine {
            return (1, 1);
        }
        let in_changed = match mark.owner {
            Owner::Hook(_, Some(field)) => mark.in_field && self.wish.field.as_deref() == Some(field),
            Owner::Hook(_, None) | Owner::Around(_) | Owner::Nobody | Owner::Frame => false,
        };
        // What an alias stood for is written out, and the part is written anew.
        let loose = self.world.anchored;
        match self.wish.what {
            What::Remove => (0, 0),
            What::Duplicate if matches!(mark.owner, Owner::Around(_)) => (1, 1),
            What::Duplicate | What::CarryCopy if loose || in_changed => (1, 2),
            What::Duplicate | What::CarryCopy => (2, 2),
            What::Carry if loose => (0, 1),
            What::Set | What::Unset | What::Move if in_changed => (0, 1),
            What::Unset if self.flow_hook() || matches!(mark.owner, Owner::Around(_)) => (0, 1),
            What::Add
            | What::Set
            | What::Unset
            | What::Rename
            | What::Enable
            | What::Disable
            | What::Move
            | What::Carry => (1, 1),
        }
    }

    /// The hook is written between brackets in few lines, where a field has no line of its own.
    fn flow_hook(&self) -> bool {
        let lines = self.world.files.iter().flat_map(|file| &file.lines);
        let mut mine = lines.filter(|(_, owner)| owner.hook() == self.wish.hook);
        !mine.any(|(_, owner)| matches!(owner, Owner::Hook(_, Some(_))))
    }

    /// Byte-order mark, line breaks and the last of them.
    fn form(&self, file: &File, old: &[u8], new: &[u8]) -> Result<(), String> {
        let mark = "\u{feff}".as_bytes();
        must(old.starts_with(mark) == new.starts_with(mark), || {
            "the byte-order mark".into()
        })?;
        let text = String::from_utf8_lossy(new);
        let bare = text.replace("\r\n", "").contains('\n');
        let crlf = text.contains('\r');
        let one_line = !String::from_utf8_lossy(old).contains('\n');
        let mixed = if file.crlf && !one_line { bare } else { crlf };
        must(!mixed, || format!("mixed line breaks in {}", file.path))?;
        // Before a hook that is gone there may have been an empty line, which stays.
        let ends_differ = old.ends_with(b"\n") != new.ends_with(b"\n");
        let went = matches!(self.wish.what, What::Remove | What::Carry | What::Move);
        // A text with a line break at its end brings that break to the end of the file.
        let brought = file.kind == Kind::Yaml && new.ends_with(b"\n");
        must(!ends_differ || went || brought, || format!("the end of {}", file.path))
    }

    /// Nothing but the lines of the hook may differ.
    fn lines(&self, file: &File, old: &[u8], new: &[u8]) -> Result<(), String> {
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        let plain = |line: &str| match file.kind {
            // A comma comes and goes with the neighbour.
            Kind::Json => line.replace(',', ""),
            Kind::Yaml | Kind::Front | Kind::Text => line.to_owned(),
        };
        let set = matches!(
            self.wish.what,
            What::Set | What::Unset | What::Enable | What::Disable | What::Rename
        );
        let is_mine = |owner: &Owner| match owner {
            Owner::Hook(hook, _) | Owner::Around(hook) => Some(*hook) == self.wish.hook,
            Owner::Frame => !set,
            // What stands between hooks keeps its place in the list, not its neighbours.
            Owner::Nobody => self.wish.what == What::Move,
        };
        let stay = file
            .lines
            .iter()
            .filter(|(line, owner)| !is_mine(owner) && !line.trim().is_empty());
        let mut rest = new.lines().map(|line| plain(line.trim_start_matches('\u{feff}')));
        for (line, _) in stay {
            let wanted = plain(line);
            must(rest.any(|line| line == wanted), || {
                format!("the line {line:?} is gone, or elsewhere")
            })?;
        }
        let (old, new) = (plain(&old), plain(&new));
        let alias = self.world.anchored;
        let shared_matcher = self.dialect == "qoder" && self.wish.field.as_deref() == Some("matcher");
        let key = self.dialect == "picoclaw" && self.wish.what == What::Rename;
        if alias || shared_matcher || key || file.kind == Kind::Json && self.flow_hook() {
            return Ok(());
        }
        match self.wish.what {
            What::Set | What::Enable | What::Disable | What::Rename => self.one_field(file, &old, &new, &plain),
            What::Duplicate if self.wish.field.is_none() && !self.named() => must(one_gap(&old, &new), || {
                "a copy is put in, and something else changed".into()
            }),
            What::Remove | What::Carry if !self.alone() => {
                let there = file.lines.iter().any(|(_, owner)| owner.hook() == self.wish.hook);
                must(!there || one_gap(&new, &old), || {
                    "a hook is taken out, and something else changed".into()
                })
            }
            What::Unset if !self.wish.nested && !self.flow_hook() => must(one_gap(&new, &old), || {
                "a field is taken out, and something else changed".into()
            }),
            What::Add | What::Unset | What::Remove | What::Move | What::Duplicate | What::Carry | What::CarryCopy => {
                Ok(())
            }
        }
    }

    /// A copy gets a name of its own.
    fn named(&self) -> bool {
        matches!(self.dialect, "skill" | "agent-hooks" | "picoclaw")
    }

    /// The list has no other hook.
    fn alone(&self) -> bool {
        let Some(slot) = self.slot() else { return false };
        let same = self
            .slots
            .iter()
            .filter(|other| (&other.file, &other.list) == (&slot.file, &slot.list));
        same.count() == 1
    }

    /// The lines of a field that is there are all that changes; one that is new is put in, and nothing goes.
    fn one_field(&self, file: &File, old: &str, new: &str, plain: &dyn Fn(&str) -> String) -> Result<(), String> {
        let field = self.wish.field.as_deref();
        let of_field = |owner: &Owner| matches!(owner, Owner::Hook(hook, name) if Some(*hook) == self.wish.hook && *name == field && name.is_some());
        let Some(first) = file.lines.iter().position(|(_, owner)| of_field(owner)) else {
            let flow = self.flow_hook();
            return must(flow || one_gap(old, new), || {
                "a field is put in, and something else changed".into()
            });
        };
        let eol = if file.crlf { "\r\n" } else { "\n" };
        let last = file
            .lines
            .iter()
            .rposition(|(_, owner)| of_field(owner))
            .unwrap_or(first);
        let join = |lines: &[(String, Owner)]| {
            let lines: Vec<String> = lines.iter().map(|(line, _)| plain(line)).collect();
            lines.join(eol)
        };
        let head = join(&file.lines[..first]);
        let tail = join(&file.lines[last + 1..]);
        let new = new.trim_start_matches('\u{feff}');
        let holds = new.starts_with(&head) && new.trim_end().ends_with(tail.trim_end());
        must(holds, || format!("lines beside those of {field:?} differ"))
    }
}

/// What stands behind the front matter.
fn body(text: &str) -> String {
    let lines = text.split_inclusive('\n').skip(1);
    lines.skip_while(|line| line.trim_end() != "---").collect()
}

fn same_end(path: &str, name: &str) -> bool {
    let end = |path: &str| path.rsplit_once('.').map(|(_, end)| end.to_owned());
    path.rsplit('/').next() == Some(name) || end(path) == end(name)
}

/// Whether one text is another with one piece put in.
fn one_gap(short: &str, long: &str) -> bool {
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

/// Lists in their order, without what a copy gets of its own.
fn lists(case: &Case<'_>, slots: &[Slot]) -> BTreeMap<(String, String), List> {
    let mut found: BTreeMap<(String, String), List> = BTreeMap::new();
    let about = case.wish.hook;
    let carried = matches!(case.wish.what, What::Duplicate | What::Carry | What::CarryCopy);
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
                let place = file.rsplitn(3, '/').nth(2).unwrap_or_default().to_owned();
                file = place;
            }
        }
        let everything = |matcher: &Value| matcher.is_null() || matcher == "" || matcher == "*";
        let matcher = slot.matcher.clone().filter(|matcher| !everything(matcher));
        found
            .entry((file, slot.list.clone()))
            .or_default()
            .push((matcher, name, value));
    }
    if case.dialect == "agent-hooks" || case.dialect == "picoclaw" {
        // Folders and names have no order.
        for list in found.values_mut() {
            list.sort_by_key(|(_, name, value)| (name.clone(), value.to_string()));
        }
    }
    found
}
