//! Writes a folder with `HOOK.md` and a script for each hook.

use std::path::Path;

use serde_json::{Map, Value};

use super::portable::{FileOrigin, HookAction, PortableHook, plain_file, script_file};
use super::write_jcli::yaml;
use super::{HookSystem, LossReport, NewFile};

const FOLDER: &str = ".agents/hooks";
const USUAL_TIMEOUT_MS: u128 = 30_000;

/// The files of these hooks.
pub fn write(hooks: &[PortableHook], report: &mut LossReport) -> Vec<NewFile> {
    let from = report.from.card().name;
    hooks.iter().flat_map(|hook| hook_files(hook, from)).collect()
}

fn hook_files(hook: &PortableHook, from: &str) -> Vec<NewFile> {
    let folder = Path::new(FOLDER).join(&hook.name);
    let hook_file = format!("---\n{}---\n", yaml(front_matter(hook, from)));
    let mut files = vec![plain_file(folder.join("HOOK.md"), hook_file)];
    if let (HookAction::Script(_), FileOrigin::HookFolder) = (&hook.action, hook.origin) {
        files.extend(hook.files.iter().map(|file| NewFile {
            path: folder.join(&file.path),
            bytes: file.bytes.clone(),
            mode: file.mode,
        }));
        return files;
    }
    let command = hook.shell_command(HookSystem::AgentHooks);
    files.push(script_file(
        folder.join("scripts/run"),
        format!("#!/bin/sh\n{command}\n"),
    ));
    files
}

fn front_matter(hook: &PortableHook, from: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let description = hook
        .description
        .clone()
        .unwrap_or_else(|| format!("Converted from {from} ({})", hook.id));
    fields.insert("name".to_owned(), hook.name.as_str().into());
    fields.insert("description".to_owned(), description.into());
    fields.insert("trigger".to_owned(), hook.event.as_str().into());
    if let Some(pattern) = hook.tools.to_found_pattern() {
        fields.insert("matcher".to_owned(), serde_json::json!({ "tool": pattern }));
    }
    let millis = hook.timeout.as_millis();
    if millis != 0 && millis != USUAL_TIMEOUT_MS {
        fields.insert("timeout".to_owned(), u64::try_from(millis).unwrap_or(u64::MAX).into());
    }
    if hook.detached {
        fields.insert("async".to_owned(), true.into());
    }
    if let Some(priority) = hook.priority {
        fields.insert("priority".to_owned(), priority.into());
    }
    fields
}
