//! What the relay knows about each dialect, as one table: the fields of a payload that name event and session, the
//! agent, and how an agent is blocked. The chapters of the specification that are meant are §3 (events) and §8 (reply).

use crate::json;

/// One dialect.
#[derive(Debug)]
pub struct RelayDialect {
    /// The id, as in `--dialect`.
    pub id: &'static str,
    /// The name of the agent that is reported to the engine.
    pub agent: &'static str,
    /// The field of the payload with the event's name. `None`: `--event` is required.
    pub event_field: Option<&'static str>,
    /// The field of the payload with the id of the session.
    pub session_field: Option<&'static str>,
    /// The variable in which the agent passes the project directory (`CONTRACTS.md` §4).
    pub project_var: Option<&'static str>,
    /// The event whose reply is not an object but the text of one of its output fields, and that field.
    bare_output: Option<(&'static str, &'static str)>,
    /// How the agent is told that it must not continue.
    block: BlockForm,
    /// The events at which `--fail-closed` does not block, for two reasons: nothing can be blocked there, or a block
    /// makes the agent work on, which without an engine would never end.
    never_blocked: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockForm {
    /// An object with `action` on stdout (jcli).
    Action,
    /// Exit code 2, and the reason on stderr.
    ExitCode,
    /// A result of the same request (picoclaw).
    Result,
    /// The dialect cannot block.
    Never,
}

/// What the relay hands to the agent.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// One line for stdout, without its line end.
    pub stdout: Option<String>,
    /// Text for stderr.
    pub stderr: String,
    /// The exit code of the relay.
    pub exit_code: u8,
}

/// Every dialect.
pub static DIALECTS: [RelayDialect; 7] = [
    RelayDialect {
        id: "jcli",
        agent: "j-cli",
        event_field: Some("event"),
        session_field: Some("session_id"),
        project_var: None,
        bare_output: None,
        block: BlockForm::Action,
        never_blocked: &["session_start", "session_end", "post_send_message"],
    },
    RelayDialect {
        id: "qoder",
        agent: "Qoder",
        event_field: Some("hook_event_name"),
        session_field: Some("session_id"),
        project_var: Some("QODER_PROJECT_DIR"),
        bare_output: None,
        block: BlockForm::ExitCode,
        never_blocked: &[
            "PostToolUseFailure",
            "SessionStart",
            "Stop",
            "SubagentStop",
            "SessionEnd",
            "SubagentStart",
            "PreCompact",
            "PostCompact",
            "CwdChanged",
            "InstructionsLoaded",
            "FileChanged",
        ],
    },
    RelayDialect {
        id: "skill",
        agent: "skill",
        event_field: None,
        session_field: None,
        project_var: None,
        bare_output: None,
        block: BlockForm::Never,
        never_blocked: &[],
    },
    RelayDialect {
        id: "agent-hooks",
        agent: "Kimi Code CLI",
        event_field: Some("event_type"),
        session_field: Some("session_id"),
        project_var: Some("KIMI_PROJECT_DIR"),
        bare_output: None,
        block: BlockForm::ExitCode,
        never_blocked: &["before_stop", "pre-agent-turn-stop"],
    },
    RelayDialect {
        id: "picoclaw",
        agent: "PicoClaw",
        event_field: None,
        session_field: None,
        project_var: None,
        bare_output: None,
        block: BlockForm::Result,
        never_blocked: &[],
    },
    RelayDialect {
        id: "claude-code",
        agent: "Claude Code",
        event_field: Some("hook_event_name"),
        session_field: Some("session_id"),
        project_var: Some("CLAUDE_PROJECT_DIR"),
        bare_output: Some(("WorktreeCreate", "worktreePath")),
        block: BlockForm::ExitCode,
        never_blocked: &[
            "SessionStart",
            "Setup",
            "InstructionsLoaded",
            "PermissionDenied",
            "Notification",
            "MessageDisplay",
            "SubagentStart",
            "SubagentStop",
            "TaskCompleted",
            "Stop",
            "StopFailure",
            "TeammateIdle",
            "CwdChanged",
            "DirectoryAdded",
            "FileChanged",
            "PostCompact",
            "PostModelSwitch",
            "SessionEnd",
        ],
    },
    RelayDialect {
        id: "codex",
        agent: "Codex",
        event_field: Some("hook_event_name"),
        session_field: Some("session_id"),
        project_var: None,
        bare_output: None,
        block: BlockForm::ExitCode,
        never_blocked: &[
            "SessionStart",
            "PreModelRequest",
            "PostModelRequest",
            "PreCompact",
            "PostCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "Interrupt",
            "SessionEnd",
        ],
    },
];

/// The dialect with this id.
pub fn find(id: &str) -> Option<&'static RelayDialect> {
    DIALECTS.iter().find(|dialect| dialect.id == id)
}

impl RelayDialect {
    /// Whether the agent keeps one relay running and talks to it over lines.
    pub fn is_long_lived(&self) -> bool {
        self.block == BlockForm::Result
    }

    /// The output field whose text is the whole answer at an event. Claude Code expects the bare path of a worktree
    /// (`claude-code.md` §8).
    pub fn bare_output(&self, event: &str) -> Option<&'static str> {
        self.bare_output
            .filter(|(own, _)| *own == event)
            .map(|(_, field)| field)
    }

    /// The answer that blocks the agent at an event; `None` if it is not blocked there. An unknown event is blocked.
    /// `why` is shown by the agent as the reason.
    pub fn block(&self, event: Option<&str>, why: &str) -> Option<Answer> {
        if event.is_some_and(|event| self.never_blocked.contains(&event)) {
            return None;
        }
        let reason = json::quote(why);
        let on_stdout = |text: String| Answer {
            stdout: Some(text),
            stderr: why.to_owned(),
            exit_code: 0,
        };
        match (self.block, event) {
            (BlockForm::Never, _) => None,
            // j-cli 12.9.8 ignores `stop` before a tool and honours `skip` (`jcli.md` §11).
            (BlockForm::Action, Some("pre_tool_execution")) => {
                Some(on_stdout(format!(r#"{{"action":"skip","system_message":{reason}}}"#)))
            }
            (BlockForm::Action, _) => Some(on_stdout(format!(r#"{{"action":"stop","system_message":{reason}}}"#))),
            // Exit code 2 does not block this event of Claude Code (`claude-code.md` §3).
            (BlockForm::ExitCode, Some("PermissionRequest")) if self.id == "claude-code" => Some(on_stdout(format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"deny","message":{reason}}}}}}}"#
            ))),
            (BlockForm::ExitCode, _) => Some(Answer {
                stdout: None,
                stderr: why.to_owned(),
                exit_code: 2,
            }),
            (BlockForm::Result, Some("approve_tool")) => {
                Some(on_stdout(format!(r#"{{"approved":false,"reason":{reason}}}"#)))
            }
            (BlockForm::Result, Some("before_tool")) => {
                Some(on_stdout(format!(r#"{{"action":"deny_tool","reason":{reason}}}"#)))
            }
            (BlockForm::Result, _) => Some(on_stdout(format!(r#"{{"action":"abort_turn","reason":{reason}}}"#))),
        }
    }
}

/// The result of a picoclaw request that lets the agent continue.
pub fn peer_continue(event: &str) -> &'static str {
    if event == "approve_tool" {
        r#"{"approved":true}"#
    } else {
        r#"{"action":"continue"}"#
    }
}

/// The kinds of picoclaw's notifications, in the order of the numbers that the shipped agent sends (`picoclaw.md` §12,
/// PICO-Q8).
pub static PEER_KINDS: [&str; 19] = [
    "turn_start",
    "turn_end",
    "llm_request",
    "llm_delta",
    "llm_response",
    "llm_retry",
    "context_compress",
    "session_summarize",
    "tool_exec_start",
    "tool_exec_end",
    "tool_exec_skipped",
    "steering_injected",
    "follow_up_queued",
    "interrupt_received",
    "subturn_spawn",
    "subturn_end",
    "subturn_result_delivered",
    "subturn_orphan",
    "error",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn stdout(dialect: &str, event: &str) -> Option<String> {
        find(dialect)
            .unwrap()
            .block(Some(event), "x")
            .and_then(|answer| answer.stdout)
    }

    #[test]
    fn each_dialect_blocks_in_its_own_way() {
        assert_eq!(
            stdout("jcli", "pre_tool_execution").unwrap(),
            r#"{"action":"skip","system_message":"x"}"#
        );
        assert_eq!(
            stdout("jcli", "pre_llm_request").unwrap(),
            r#"{"action":"stop","system_message":"x"}"#
        );
        assert_eq!(
            stdout("picoclaw", "approve_tool").unwrap(),
            r#"{"approved":false,"reason":"x"}"#
        );
        assert_eq!(
            stdout("picoclaw", "before_tool").unwrap(),
            r#"{"action":"deny_tool","reason":"x"}"#
        );
        assert_eq!(
            stdout("picoclaw", "after_llm").unwrap(),
            r#"{"action":"abort_turn","reason":"x"}"#
        );
        for (dialect, event) in [
            ("qoder", "PreToolUse"),
            ("qoder", "PermissionRequest"),
            ("agent-hooks", "before_tool"),
            ("claude-code", "PreToolUse"),
        ] {
            let answer = find(dialect).unwrap().block(Some(event), "x").unwrap();
            assert_eq!(
                answer,
                Answer {
                    stdout: None,
                    stderr: "x".to_owned(),
                    exit_code: 2
                },
                "{dialect} {event}"
            );
        }
        let permission = stdout("claude-code", "PermissionRequest").unwrap();
        assert_eq!(json::check(&permission), Ok(()));
        assert!(permission.contains(r#""behavior":"deny""#));
    }

    #[test]
    fn what_only_notifies_and_what_would_go_on_without_end_is_not_blocked() {
        for (dialect, event) in [
            ("jcli", "session_start"),
            ("qoder", "SessionEnd"),
            ("qoder", "Stop"),
            ("agent-hooks", "before_stop"),
            ("claude-code", "Notification"),
            ("claude-code", "SubagentStop"),
            ("skill", "before_planning"),
        ] {
            assert_eq!(
                find(dialect).unwrap().block(Some(event), "x"),
                None,
                "{dialect} {event}"
            );
        }
        assert!(find("qoder").unwrap().block(None, "x").is_some());
    }
}
