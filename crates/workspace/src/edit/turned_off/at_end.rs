//! A hook that cannot be put back in its place: it is added after the others of its list, with its comments.

use std::ops::Range;

use hookwright_model::{EditRequest, Former, Layer, Message, TargetLayer};
use similar::{DiffTag, TextDiff};

use super::super::commit::CheckedEdit;
use super::super::messages::DIFFERS_FROM_PLAN;
use super::super::user_files::FileTransaction;
use super::on::Planner;
use super::text_taken_out;

/// A way to add the hook.
pub(super) struct Addition {
    pub transaction: FileTransaction,
    /// The comments that it does not contain.
    pub lost_comments: Vec<String>,
}

/// The ways to add the hook, the best first: as it was written, with the comments above it, or only its definition.
pub(super) fn additions(planner: &Planner<'_>) -> Result<Vec<Addition>, Message> {
    let plain = planned_addition(planner)?;
    let path = &planner.stored.path;
    let text_taken = text_taken_out(planner.stored);
    let comments = comments(&text_taken);
    let mut ways = Vec::new();
    let file = plain.files.iter().position(|file| file.path == *path);
    if let Some(index) = file {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let now = plain.files[index]
            .before
            .as_ref()
            .and_then(|content| text(&content.bytes));
        let added = plain.files[index]
            .after
            .as_ref()
            .and_then(|content| text(&content.bytes));
        let (now, added) = (now.unwrap_or_default(), added.unwrap_or_default());
        let is_yaml = path
            .extension()
            .is_some_and(|ending| ending == "yaml" || ending == "yml");
        let own = is_yaml.then(|| as_written(&now, &added, &text_taken)).flatten();
        let commented = with_comments_above(&now, &added, &text_taken);
        for text in own.into_iter().chain(commented) {
            let mut transaction = plain.clone();
            let lost = comments.iter().filter(|comment| !text.contains(comment.as_str()));
            let lost_comments = lost.cloned().collect();
            if let Some(content) = transaction.files.get_mut(index).and_then(|file| file.after.as_mut()) {
                content.bytes = text.into_bytes();
            }
            ways.push(Addition {
                transaction,
                lost_comments,
            });
        }
    }
    ways.push(Addition {
        transaction: plain,
        lost_comments: comments,
    });
    Ok(ways)
}

/// What `add` of this definition changes in the hook's own file.
fn planned_addition(planner: &Planner<'_>) -> Result<FileTransaction, Message> {
    let Planner {
        workspace,
        before,
        stored,
        dialect,
        ..
    } = planner;
    let layers: &[TargetLayer] = match stored.layer {
        Layer::User => &[TargetLayer::User],
        Layer::Project => &[TargetLayer::Project, TargetLayer::Local],
        Layer::Skill => &[TargetLayer::Skill],
        Layer::Builtin | Layer::Session => &[],
    };
    let mut reason = DIFFERS_FROM_PLAN.render_plain();
    let known = dialect.card().edit_support.target_layers;
    for layer in layers.iter().filter(|layer| known.contains(layer)) {
        let request = EditRequest::Add {
            event: stored.events.first().cloned().unwrap_or_default(),
            layer: *layer,
            definition: stored.addition.clone().unwrap_or_default(),
        };
        match CheckedEdit::of_request(workspace, before, dialect.card().id, &request, &Former::new()) {
            Ok(planned) if planned.transaction.files.iter().any(|file| file.path == stored.path) => {
                return Ok(planned.transaction);
            }
            Ok(_) => {}
            Err(message) => reason = message,
        }
    }
    Err(reason)
}

/// The comments of a text: whole lines, and the ends of lines.
fn comments(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let line = line.trim();
        if line.starts_with('#') || line.starts_with("//") {
            return Some(line.to_owned());
        }
        let start = line.find(" #").or_else(|| line.find(" //"))?;
        Some(line[start..].trim().to_owned())
    };
    text.lines().filter_map(of_line).collect()
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}

/// The new text with the comment lines above the new definition.
fn with_comments_above(now: &str, added: &str, taken: &str) -> Option<String> {
    let above: Vec<&str> = taken.lines().take_while(|line| is_comment(line)).collect();
    if above.is_empty() {
        return None;
    }
    let lines: Vec<&str> = added.split_inclusive('\n').collect();
    let start = item(now, &lines)?.start;
    let first = lines.get(start)?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let ending = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let above: String = above
        .iter()
        .map(|line| format!("{indent}{}{ending}", line.trim()))
        .collect();
    Some(lines[..start].concat() + &above + &lines[start..].concat())
}

/// The new text with the lines as they were written, instead of the new definition.
fn as_written(now: &str, added: &str, taken: &str) -> Option<String> {
    let lines: Vec<&str> = added.split_inclusive('\n').collect();
    let place = item(now, &lines)?;
    let own: Vec<&str> = taken.lines().collect();
    // The key of a list that became empty is not part of the definition.
    let dash = own.iter().position(|line| line.trim_start().starts_with("- "))?;
    let above = own[..dash].iter().rev().take_while(|line| is_comment(line)).count();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let (was, is) = (indent(own[dash]), indent(lines.get(place.start)?));
    let ending = if lines.get(place.start)?.ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let shifted = own[dash - above..].iter().map(|line| {
        let blank = line.trim().is_empty();
        let depth = if is_comment(line) { was.min(indent(line)) } else { was };
        let rest = if blank {
            ""
        } else {
            line.get(depth.min(indent(line))..).unwrap_or_default()
        };
        let lead = if blank { 0 } else { is };
        format!("{}{rest}{ending}", " ".repeat(lead))
    });
    let shifted: String = shifted.collect();
    Some(lines[..place.start].concat() + shifted.trim_end_matches(['\r', '\n']) + ending + &lines[place.end..].concat())
}

/// The lines of the new definition, from the one that begins it.
fn item(now: &str, added: &[&str]) -> Option<Range<usize>> {
    let old: Vec<&str> = now.split_inclusive('\n').collect();
    let diff = TextDiff::from_slices(&old, added);
    let inserted = diff
        .ops()
        .iter()
        .filter(|op| op.tag() != DiffTag::Equal && !op.new_range().is_empty());
    let whole = inserted
        .map(|op| op.new_range())
        .reduce(|one, other| one.start..other.end)?;
    let begins = |line: &&str| line.trim_start().starts_with(['-', '{']);
    let first = added.get(whole.clone())?.iter().position(begins)?;
    Some(whole.start + first..whole.end)
}
