//! Edits hook files (`codex.md` §15): lists of groups.

use hookwright_model::{SourceTree, TargetLayer};

use super::events::CARD;
use super::settings::is_toml;
use crate::event_list::{EventLists, ListItems};

hookwright_model::messages! {
    /// A hook in a file with settings, which is edited by hand.
    TOML = "edit_form" / "codex_toml" { "{hook} is in {path}:{line}, and Hookwright does not change this file", "{hook} 位于 {path}:{line}，Hookwright 不修改此文件" } hint { "edit the file by hand, or move the hook to hooks.json", "手工编辑该文件，或将 Hook 移到 hooks.json" };
    /// Codex has no switch for one hook in a hook file.
    NO_SWITCH = "edit_no_switch" / "codex" { "Codex cannot switch a single hook off in its hook file; `/hooks` in Codex does it", "Codex 无法在 Hook 文件中关闭单个 Hook；可在 Codex 中用 `/hooks` 关闭" } hint { "run `hookwright mute {hook}`, or `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright mute {hook}`，或执行 `hookwright turn-off {hook}` 将其移出文件并保留" };
}

/// How the hooks are arranged in a file.
pub(super) const LISTS: EventLists = EventLists {
    card: &CARD,
    section: Some("hooks"),
    items: ListItems::Groups,
    takes,
    no_switch: NO_SWITCH,
    locked: |path| is_toml(path).then_some(TOML),
};

fn takes(tree: &SourceTree, layer: TargetLayer) -> bool {
    tree.root.layer == layer.as_layer() && tree.root.above == 0 && !is_toml(&tree.root.path)
}
