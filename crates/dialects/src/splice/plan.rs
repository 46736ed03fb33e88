//! From an operation to patches: which of the ways to write a value this one stands in.

use hookwright_model::Message;
use serde_json::Value;

use super::style::Style;
use super::tree::{Doc, Group, Node, Shape, Slot};
use super::walk::{End, Walk, form, may_go, not_there};
use super::{Content, DIFFERS, Format, Op, Patch, Path, Step, aliases, block, flow, key, meant, patched, read, write};

/// Operations that stand for one operation may do so again; deeper than this nobody nests.
const MAX_DEPTH: usize = 100;

/// How an operation is done.
enum Plan {
    /// By these patches.
    Patches(Vec<Patch>),
    /// By doing these operations instead.
    Instead(Vec<Op>),
}

/// Does one operation. `value` is what the text says.
pub(super) fn run(format: Format, text: &str, value: &Value, op: &Op, depth: usize) -> Result<String, Message> {
    if depth > MAX_DEPTH {
        return Err(DIFFERS.render_plain());
    }
    let doc = read(format, text).ok_or_else(|| DIFFERS.render_plain())?;
    match plan(&doc, value, op)? {
        Plan::Patches(patches) => patched(text, patches).ok_or_else(|| DIFFERS.render_plain()),
        Plan::Instead(ops) => {
            let mut text = text.to_owned();
            for op in &ops {
                let value = super::value(format, &text)?;
                text = run(format, &text, &value, op, depth + 1)?;
            }
            Ok(text)
        }
    }
}

fn plan(doc: &Doc<'_>, value: &Value, op: &Op) -> Result<Plan, Message> {
    let (at, above) = match op {
        Op::Set { at, .. } | Op::Unset { at } | Op::Rename { at, .. } => (at, at.as_slice()),
        Op::Insert { at, .. } | Op::Remove { at } => (at, at.split_last().map_or(&[][..], |(_, above)| above)),
        Op::Move { list, .. } => (list, list.as_slice()),
    };
    let root = match &doc.root {
        Some(root) if !is_null(doc, root) => root,
        // `null` is written where nothing is.
        nothing => return nothing_yet(doc, nothing.as_ref(), op, at),
    };
    let walk = Walk::along(root, above);
    let fills = matches!(op, Op::Insert { .. } | Op::Move { .. });
    let alias = matches!(walk.last().shape, Shape::Alias(_));
    if walk.end == End::Alias || (fills && alias && walk.end == End::Here) {
        return written_out(value, &at[..walk.depth()], op);
    }
    match op {
        Op::Set { at, value: new } => set(doc, value, &walk, at, new),
        Op::Unset { at } => unset(doc, value, &walk, at),
        Op::Insert { at, content } => insert(doc, value, &walk, at, content, op),
        Op::Remove { at } => remove(doc, value, &walk, at, op),
        Op::Rename { to, .. } => rename(doc, &walk, to),
        Op::Move { list, from, to } => match aliases::before_move(doc, value, &walk, list, *from, *to)? {
            Some(mut written_out) => {
                written_out.push(op.clone());
                Ok(Plan::Instead(written_out))
            }
            None => shift(doc, &walk, *from, *to),
        },
    }
}

fn is_null(doc: &Doc<'_>, node: &Node) -> bool {
    matches!(node.shape, Shape::Scalar(_)) && crate::yaml::resolve(&doc.text[node.range.clone()]).is_null()
}

/// A text without any value gets its first.
fn nothing_yet(doc: &Doc<'_>, null: Option<&Node>, op: &Op, at: &[Step]) -> Result<Plan, Message> {
    let mut value = Value::Null;
    if !meant::on(&mut value, op) || at.is_empty() {
        return Err(not_there(doc, 0));
    }
    if let (Op::Insert { content, .. }, Some((last, above))) = (op, at.split_last())
        && content.cut.is_some()
        && !above.is_empty()
    {
        return Ok(Plan::Instead(vec![empty(above, last), op.clone()]));
    }
    let style = Style::of(doc);
    let text = match doc.format {
        Format::Json => write::json(&style, &value, ""),
        Format::Yaml => write::document(&style, &value),
    };
    if let Some(null) = null {
        return Ok(Plan::Patches(vec![Patch::new(null.range.clone(), text.trim_end())]));
    }
    let ends = doc.text.is_empty() || doc.text.ends_with('\n');
    let before = if ends { "" } else { style.eol };
    Ok(Plan::Patches(vec![Patch::insert(
        doc.text.len(),
        format!("{before}{text}{}", style.eol),
    )]))
}

/// Instead of a change in what an alias stands for, the alias gives way to that value, changed.
fn written_out(value: &Value, alias: &[Step], op: &Op) -> Result<Plan, Message> {
    let mut whole = value.clone();
    if !meant::on(&mut whole, op) {
        return Err(DIFFERS.render_plain());
    }
    let changed = meant::at_path(&mut whole, alias).ok_or_else(|| DIFFERS.render_plain())?;
    Ok(Plan::Instead(vec![Op::Set {
        at: alias.to_vec(),
        value: changed.clone(),
    }]))
}

fn set(doc: &Doc<'_>, value: &Value, walk: &Walk<'_>, at: &Path, new: &Value) -> Result<Plan, Message> {
    let depth = walk.depth();
    match walk.end {
        End::Here => {
            walk.may_change(doc)?;
            may_go(doc, walk.last())?;
            if let Some(ops) = piece_by_piece(value, walk.last(), at, new) {
                return Ok(Plan::Instead(ops));
            }
            let Some((group, index)) = walk.slots.last() else {
                return Err(form(doc, walk.last().range.start));
            };
            let slot = &group.slots[*index];
            let style = Style::of(doc).at(doc, slot.start);
            Ok(Plan::Patches(if walk.in_flow(depth) {
                flow::replace(doc, &style, slot, new)
            } else {
                block::replace(doc, &style, slot, new)
            }))
        }
        End::Missing | End::Merged => {
            let mut whole = value.clone();
            let here = &at[..=depth];
            let in_merged = walk.end == End::Merged && meant::at_path(&mut whole, here).is_some();
            let wrapped = if in_merged {
                let op = Op::Set {
                    at: at.clone(),
                    value: new.clone(),
                };
                meant::on(&mut whole, &op);
                meant::at_path(&mut whole, here).cloned().unwrap_or(Value::Null)
            } else {
                at[depth + 1..]
                    .iter()
                    .rev()
                    .try_fold(new.clone(), wrap)
                    .ok_or_else(|| not_there(doc, walk.last().range.start))?
            };
            let walk = Walk {
                end: End::Here,
                nodes: walk.nodes.clone(),
                slots: walk.slots.clone(),
            };
            put(doc, &walk, &at[depth], &Content::from(wrapped))
        }
        End::Alias | End::Other => Err(not_there(doc, walk.last().range.start)),
    }
}

fn wrap(inner: Value, step: &Step) -> Option<Value> {
    match step {
        Step::Key(name, _) => Some(Value::Object([(name.clone(), inner)].into_iter().collect())),
        Step::Item(_) => None,
    }
}

/// A mapping that becomes another mapping, or a list another list, keeps what both have, with its comments.
fn piece_by_piece(value: &Value, node: &Node, at: &Path, new: &Value) -> Option<Vec<Op>> {
    let mut whole = value.clone();
    let old = meant::at_path(&mut whole, at)?;
    let inside = |step: Step| {
        let mut path = at.clone();
        path.push(step);
        path
    };
    let mut ops = Vec::new();
    match (&node.shape, &*old, new) {
        (Shape::Map(_), Value::Object(old), Value::Object(new)) if !old.is_empty() && !new.is_empty() => {
            for (name, value) in new.iter().filter(|(name, value)| old.get(*name) != Some(value)) {
                ops.push(Op::Set {
                    at: inside(key(name)),
                    value: value.clone(),
                });
            }
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            ops.extend(gone.map(|name| Op::Unset { at: inside(key(name)) }));
        }
        (Shape::List(_), Value::Array(old), Value::Array(new)) if !old.is_empty() && !new.is_empty() => {
            for (index, (_, value)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
                ops.push(Op::Set {
                    at: inside(Step::Item(index)),
                    value: value.clone(),
                });
            }
            for (index, value) in new.iter().enumerate().skip(old.len()) {
                ops.push(Op::Insert {
                    at: inside(Step::Item(index)),
                    content: value.clone().into(),
                });
            }
            for index in (new.len()..old.len()).rev() {
                ops.push(Op::Remove {
                    at: inside(Step::Item(index)),
                });
            }
        }
        _ => return None,
    }
    Some(ops)
}

fn unset(doc: &Doc<'_>, value: &Value, walk: &Walk<'_>, at: &Path) -> Result<Plan, Message> {
    let (Some(last), Some((group, index))) = (at.last(), walk.slots.last()) else {
        return Ok(Plan::Patches(Vec::new()));
    };
    match walk.end {
        End::Here => {
            walk.may_change(doc)?;
            may_go(doc, walk.last())?;
            // What `<<` brings would show again.
            let merged = merged_below(group, last);
            if merged {
                return without_merge(doc, value, &at[..at.len() - 1], last, group);
            }
            let holder = Holder::of(walk, walk.depth() - 1);
            Ok(Plan::Patches(if group.flow {
                flow::remove(doc, &holder, *index, Comments::Stay)
            } else {
                block::remove(doc, &holder, *index, Comments::Stay)
                    .ok_or_else(|| form(doc, group.slots[*index].start))?
            }))
        }
        End::Merged if walk.depth() + 1 == at.len() => {
            walk.may_change(doc)?;
            match walk.last().group() {
                Some(group) => without_merge(doc, value, &at[..at.len() - 1], last, group),
                None => Ok(Plan::Patches(Vec::new())),
            }
        }
        End::Missing | End::Merged | End::Other | End::Alias => Ok(Plan::Patches(Vec::new())),
    }
}

fn merged_below(group: &Group, last: &Step) -> bool {
    let is_merge = matches!(last, Step::Key(name, _) if name == "<<");
    !is_merge && group.slots.iter().any(|slot| slot.key.as_deref() == Some("<<"))
}

/// Writes out what `<<` brings, all but one key.
fn without_merge(doc: &Doc<'_>, value: &Value, mapping: &[Step], gone: &Step, group: &Group) -> Result<Plan, Message> {
    aliases::merge_may_go(doc, group)?;
    let mut whole = value.clone();
    let merged = match meant::at_path(&mut whole, mapping) {
        Some(Value::Object(map)) => map.clone(),
        Some(_) | None => return Err(DIFFERS.render_plain()),
    };
    let own = |name: &str| group.slots.iter().any(|slot| slot.key.as_deref() == Some(name));
    let inside = |step: Step| [mapping, &[step]].concat();
    let mut ops: Vec<Op> = merged
        .iter()
        .filter(|(name, _)| !own(name) && key(*name) != *gone)
        .map(|(name, value)| Op::Set {
            at: inside(key(name)),
            value: value.clone(),
        })
        .collect();
    ops.push(Op::Unset { at: inside(key("<<")) });
    if let Step::Key(name, _) = gone
        && own(name)
    {
        ops.push(Op::Unset {
            at: inside(gone.clone()),
        });
    }
    Ok(Plan::Instead(ops))
}

/// Whether the comments above a part go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// They belong to it.
    Go,
    /// They stay.
    Stay,
}

/// A list or mapping and how it is held.
pub(super) struct Holder<'d> {
    /// It.
    pub node: &'d Node,
    /// Begin of what holds it (its key, its dash) and behind that one's sign; `None` for the document's own value.
    pub sign: Option<(usize, usize)>,
}

impl<'d> Holder<'d> {
    pub fn of(walk: &Walk<'d>, depth: usize) -> Self {
        let above = depth.checked_sub(1).and_then(|above| walk.slots.get(above));
        Self {
            node: walk.nodes[depth],
            sign: above.map(|(group, index)| (group.slots[*index].start, group.slots[*index].sign_end)),
        }
    }

    /// Its parts.
    pub fn group(&self) -> Option<&'d Group> {
        self.node.group()
    }
}

fn insert(
    doc: &Doc<'_>,
    value: &Value,
    walk: &Walk<'_>,
    at: &Path,
    content: &Content,
    op: &Op,
) -> Result<Plan, Message> {
    let Some((last, above)) = at.split_last() else {
        return Err(DIFFERS.render_plain());
    };
    match walk.end {
        End::Here => put(doc, walk, last, content),
        // List and mapping are made on the way.
        End::Missing | End::Merged => {
            let mut whole = value.clone();
            if !meant::on(&mut whole, op) {
                return Err(not_there(doc, walk.last().range.start));
            }
            let made = meant::at_path(&mut whole, above)
                .cloned()
                .ok_or_else(|| DIFFERS.render_plain())?;
            if content.cut.is_none() {
                return set(doc, value, walk, &above.to_vec(), &made);
            }
            Ok(Plan::Instead(vec![empty(above, last), op.clone()]))
        }
        End::Alias | End::Other => Err(not_there(doc, walk.last().range.start)),
    }
}

/// That an empty list or mapping is made for what stands in it.
fn empty(path: &[Step], inside: &Step) -> Op {
    Op::Set {
        at: path.to_vec(),
        value: match inside {
            Step::Key(..) => Value::Object(serde_json::Map::new()),
            Step::Item(_) => Value::Array(Vec::new()),
        },
    }
}

/// Puts something into the list or mapping at the walk's end.
fn put(doc: &Doc<'_>, walk: &Walk<'_>, step: &Step, content: &Content) -> Result<Plan, Message> {
    walk.may_change(doc)?;
    let depth = walk.depth();
    let holder = Holder::of(walk, depth);
    let node = walk.last();
    // What is new stands behind the last part, or behind the sign of a list or mapping that has none.
    let parts = node.group().map(|group| group.slots.as_slice()).unwrap_or_default();
    let behind = match step {
        Step::Item(index) => parts.iter().take(*index).next_back(),
        Step::Key(..) => parts.last(),
    };
    let behind = behind.map_or(node.start(), Slot::end);
    let style = Style::of(doc).at(doc, behind);
    let fits = match (&node.shape, step) {
        (Shape::List(group), Step::Item(index)) => *index <= group.slots.len(),
        (Shape::Map(_), Step::Key(..)) | (Shape::Absent, _) => true,
        (Shape::Scalar(_), _) => crate::yaml::resolve(&doc.text[node.range.clone()]).is_null(),
        (Shape::List(_) | Shape::Map(_) | Shape::Block(_) | Shape::Alias(_), _) => false,
    };
    if !fits {
        return Err(not_there(doc, node.range.start));
    }
    // Comments between brackets keep the brackets.
    let commented = node.group().is_some_and(|group| group.flow) && doc.has_comment(node.range.clone());
    let inside_brackets = doc.format == Format::Json || walk.in_flow(depth) || commented;
    let patches = match node.group() {
        Some(group) if !group.slots.is_empty() && group.flow => flow::insert(doc, &style, &holder, step, content),
        Some(group) if !group.slots.is_empty() => block::insert(doc, &style, group, step, content),
        Some(_) | None if inside_brackets => flow::first(doc, &style, &holder, step, content),
        Some(_) | None => block::first(doc, &style, &holder, step, content),
    };
    patches.map(Plan::Patches).ok_or_else(|| form(doc, node.range.start))
}

fn remove(doc: &Doc<'_>, value: &Value, walk: &Walk<'_>, at: &Path, op: &Op) -> Result<Plan, Message> {
    let Some((last, above)) = at.split_last() else {
        return Err(DIFFERS.render_plain());
    };
    let full = Walk::along(walk.nodes[0], at);
    match full.end {
        End::Here => {}
        End::Alias => return written_out(value, &at[..full.depth()], op),
        End::Missing | End::Merged | End::Other => return Err(not_there(doc, walk.last().range.start)),
    }
    walk.may_change(doc)?;
    may_go(doc, full.last())?;
    let Some((group, index)) = full.slots.last() else {
        return Err(form(doc, full.last().range.start));
    };
    if merged_below(group, last) && matches!(last, Step::Key(..)) {
        return without_merge(doc, value, above, last, group);
    }
    let holder = Holder::of(&full, full.depth() - 1);
    let patches = if group.odd || group.slots[*index].odd {
        None
    } else if group.flow {
        Some(flow::remove(doc, &holder, *index, Comments::Go))
    } else {
        block::remove(doc, &holder, *index, Comments::Go)
    };
    patches
        .map(Plan::Patches)
        .ok_or_else(|| form(doc, group.slots[*index].start))
}

fn rename(doc: &Doc<'_>, walk: &Walk<'_>, to: &str) -> Result<Plan, Message> {
    walk.may_change(doc)?;
    match walk.slots.last() {
        Some((group, index)) if walk.end == End::Here && group.slots[*index].key.is_some() => {
            let slot = &group.slots[*index];
            let name = write::key(&Style::of(doc), to);
            Ok(Plan::Patches(vec![Patch::new(slot.start..slot.key_end, name)]))
        }
        Some(_) | None => Err(not_there(doc, walk.last().range.start)),
    }
}

fn shift(doc: &Doc<'_>, walk: &Walk<'_>, from: usize, to: usize) -> Result<Plan, Message> {
    walk.may_change(doc)?;
    let list = walk.last();
    let Shape::List(group) = &list.shape else {
        return Err(not_there(doc, list.range.start));
    };
    if walk.end != End::Here || from.max(to) >= group.slots.len() {
        return Err(not_there(doc, list.range.start));
    }
    let patches = if group.flow {
        flow::shift(doc, &Style::of(doc).at(doc, group.slots[from].start), group, from, to)
    } else {
        block::shift(doc, group, from, to)
    };
    patches.map(Plan::Patches).ok_or_else(|| form(doc, list.range.start))
}
