//! Edits settings files (`claude-code.md` §14): lists of groups.

use hookwright_model::{RootKind, SourceTree, TargetLayer};

use super::events::CARD;
use super::places::{id_part, is_settings};
use crate::event_list::{EventLists, ListItems};

hookwright_model::messages! {
    /// Claude Code has no switch for one hook.
    NO_SWITCH = "edit_no_switch" / "claude" { "Claude Code cannot switch a single hook off; `disableAllHooks` is for all of them", "Claude Code 无法关闭单个 Hook；`disableAllHooks` 针对全部 Hook" } hint { "run `hookwright mute {hook}`, or `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright mute {hook}`，或执行 `hookwright turn-off {hook}` 将其移出文件并保留" };
}

/// How the hooks are arranged in the settings.
pub(super) const LISTS: EventLists = EventLists {
    card: &CARD,
    section: Some("hooks"),
    items: ListItems::Groups,
    takes,
    no_switch: NO_SWITCH,
    locked: |_| None,
};

fn takes(tree: &SourceTree, layer: TargetLayer) -> bool {
    let part = id_part(&tree.root.path);
    tree.root.reads == RootKind::File
        && is_settings(&tree.root.path)
        && tree.root.layer == layer.as_layer()
        && !tree.root.managed
        && (part == "local") == (layer == TargetLayer::Local)
}
