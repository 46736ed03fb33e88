//! The texts of a hook as they were approved, each beside the text as it is now.

use std::collections::BTreeMap;
use std::path::Path;

use hookwright_model::Hook;
use hookwright_workspace::trust::{Approval, HookContent};

use crate::app::App;
use crate::dto::{
    FilePair, HookRequest, MAX_SHOWN_BYTES, MissingText, OldFile, ReviewFile, ShownText, TextPair, TrustTextsDoc,
};
use crate::fault::Fault;
use crate::review::{hook_to_review, old_content, with_file_texts};

/// All texts of one reply together have at most this many bytes.
const MAX_REPLY_BYTES: usize = 8 << 20;

/// The command `trust.texts`: the approved and the present text of a hook's definition and of each covered file.
///
/// # Errors
/// The project has no such hook, or the hook needs no approval.
pub async fn trust_texts(app: &App, request: HookRequest) -> Result<TrustTextsDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    let trust = &app.workspace.trust;
    let hook = hook_to_review(app, &snapshot, &request.hook)?;
    trust.reload_if_changed();
    let (content, present) = with_file_texts(app, &hook);
    let mut doc = TrustTextsDoc {
        hook: hook.id.clone(),
        label: hook.label.clone(),
        trusted: trust.is_approved(&hook, &content),
        at: None,
        definition: unapproved(&hook.definition_text),
        inherited: unapproved(&hook.inherited_text),
        files: Vec::new(),
    };
    let approved = if doc.trusted {
        // The approved content is the present one.
        doc.at = trust
            .approval_of(&content)
            .map(|approval: Approval| approval.at.to_string());
        approve_as_present(&mut doc);
        present.iter().map(as_approved).collect()
    } else {
        let standing = trust.current_fingerprints(snapshot.reviewed().map(|hook| &**hook));
        approved_before(app, &hook, &content, &standing, &mut doc)
    };
    doc.files = file_pairs(approved, present);
    limit_texts(&mut doc.files);
    Ok(doc)
}

fn unapproved(present: &str) -> TextPair {
    TextPair {
        approved: None,
        present: present.to_owned(),
        changed: true,
    }
}

fn approve_as_present(doc: &mut TrustTextsDoc) {
    for pair in [&mut doc.definition, &mut doc.inherited] {
        pair.approved = Some(pair.present.clone());
        pair.changed = false;
    }
}

/// Enters the definition of the approval that is no longer in force. Returns its files; none without such an approval.
fn approved_before(
    app: &App,
    hook: &Hook,
    content: &HookContent,
    standing: &hookwright_workspace::trust::CurrentFingerprints,
    doc: &mut TrustTextsDoc,
) -> Vec<OldFile> {
    let Some(old) = old_content(app, hook, content, standing) else {
        return Vec::new();
    };
    doc.at = Some(old.at);
    for (pair, approved) in [
        (&mut doc.definition, old.definition),
        (&mut doc.inherited, old.inherited),
    ] {
        pair.changed = approved != pair.present;
        pair.approved = Some(approved);
    }
    old.files
}

fn as_approved(file: &ReviewFile) -> OldFile {
    OldFile {
        path: file.path.clone(),
        hash: file.hash.clone(),
        text: file.text.clone(),
    }
}

/// The files of both lists by their paths, each with both texts.
fn file_pairs(approved: Vec<OldFile>, present: Vec<ReviewFile>) -> Vec<FilePair> {
    let mut pairs: BTreeMap<String, FilePair> = BTreeMap::new();
    let mut pair = |path: &str, enter: &dyn Fn(&mut FilePair)| {
        enter(pairs.entry(path.to_owned()).or_insert_with(|| FilePair {
            path: path.to_owned(),
            approved: None,
            present: None,
            changed: true,
        }));
    };
    for file in approved {
        pair(&file.path, &|pair| pair.approved = Some(approved_text(&file)));
    }
    for file in present {
        pair(&file.path, &|pair| pair.present = Some(present_text(&file)));
    }
    let mut pairs: Vec<FilePair> = pairs.into_values().collect();
    for FilePair {
        approved,
        present,
        changed,
        ..
    } in &mut pairs
    {
        let (Some(approved), Some(present)) = (approved, present) else {
            continue;
        };
        *changed = approved.hash != present.hash;
        if !*changed && approved.text.is_none() {
            // The hash is the same, so the present text is the approved one.
            approved.clone_from(present);
        }
    }
    pairs
}

fn approved_text(file: &OldFile) -> ShownText {
    ShownText {
        hash: file.hash.clone(),
        missing: file.text.is_none().then_some(MissingText::NotKept),
        text: file.text.clone(),
    }
}

fn present_text(file: &ReviewFile) -> ShownText {
    let missing = match &file.text {
        Some(_) => None,
        None if file.size > MAX_SHOWN_BYTES => Some(MissingText::TooLarge),
        None => Some(MissingText::NotText),
    };
    ShownText {
        hash: file.hash.clone(),
        text: file.text.clone(),
        missing,
    }
}

/// Leaves out the texts that would make the reply larger than [`MAX_REPLY_BYTES`]. Files that changed come first.
fn limit_texts(pairs: &mut [FilePair]) {
    let mut left = MAX_REPLY_BYTES;
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&index| !pairs[index].changed);
    for index in order {
        let FilePair { approved, present, .. } = &mut pairs[index];
        for shown in [approved, present].into_iter().flatten() {
            let bytes = shown.text.as_ref().map_or(0, String::len);
            match left.checked_sub(bytes) {
                Some(rest) => left = rest,
                None => {
                    shown.text = None;
                    shown.missing = Some(MissingText::TooLarge);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<ShownText> {
        Some(ShownText {
            hash: String::new(),
            text: Some(text.to_owned()),
            missing: None,
        })
    }

    #[test]
    fn a_reply_keeps_the_texts_of_changed_files_and_leaves_out_what_is_too_much() {
        let large = "x".repeat(MAX_REPLY_BYTES / 2);
        let pair = |path: &str, changed| FilePair {
            path: path.to_owned(),
            approved: shown(&large),
            present: shown(&large),
            changed,
        };
        let mut pairs = [pair("a", false), pair("b", true)];
        limit_texts(&mut pairs);
        let texts = |pair: &FilePair| {
            [&pair.approved, &pair.present].map(|shown| shown.as_ref().is_some_and(|shown| shown.text.is_some()))
        };
        assert_eq!((texts(&pairs[0]), texts(&pairs[1])), ([false, false], [true, true]));
        let missing = pairs[0].present.as_ref().and_then(|shown| shown.missing);
        assert_eq!(missing, Some(MissingText::TooLarge));
    }
}
