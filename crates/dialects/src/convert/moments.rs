//! Which events of the dialects are equivalent, and which tools. The documents of the hook systems decide this.

use super::HookSystem;

/// How well an event fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFit {
    /// The same point of the agent's work.
    Same,
    /// The nearest point. The loss report names the difference.
    Nearest,
}

/// Each row is one point of an agent's work, in the order of [`HookSystem::ALL`]: j-cli, Qoder, skills, Agent Hooks,
/// PicoClaw. `~` marks the nearest event of a dialect that has no such point. Every event is without `~` in one row.
const MOMENTS: [[&str; 5]; 28] = [
    ["session_start", "SessionStart", "", "session_start", ""],
    ["session_end", "SessionEnd", "", "session_end", ""],
    [
        "pre_send_message",
        "UserPromptSubmit",
        "after_user_input",
        "before_agent",
        "~turn_start",
    ],
    [
        "post_send_message",
        "~UserPromptSubmit",
        "",
        "~before_agent",
        "turn_start",
    ],
    ["pre_llm_request", "", "before_each_agent", "", "before_llm"],
    ["~pre_llm_request", "", "before_first_agent", "", ""],
    ["post_llm_response", "", "", "", "after_llm"],
    ["pre_tool_execution", "PreToolUse", "", "before_tool", "before_tool"],
    [
        "~pre_tool_execution",
        "PermissionRequest",
        "",
        "~before_tool",
        "~approve_tool",
    ],
    // It is asked before every call. Qoder only asks for a permission when no rule of the user decides.
    ["~pre_tool_execution", "~PreToolUse", "", "~before_tool", "approve_tool"],
    [
        "post_tool_execution",
        "PostToolUse",
        "after_tool_call",
        "after_tool",
        "after_tool",
    ],
    [
        "post_tool_execution_failure",
        "PostToolUseFailure",
        "",
        "after_tool_failure",
        "~after_tool",
    ],
    ["stop", "Stop", "", "before_stop", "~turn_end"],
    ["~stop", "~Stop", "", "after_agent", "turn_end"],
    ["", "SubagentStart", "", "subagent_start", "subturn_spawn"],
    ["", "SubagentStop", "", "subagent_stop", "subturn_end"],
    ["pre_auto_compact", "PreCompact", "", "pre_compact", ""],
    ["post_auto_compact", "PostCompact", "", "", "context_compress"],
    ["pre_micro_compact", "~PreCompact", "", "~pre_compact", ""],
    ["post_micro_compact", "~PostCompact", "", "", "~context_compress"],
    ["~pre_llm_request", "", "", "", "llm_request"],
    ["~post_llm_response", "", "", "", "llm_response"],
    [
        "~pre_tool_execution",
        "~PreToolUse",
        "",
        "~before_tool",
        "tool_exec_start",
    ],
    [
        "~post_tool_execution",
        "~PostToolUse",
        "",
        "~after_tool",
        "tool_exec_end",
    ],
    ["", "", "before_planning", "", ""],
    ["", "CwdChanged", "", "", ""],
    ["", "InstructionsLoaded", "", "", ""],
    ["", "FileChanged", "", "", ""],
];

/// The events of PicoClaw that only observe, for a hook whose result is not waited for.
const OBSERVED: [(&str, &str); 4] = [
    ("before_tool", "tool_exec_start"),
    ("after_tool", "tool_exec_end"),
    ("before_llm", "llm_request"),
    ("after_llm", "llm_response"),
];

/// The same tool in different agents: j-cli and Qoder, Agent Hooks, PicoClaw. Other names are kept. All but the first one get
/// the path of a file.
const TOOLS: [[&str; 3]; 4] = [
    ["Bash", "Shell", "bash"],
    ["Write", "WriteFile", "write_file"],
    ["Edit", "StrReplaceFile", "edit_file"],
    ["Read", "ReadFile", "read_file"],
];

/// The event of another dialect for this event; `None` if it has no equivalent.
pub fn equivalent_event(from: HookSystem, event: &str, to: HookSystem) -> Option<(&'static str, EventFit)> {
    let row = MOMENTS.iter().find(|row| row[from as usize] == event)?;
    match row[to as usize] {
        "" => None,
        cell => Some(match cell.strip_prefix('~') {
            Some(nearest) => (nearest, EventFit::Nearest),
            None => (cell, EventFit::Same),
        }),
    }
}

/// The observing event for an interceptor of PicoClaw.
pub fn observed_event(event: &str) -> Option<&'static str> {
    OBSERVED
        .iter()
        .find(|(point, _)| *point == event)
        .map(|(_, kind)| *kind)
}

/// The name that another agent uses for a tool. An unknown name stays as it is.
pub fn equivalent_tool(from: HookSystem, name: &str, to: HookSystem) -> String {
    let (from, to) = (from.tool_column(), to.tool_column());
    let row = TOOLS.iter().find(|row| row[from] == name);
    row.map_or(name, |row| row[to]).to_owned()
}

/// The tools that have another name in another dialect, with both names.
pub fn renamed_tools(from: HookSystem, to: HookSystem) -> impl Iterator<Item = (&'static str, &'static str)> {
    let (from, to) = (from.tool_column(), to.tool_column());
    TOOLS
        .iter()
        .map(move |row| (row[from], row[to]))
        .filter(|(ours, theirs)| ours != theirs)
}

/// The tools that get the path of a file, in a dialect.
pub fn file_tools(system: HookSystem) -> impl Iterator<Item = &'static str> {
    TOOLS[1..].iter().map(move |row| row[system.tool_column()])
}

/// The argument of [`file_tools`] that holds the path.
pub const fn path_argument(system: HookSystem) -> &'static str {
    match system.tool_column() {
        0 => "file_path",
        _ => "path",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_cell_is_an_event_of_its_dialect_and_each_event_has_one_row() {
        for system in HookSystem::ALL {
            let card = system.card();
            let mut seen = BTreeSet::new();
            for cell in MOMENTS
                .iter()
                .map(|row| row[system as usize])
                .filter(|cell| !cell.is_empty())
            {
                let name = cell.trim_start_matches('~');
                assert!(card.event(name).is_some(), "{} has no {name}", card.id);
                assert!(cell.starts_with('~') || seen.insert(name), "{name} has two rows");
            }
        }
    }

    #[test]
    fn a_same_event_leads_back() {
        for from in HookSystem::ALL {
            for to in HookSystem::ALL {
                for event in from.card().events {
                    if let Some((there, EventFit::Same)) = equivalent_event(from, event.name, to) {
                        let back = equivalent_event(to, there, from).map(|(back, _)| back);
                        assert_eq!(back, Some(event.name), "{there}");
                    }
                }
            }
        }
    }

    #[test]
    fn tools_have_the_name_of_each_agent() {
        assert_eq!(
            equivalent_tool(HookSystem::Qoder, "Bash", HookSystem::AgentHooks),
            "Shell"
        );
        assert_eq!(
            equivalent_tool(HookSystem::AgentHooks, "Shell", HookSystem::Jcli),
            "Bash"
        );
        assert_eq!(equivalent_tool(HookSystem::Jcli, "Grep", HookSystem::Picoclaw), "Grep");
    }
}
