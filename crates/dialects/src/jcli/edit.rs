//! Edits `hooks.yaml` (`CONTRACTS.md` §2.7): lists of hooks.

use super::events::CARD;
use crate::event_list::{EventLists, ListItems};

hookwright_model::messages! {
    /// j-cli's file has no field that switches a hook off.
    NO_SWITCH = "edit_no_switch" { "the file of j-cli cannot switch a hook off: every hook in it runs", "j-cli 的文件无法关闭 Hook：其中的 Hook 都会执行" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
}

/// How the hooks are arranged in the file.
pub(super) const LISTS: EventLists = EventLists {
    card: &CARD,
    section: None,
    items: ListItems::Hooks,
    takes: |tree, layer| tree.root.layer == layer.as_layer(),
    no_switch: NO_SWITCH,
    locked: |_| None,
};
