//! Turns an operation into patches, by the way in which its target is written: block, flow, table, alias or merge.

use hookwright_model::Message;
use serde_json::Value;

use super::tree::{Collection, Doc, Element, NodeShape, SpanNode};
use super::walk::{PathWalk, WalkEnd, check_removable, form_message, not_there_message};
use super::{
    DIFFERS, Format, NewValue, Op, Path, PathStep, TextPatch, aliases, apply_patches, block, flow, key, parse_doc,
    semantics, tables, write,
};

/// Limit for operations that are replaced by other operations again and again. No real edit nests them deeper.
const MAX_DEPTH: usize = 100;

/// How an operation is done.
enum Plan {
    /// By these patches.
    Patches(Vec<TextPatch>),
    /// By these operations instead.
    Operations(Vec<Op>),
}

/// Applies one operation. `value` is the value of the text. `depth` is the number of operations that this one replaces.
pub(super) fn run(format: Format, text: &str, value: &Value, op: &Op, depth: usize) -> Result<String, Message> {
    if depth > MAX_DEPTH {
        return Err(DIFFERS.render_plain());
    }
    let doc = parse_doc(format, text).ok_or_else(|| DIFFERS.render_plain())?;
    match plan(&doc, value, op)? {
        Plan::Patches(patches) => apply_patches(text, patches).ok_or_else(|| DIFFERS.render_plain()),
        Plan::Operations(ops) => {
            let mut text = text.to_owned();
            for op in &ops {
                let value = super::parse_value(format, &text)?;
                text = run(format, &text, &value, op, depth + 1)?;
            }
            Ok(text)
        }
    }
}

/// The patches of an operation that replaces a value in its place; `None` for any other operation.
pub(super) fn replacement(doc: &Doc<'_>, value: &Value, op: &Op) -> Option<Vec<TextPatch>> {
    match (op, plan(doc, value, op)) {
        (Op::Set { at, .. }, Ok(Plan::Patches(patches))) if super::find(value, at).is_some() => Some(patches),
        (_, _) => None,
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
        // A text without a value, or with only `null`, gets its first value.
        nothing => return first_value(doc, nothing.as_ref(), op, at),
    };
    let walk = PathWalk::along(root, above);
    let fills = matches!(op, Op::Insert { .. } | Op::Move { .. });
    let alias = matches!(walk.last().shape, NodeShape::Alias(_));
    if walk.end == WalkEnd::Alias || (fills && alias && walk.end == WalkEnd::Reached) {
        return write_out_alias(value, &at[..walk.depth()], op);
    }
    match op {
        Op::Set { at, value: new } => set(doc, value, &walk, at, new),
        Op::Unset { at } => unset(doc, value, &walk, at),
        Op::Insert { at, content } => insert(doc, value, &walk, at, content, op),
        Op::Remove { at } => remove(doc, value, &walk, at, op),
        Op::Rename { to, .. } => rename(doc, &walk, to),
        Op::Move { list, from, to } => match aliases::prepare_move(doc, value, &walk, list, *from, *to)? {
            Some(mut ops) => {
                ops.push(op.clone());
                Ok(Plan::Operations(ops))
            }
            None => move_item(doc, &walk, *from, *to),
        },
    }
}

fn is_null(doc: &Doc<'_>, node: &SpanNode) -> bool {
    matches!(node.shape, NodeShape::Scalar(_)) && crate::yaml::resolve(&doc.text[node.range.clone()]).is_null()
}

/// Writes the first value of a text that has none. `null` is the node of a written `null`, which is replaced.
fn first_value(doc: &Doc<'_>, null: Option<&SpanNode>, op: &Op, at: &[PathStep]) -> Result<Plan, Message> {
    let mut value = Value::Null;
    if !semantics::apply(&mut value, op) || at.is_empty() {
        return Err(not_there_message(doc, 0));
    }
    if let (Op::Insert { content, .. }, Some((last, above))) = (op, at.split_last())
        && content.fragment.is_some()
        && !above.is_empty()
    {
        return Ok(Plan::Operations(vec![empty_collection(above, last), op.clone()]));
    }
    let style = doc.style();
    let text = match doc.format {
        Format::Json => write::json(&style, &value, ""),
        Format::Yaml | Format::Toml => write::document(&style, &value),
    };
    if let Some(null) = null {
        return Ok(Plan::Patches(vec![TextPatch::new(null.range.clone(), text.trim_end())]));
    }
    let ends = doc.text.is_empty() || doc.text.ends_with('\n');
    let before = if ends { "" } else { style.eol };
    Ok(Plan::Patches(vec![TextPatch::insert(
        doc.text.len(),
        format!("{before}{text}{}", style.eol),
    )]))
}

/// For a change inside an aliased value, the alias is replaced by a copy of the value with this change.
fn write_out_alias(value: &Value, alias: &[PathStep], op: &Op) -> Result<Plan, Message> {
    let mut whole = value.clone();
    if !semantics::apply(&mut whole, op) {
        return Err(DIFFERS.render_plain());
    }
    let changed = semantics::value_at(&mut whole, alias).ok_or_else(|| DIFFERS.render_plain())?;
    Ok(Plan::Operations(vec![Op::Set {
        at: alias.to_vec(),
        value: changed.clone(),
    }]))
}

fn set(doc: &Doc<'_>, value: &Value, walk: &PathWalk<'_>, at: &Path, new: &Value) -> Result<Plan, Message> {
    let depth = walk.depth();
    match walk.end {
        WalkEnd::Reached => {
            walk.check_changeable(doc)?;
            check_removable(doc, walk.last())?;
            if let Some(ops) = partial_ops(value, walk.last(), at, new) {
                return Ok(Plan::Operations(ops));
            }
            let Some((group, index)) = walk.elements.last() else {
                return Err(form_message(doc, walk.last().range.start));
            };
            let slot = &group.elements[*index];
            let style = doc.style().with_eol_at(doc, slot.start);
            if tables::is_table(doc, &slot.node) {
                // Another value than a table is a line of the table above.
                let is_named = slot.key.is_some();
                let ops = || {
                    let (at, value) = (at.clone(), new.clone());
                    vec![Op::Unset { at: at.clone() }, Op::Set { at, value }]
                };
                return is_named
                    .then(|| Plan::Operations(ops()))
                    .ok_or_else(|| form_message(doc, slot.start));
            }
            Ok(Plan::Patches(if walk.in_flow(depth) || doc.format == Format::Toml {
                flow::replace(doc, &style, slot, new)
            } else {
                block::replace(doc, &style, slot, new)
            }))
        }
        WalkEnd::Missing | WalkEnd::Merged => {
            let mut whole = value.clone();
            let here = &at[..=depth];
            let in_merged = walk.end == WalkEnd::Merged && semantics::value_at(&mut whole, here).is_some();
            let wrapped = if in_merged {
                let op = Op::Set {
                    at: at.clone(),
                    value: new.clone(),
                };
                semantics::apply(&mut whole, &op);
                semantics::value_at(&mut whole, here).cloned().unwrap_or(Value::Null)
            } else {
                at[depth + 1..]
                    .iter()
                    .rev()
                    .try_fold(new.clone(), wrap)
                    .ok_or_else(|| not_there_message(doc, walk.last().range.start))?
            };
            let walk = PathWalk {
                end: WalkEnd::Reached,
                nodes: walk.nodes.clone(),
                elements: walk.elements.clone(),
            };
            insert_value(doc, &walk, &at[depth], &NewValue::from(wrapped))
        }
        WalkEnd::Alias | WalkEnd::WrongKind => Err(not_there_message(doc, walk.last().range.start)),
    }
}

fn wrap(inner: Value, step: &PathStep) -> Option<Value> {
    match step {
        PathStep::Key(name, _) => Some(Value::Object([(name.clone(), inner)].into_iter().collect())),
        PathStep::Item(_) => None,
    }
}

/// Operations that turn a mapping into another mapping, or a list into another list. What both have stays, with its
/// comments.
fn partial_ops(value: &Value, node: &SpanNode, at: &Path, new: &Value) -> Option<Vec<Op>> {
    let mut whole = value.clone();
    let old = semantics::value_at(&mut whole, at)?;
    let inside = |step: PathStep| {
        let mut path = at.clone();
        path.push(step);
        path
    };
    let mut ops = Vec::new();
    match (&node.shape, &*old, new) {
        (NodeShape::Map(_), Value::Object(old), Value::Object(new)) if !old.is_empty() && !new.is_empty() => {
            for (name, value) in new.iter().filter(|(name, value)| old.get(*name) != Some(value)) {
                ops.push(Op::Set {
                    at: inside(key(name)),
                    value: value.clone(),
                });
            }
            let removed = old.keys().filter(|name| !new.contains_key(*name));
            ops.extend(removed.map(|name| Op::Unset { at: inside(key(name)) }));
        }
        (NodeShape::List(_), Value::Array(old), Value::Array(new)) if !old.is_empty() && !new.is_empty() => {
            for (index, (_, value)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
                ops.push(Op::Set {
                    at: inside(PathStep::Item(index)),
                    value: value.clone(),
                });
            }
            for (index, value) in new.iter().enumerate().skip(old.len()) {
                ops.push(Op::Insert {
                    at: inside(PathStep::Item(index)),
                    content: value.clone().into(),
                });
            }
            for index in (new.len()..old.len()).rev() {
                ops.push(Op::Remove {
                    at: inside(PathStep::Item(index)),
                });
            }
        }
        _ => return None,
    }
    Some(ops)
}

fn unset(doc: &Doc<'_>, value: &Value, walk: &PathWalk<'_>, at: &Path) -> Result<Plan, Message> {
    let (Some(last), Some((group, index))) = (at.last(), walk.elements.last()) else {
        return Ok(Plan::Patches(Vec::new()));
    };
    match walk.end {
        WalkEnd::Reached => {
            walk.check_changeable(doc)?;
            check_removable(doc, walk.last())?;
            // Without the key, the one that `<<` merges would appear instead.
            let merged = has_merge_key(group, last);
            if merged {
                return write_out_merge(doc, value, &at[..at.len() - 1], last, group);
            }
            let holder = CollectionSite::at_depth(walk, walk.depth() - 1);
            remove_element(doc, &holder, group, *index, CommentHandling::Keep)
        }
        WalkEnd::Merged if walk.depth() + 1 == at.len() => {
            walk.check_changeable(doc)?;
            match walk.last().collection() {
                Some(group) => write_out_merge(doc, value, &at[..at.len() - 1], last, group),
                None => Ok(Plan::Patches(Vec::new())),
            }
        }
        WalkEnd::Missing | WalkEnd::Merged | WalkEnd::WrongKind | WalkEnd::Alias => Ok(Plan::Patches(Vec::new())),
    }
}

fn has_merge_key(group: &Collection, last: &PathStep) -> bool {
    let is_merge = matches!(last, PathStep::Key(name, _) if name == "<<");
    !is_merge && group.elements.iter().any(|slot| slot.key.as_deref() == Some("<<"))
}

/// Replaces `<<` by the keys that it merges, except for one removed key.
fn write_out_merge(
    doc: &Doc<'_>,
    value: &Value,
    mapping: &[PathStep],
    removed: &PathStep,
    group: &Collection,
) -> Result<Plan, Message> {
    aliases::check_merge_removable(doc, group)?;
    let mut whole = value.clone();
    let merged = match semantics::value_at(&mut whole, mapping) {
        Some(Value::Object(map)) => map.clone(),
        Some(_) | None => return Err(DIFFERS.render_plain()),
    };
    let is_own_key = |name: &str| group.elements.iter().any(|slot| slot.key.as_deref() == Some(name));
    let inside = |step: PathStep| [mapping, &[step]].concat();
    let mut ops: Vec<Op> = merged
        .iter()
        .filter(|(name, _)| !is_own_key(name) && key(*name) != *removed)
        .map(|(name, value)| Op::Set {
            at: inside(key(name)),
            value: value.clone(),
        })
        .collect();
    ops.push(Op::Unset { at: inside(key("<<")) });
    if let PathStep::Key(name, _) = removed
        && is_own_key(name)
    {
        ops.push(Op::Unset {
            at: inside(removed.clone()),
        });
    }
    Ok(Plan::Operations(ops))
}

/// Whether the comments above an element are removed with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentHandling {
    /// The comments belong to the element and are removed.
    Remove,
    /// The comments stay.
    Keep,
}

/// A list or mapping, and the key or dash that it belongs to.
pub(super) struct CollectionSite<'d> {
    pub node: &'d SpanNode,
    /// Start of the parent element (its key or dash), and the byte behind its colon or dash. `None` for the root value.
    pub character: Option<(usize, usize)>,
}

impl<'d> CollectionSite<'d> {
    pub fn at_depth(walk: &PathWalk<'d>, depth: usize) -> Self {
        let above = depth.checked_sub(1).and_then(|above| walk.elements.get(above));
        Self {
            node: walk.nodes[depth],
            character: above.map(|(group, index)| (group.elements[*index].start, group.elements[*index].sign_end)),
        }
    }

    pub fn group(&self) -> Option<&'d Collection> {
        self.node.collection()
    }
}

fn insert(
    doc: &Doc<'_>,
    value: &Value,
    walk: &PathWalk<'_>,
    at: &Path,
    content: &NewValue,
    op: &Op,
) -> Result<Plan, Message> {
    let Some((last, above)) = at.split_last() else {
        return Err(DIFFERS.render_plain());
    };
    match walk.end {
        WalkEnd::Reached => insert_value(doc, walk, last, content),
        WalkEnd::Missing if content.fragment.is_some() && tables::is_table(doc, walk.last()) => {
            let style = doc.style().with_eol_at(doc, walk.last().end());
            let patches = tables::insert_list(doc, &style, walk, &above[walk.depth()..], content);
            patches
                .map(Plan::Patches)
                .ok_or_else(|| form_message(doc, walk.last().range.start))
        }
        // The missing list or mapping is created first.
        WalkEnd::Missing | WalkEnd::Merged => {
            let mut whole = value.clone();
            if !semantics::apply(&mut whole, op) {
                return Err(not_there_message(doc, walk.last().range.start));
            }
            let made = semantics::value_at(&mut whole, above)
                .cloned()
                .ok_or_else(|| DIFFERS.render_plain())?;
            if content.fragment.is_none() {
                return set(doc, value, walk, &above.to_vec(), &made);
            }
            Ok(Plan::Operations(vec![empty_collection(above, last), op.clone()]))
        }
        WalkEnd::Alias | WalkEnd::WrongKind => Err(not_there_message(doc, walk.last().range.start)),
    }
}

/// The operation that creates an empty list or mapping for a new element.
fn empty_collection(path: &[PathStep], inside: &PathStep) -> Op {
    Op::Set {
        at: path.to_vec(),
        value: match inside {
            PathStep::Key(..) => Value::Object(serde_json::Map::new()),
            PathStep::Item(_) => Value::Array(Vec::new()),
        },
    }
}

/// Inserts an element into the list or mapping at the end of the walk.
fn insert_value(doc: &Doc<'_>, walk: &PathWalk<'_>, step: &PathStep, content: &NewValue) -> Result<Plan, Message> {
    walk.check_changeable(doc)?;
    let depth = walk.depth();
    let holder = CollectionSite::at_depth(walk, depth);
    let node = walk.last();
    // The new element gets the line break of the line before it: of the element before it, or of the empty list or
    // mapping.
    let parts = node
        .collection()
        .map(|group| group.elements.as_slice())
        .unwrap_or_default();
    let behind = match step {
        PathStep::Item(index) => parts.iter().take(*index).next_back(),
        PathStep::Key(..) => parts.last(),
    };
    let behind = behind.map_or(node.start(), Element::end);
    let style = doc.style().with_eol_at(doc, behind);
    let fits = match (&node.shape, step) {
        (NodeShape::List(group), PathStep::Item(index)) => *index <= group.elements.len(),
        (NodeShape::Map(_), PathStep::Key(..)) | (NodeShape::Absent, _) => true,
        (NodeShape::Scalar(_), _) => crate::yaml::resolve(&doc.text[node.range.clone()]).is_null(),
        (NodeShape::List(_) | NodeShape::Map(_) | NodeShape::Block(_) | NodeShape::Alias(_), _) => false,
    };
    if !fits {
        return Err(not_there_message(doc, node.range.start));
    }
    // A list or mapping with comments in its brackets keeps the brackets.
    let has_comments = node.collection().is_some_and(|group| group.flow) && doc.has_comment(node.range.clone());
    let inside_brackets = doc.format == Format::Json || walk.in_flow(depth) || has_comments;
    let patches = match node.collection() {
        Some(group) if doc.format == Format::Toml && !group.flow => tables::insert(doc, &style, walk, step, content),
        Some(group) if group.elements.is_empty() && tables::begins_list(doc, walk, step, content) => {
            tables::first_item(&style, walk, content)
        }
        Some(group) if !group.elements.is_empty() && group.flow => flow::insert(doc, &style, &holder, step, content),
        Some(group) if !group.elements.is_empty() => block::insert(doc, &style, group, step, content),
        Some(_) | None if inside_brackets => flow::insert_first(doc, &style, &holder, step, content),
        Some(_) | None => block::insert_first(doc, &style, &holder, step, content),
    };
    patches
        .map(Plan::Patches)
        .ok_or_else(|| form_message(doc, node.range.start))
}

fn remove(doc: &Doc<'_>, value: &Value, walk: &PathWalk<'_>, at: &Path, op: &Op) -> Result<Plan, Message> {
    let Some((last, above)) = at.split_last() else {
        return Err(DIFFERS.render_plain());
    };
    let full = PathWalk::along(walk.nodes[0], at);
    match full.end {
        WalkEnd::Reached => {}
        WalkEnd::Alias => return write_out_alias(value, &at[..full.depth()], op),
        WalkEnd::Missing | WalkEnd::Merged | WalkEnd::WrongKind => {
            return Err(not_there_message(doc, walk.last().range.start));
        }
    }
    walk.check_changeable(doc)?;
    check_removable(doc, full.last())?;
    let Some((group, index)) = full.elements.last() else {
        return Err(form_message(doc, full.last().range.start));
    };
    if has_merge_key(group, last) && matches!(last, PathStep::Key(..)) {
        return write_out_merge(doc, value, above, last, group);
    }
    let holder = CollectionSite::at_depth(&full, full.depth() - 1);
    if group.read_only || group.elements[*index].read_only {
        return Err(form_message(doc, group.elements[*index].start));
    }
    remove_element(doc, &holder, group, *index, CommentHandling::Remove)
}

fn remove_element(
    doc: &Doc<'_>,
    holder: &CollectionSite<'_>,
    group: &Collection,
    index: usize,
    comments: CommentHandling,
) -> Result<Plan, Message> {
    let patches = if group.flow {
        Some(flow::remove(doc, holder, index, comments))
    } else if doc.format == Format::Toml {
        tables::remove(doc, group, index, comments)
    } else {
        block::remove(doc, holder, index, comments)
    };
    patches
        .map(Plan::Patches)
        .ok_or_else(|| form_message(doc, group.elements[index].start))
}

fn rename(doc: &Doc<'_>, walk: &PathWalk<'_>, to: &str) -> Result<Plan, Message> {
    walk.check_changeable(doc)?;
    match walk.elements.last() {
        Some((group, index)) if walk.end == WalkEnd::Reached && group.elements[*index].key.is_some() => {
            let slot = &group.elements[*index];
            let name = write::key_text(&doc.style(), to);
            Ok(Plan::Patches(vec![TextPatch::new(slot.start..slot.key_end, name)]))
        }
        Some(_) | None => Err(not_there_message(doc, walk.last().range.start)),
    }
}

fn move_item(doc: &Doc<'_>, walk: &PathWalk<'_>, from: usize, to: usize) -> Result<Plan, Message> {
    walk.check_changeable(doc)?;
    let list = walk.last();
    let NodeShape::List(group) = &list.shape else {
        return Err(not_there_message(doc, list.range.start));
    };
    if walk.end != WalkEnd::Reached || from.max(to) >= group.elements.len() {
        return Err(not_there_message(doc, list.range.start));
    }
    let patches = if group.flow {
        flow::move_item(
            doc,
            &doc.style().with_eol_at(doc, group.elements[from].start),
            group,
            from,
            to,
        )
    } else if doc.format == Format::Toml && !tables::are_whole(doc, group, from.min(to)..from.max(to) + 1) {
        None
    } else {
        block::move_item(doc, group, from, to)
    };
    patches
        .map(Plan::Patches)
        .ok_or_else(|| form_message(doc, list.range.start))
}
