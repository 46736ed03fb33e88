//! Edits settings files (`CONTRACTS.md` §2.7): lists of groups.

use hookwright_model::{SourceTree, TargetLayer};

use super::events::CARD;
use super::settings::id_part;
use crate::event_list::{EventLists, ListItems};

hookwright_model::messages! {
    /// Qoder's settings have no field that switches one hook off.
    NO_SWITCH = "edit_no_switch" / "qoder" { "the settings of Qoder cannot switch a single hook off", "Qoder 的设置无法关闭单个 Hook" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
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
    let is_local = id_part(&tree.root.path) == "local";
    tree.root.layer == layer.as_layer()
        && tree.root.path.extension().is_some_and(|ending| ending == "json")
        && is_local == (layer == TargetLayer::Local)
}
