//! Advice on the hooks of skills (`skill.md` §11). Problems of a single entry are reported where it is read.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{DisabledReason, Hook, LintContext, Message, Problem, args, render};
use serde_json::Value;

use super::config::{HOOKS_FILE, skill_name};
use super::events::{AFTER_TOOL_CALL, BEFORE_EACH_AGENT, CARD};
use super::wire::is_persistent;
use crate::misplaced::Search;
use crate::name_reach::may_be_tool;

/// The messages of the advice, in English and Chinese.
pub mod messages {
    hookwright_model::messages! {
        /// A persistent text that is inserted again at every step or call.
        PILES_UP_OFTEN = "piles_up" / "often" { "persistent at {timing}: one more copy stays each time, even within one request", "在 {timing} 持久化：每触发一次就多留一份，单次请求内就会堆积" } hint { "set `persistent` to false if the text is inserted again anyway", "若文本会再次插入，将 `persistent` 设为 false" };
        /// A persistent text that is inserted again with every request.
        PILES_UP = "piles_up" { "persistent: the front end sends the copy again, and every request adds one more", "持久化：前端会再次发送副本，每次请求都再多一份" } hint { "set `persistent` to false if the text is inserted again anyway", "若文本会再次插入，将 `persistent` 设为 false" };
        /// A text that is inserted after every call of every tool.
        TOO_WIDE = "too_wide" / "skill" { "inserted once for every call of every tool", "每个工具的每次调用都会插入" } hint { "name the relevant tools in `tool_filter`", "在 `tool_filter` 中写上相关的工具名" };
        /// A name in `tool_filter` that no tool can have.
        NEVER_MATCHES = "never_matches" / "skill" { "{written} is compared character by character, and no tool has such a name", "{written} 会逐字比较，没有工具叫这个名字" } hint { "remove the spaces around the name", "删除名称前后的空白" };
        /// A text in `tool_filter` that is no name of a tool.
        NO_NAME = "never_matches" / "skill_no_name" { "{written} is compared character by character, and no tool has such a name", "{written} 会逐字比较，没有工具叫这个名字" } hint { "write each name as an item: `[\"Bash\", \"Edit\"]`", "每个名称单独写成一项：`[\"Bash\", \"Edit\"]`" };
        /// A hook name that another enabled skill also uses.
        NAME_ELSEWHERE = "duplicate_name" / "skill_other" { "the skill {other} also has a hook `{name}`", "Skill {other} 也有 Hook `{name}`" } hint { "rename one of the two: the front end cannot distinguish their copies", "给其中一个改名：前端无法区分它们的副本" };
    }
}

/// All advice on valid hooks that are not shadowed.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let in_use = |hook: &&Arc<Hook>| {
        hook.invalid.is_none() && !matches!(hook.disabled_reason, Some(DisabledReason::Shadowed(_)))
    };
    let hooks: Vec<&Hook> = context.hooks.iter().filter(in_use).map(|hook| &**hook).collect();
    let mut out = Vec::new();
    for hook in &hooks {
        piles_up(hook, &mut out);
        check_filter(hook, &mut out);
    }
    check_names(&hooks, &mut out);
    not_read(context, &mut out);
    out
}

/// What is written in a skill's folder for the place of its hook file.
const OTHER_NAMES: [&str; 7] = [
    "hooks.json",
    "hook/hooks.json",
    "Hooks/hooks.json",
    "hooks/hook.json",
    "hooks/Hooks.json",
    "hooks/hooks.yaml",
    "hooks/hooks.yml",
];

/// Reports hook files in places that are not read: next to the folder `hooks`, under another name, or too deep.
fn not_read(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let mut search = Search {
        card: &CARD,
        context,
        found: out,
    };
    let list = |folder: &Path| (context.list_dir)(folder);
    let is_skill = |folder: &Path| (context.path_exists)(&folder.join(HOOKS_FILE));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    let project = context.locations.project.join("skills");
    for root in std::iter::once(&project).chain(&context.locations.skills_roots) {
        search.in_place_of(&root.join("hooks.json"), &root.join("<name>").join(HOOKS_FILE));
        for skill in list(root).into_iter().filter(|skill| !is_skill(skill)) {
            let right = if name(&skill) == "hooks" {
                root.join("<name>")
            } else {
                skill.clone()
            }
            .join(HOOKS_FILE);
            for wrong in OTHER_NAMES {
                search.in_place_of(&skill.join(wrong), &right);
            }
            for inner in list(&skill).into_iter().filter(|inner| is_skill(inner)) {
                search.elsewhere(&inner.join(HOOKS_FILE), &root.join(name(&inner)).join(HOOKS_FILE));
            }
        }
    }
    for other in ["skill", ".skills"] {
        let folder = context.locations.project.join(other);
        for skill in list(&folder).into_iter().filter(|skill| is_skill(skill)) {
            search.elsewhere(&skill.join(HOOKS_FILE), &project.join(name(&skill)).join(HOOKS_FILE));
        }
    }
}

fn piles_up(hook: &Hook, out: &mut Vec<Problem>) {
    if !is_persistent(hook) {
        return;
    }
    let message = if [BEFORE_EACH_AGENT, AFTER_TOOL_CALL].contains(&hook.event.as_str()) {
        render!(messages::PILES_UP_OFTEN, "timing" => hook.event)
    } else {
        messages::PILES_UP.render_plain()
    };
    out.push(problem_at(hook, "persistent", message));
}

fn check_filter(hook: &Hook, out: &mut Vec<Problem>) {
    if hook.event != AFTER_TOOL_CALL {
        return;
    }
    let names = hook.definition["tool_filter"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if names.is_empty() {
        out.push(problem_at(hook, "timing", messages::TOO_WIDE.render_plain()));
    }
    let odd = |name: &&str| name.trim() != *name || !may_be_tool(name);
    let written = || names.iter().filter_map(Value::as_str);
    for name in written().filter(odd) {
        let template = if may_be_tool(name.trim()) {
            messages::NEVER_MATCHES
        } else {
            messages::NO_NAME
        };
        let message = template.render(args! { "written" => Value::from(name).to_string() });
        let problem = problem_at(hook, "tool_filter", message);
        let matches_nothing = written().all(|name| odd(&name));
        out.push(if matches_nothing {
            problem.never_matching()
        } else {
            problem
        });
    }
}

/// Reports one name in two skills. A repeated name within one skill is reported where the file is read.
fn check_names(hooks: &[&Hook], out: &mut Vec<Problem>) {
    let mut first: HashMap<&str, String> = HashMap::new();
    for hook in hooks {
        let mine = skill_name(hook);
        match first.get(hook.label.as_str()) {
            Some(other) if *other != mine => {
                let args = args! { "name" => hook.label, "other" => other };
                out.push(problem_at(hook, "name", messages::NAME_ELSEWHERE.render(args)));
            }
            Some(_) => {}
            None => {
                first.insert(&hook.label, mine);
            }
        }
    }
}

/// A problem at the field's value, or at the entry if the field is missing.
fn problem_at(hook: &Hook, field: &str, message: Message) -> Problem {
    let entry = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let position = hook.field_positions.get(field).unwrap_or(entry);
    Problem::new(message, &hook.source.path, Some(position)).for_hook(&hook.id)
}
