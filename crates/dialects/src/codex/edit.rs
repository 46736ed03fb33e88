//! Edits hook files (`codex.md` §15): lists of groups.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::{
    AgentTrustChange, AgentTrustContext, EditContext, EditPlan, EditRequest, FileChange, HookChange, Message,
    MessageTemplate, SourceTree, TargetLayer, render,
};

use super::events::CARD;
use super::places::REQUIREMENTS;
use super::plugins::plugin_of;
use super::trust;
use crate::editing;
use crate::event_list::{EventLists, ListItems};

hookwright_model::messages! {
    /// A hook of an administrator.
    MANAGED = "edit_managed" { "{hook} is an administrator's, in {path}:{line}", "{hook} 由管理员设置，位于 {path}:{line}" } hint { "let the administrator of this machine change it", "由本机的管理员修改" };
    /// A hook of a plugin.
    PLUGIN = "edit_managed" / "codex_plugin" { "{hook} is a plugin's, in {path}:{line}: an update would overwrite the change", "{hook} 属于插件，位于 {path}:{line}：插件更新会覆盖更改" } hint { "change the plugin where it comes from, or switch the plugin off in Codex", "在插件的来源处修改，或在 Codex 中关闭该插件" };
    /// Codex has no switch for one hook in a hook file.
    NO_SWITCH = "edit_no_switch" / "codex" { "Codex cannot switch a single hook off in its hook file; `/hooks` in Codex does it", "Codex 无法在 Hook 文件中关闭单个 Hook；可在 Codex 中用 `/hooks` 关闭" } hint { "run `hookwright mute {hook}`, or `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright mute {hook}`，或执行 `hookwright turn-off {hook}` 将其移出文件并保留" };
}

/// How the hooks are arranged in a file.
pub(super) const LISTS: EventLists = EventLists {
    card: &CARD,
    section: Some("hooks"),
    items: ListItems::GroupsOfOne,
    takes,
    no_switch: NO_SWITCH,
    locked,
};

/// Makes the file changes of a request. The switch of a hook is in the user's `config.toml`, beside the agent's own trust.
///
/// # Errors
/// The reason why the edit cannot be made.
pub(super) fn edit(context: &EditContext<'_>, request: &EditRequest) -> Result<EditPlan, Message> {
    let EditRequest::Change { hook: id, changes } = request else {
        return editing::edit(&LISTS, context, request);
    };
    let (switches, others): (Vec<_>, Vec<_>) =
        (changes.iter().cloned()).partition(|change| matches!(change, HookChange::Enable | HookChange::Disable));
    let Some(switch) = switches.last() else {
        return editing::edit(&LISTS, context, request);
    };
    let request = EditRequest::Change {
        hook: id.clone(),
        changes: others,
    };
    let mut plan = editing::edit(&LISTS, context, &request)?;
    let (Some(hook), Some((file, at))) = (context.target, &plan.hook) else {
        return Ok(plan);
    };
    // The state has the place that the hook gets.
    let mut hook = hook.clone();
    hook.at.clone_from(at);
    hook.source.path.clone_from(file);
    if let Some(tree) = context.trees.iter().find(|tree| tree.root.path == *file) {
        hook.source.layer = tree.root.layer;
    }
    let planned = |path: &Path| -> Option<Arc<str>> {
        plan.files.iter().find_map(|change| {
            let FileChange::Write {
                path: written, text, ..
            } = change
            else {
                return None;
            };
            (written == path).then(|| Arc::from(text.as_str()))
        })
    };
    let trust_context = AgentTrustContext {
        locations: context.locations,
        text: &|path| planned(path).map_or_else(|| editing::text_in(context.trees, path), |text| Ok(Some(text))),
        real: context.real,
        is_dir: &|_| true,
    };
    let change = if matches!(switch, HookChange::Enable) {
        AgentTrustChange::SwitchOn
    } else {
        AgentTrustChange::SwitchOff
    };
    let switched = trust::change(&[&hook], change, &trust_context)?;
    if switched.keys.is_empty() {
        return Err(render!(NO_SWITCH, "hook" => id));
    }
    if let Some(FileChange::Write { path, text, kind }) = switched.file {
        plan.files
            .retain(|change| !matches!(change, FileChange::Write { path: written, .. } if *written == path));
        plan.path.clone_from(&path);
        plan.files.push(FileChange::Write { path, text, kind });
    }
    Ok(plan)
}

fn locked(path: &Path) -> Option<MessageTemplate> {
    if path == Path::new(REQUIREMENTS) {
        return Some(MANAGED);
    }
    plugin_of(path).map(|_| PLUGIN)
}

fn takes(tree: &SourceTree, layer: TargetLayer) -> bool {
    tree.root.layer == layer.as_layer() && tree.root.above == 0 && locked(&tree.root.path).is_none()
}
