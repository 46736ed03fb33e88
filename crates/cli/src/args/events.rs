//! Arguments of the commands about an event that is not recorded yet: `explain`, `fire` and `simulate`.

use std::path::PathBuf;

use clap::Args;

pub(super) const FIRE_EXAMPLES: &str = r#"Examples:
  hookwright fire --dialect jcli --event pre_send_message --payload hello.json
  echo '{"tool_name": "Bash", "tool_arguments": "{}"}' | hookwright fire --dialect jcli --event pre_tool_execution --payload -
  hookwright fire --dialect jcli --event stop --trust --json

Marks: ○ no opinion, ● allowed, ◆ changed, ? asks, ✖ denied, ◌ not matched, ◠ skipped,
△ failed and the agent continues, ▲ failed and the agent is blocked, ⧖ ⧗ the same for timeouts, … still running.

Exit: 0 continued, 2 blocked, 1 could not be fired."#;

/// An event to look at or fire.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The hook system, such as jcli
    #[arg(long, value_name = "D")]
    pub dialect: String,
    /// The event, as the hook system spells it
    #[arg(long, value_name = "E")]
    pub event: String,
    /// The payload: a file, or - for stdin (default: {} with the common fields)
    #[arg(long, value_name = "FILE|-")]
    pub payload: Option<PathBuf>,
}

/// `fire`
#[derive(Debug, Args)]
pub struct FireArgs {
    /// The event
    #[command(flatten)]
    pub event: ExplainArgs,
    /// The session id of the payload; no state is shared with that session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Fire the event at this connected agent too: a session id, or the agent's name
    #[arg(long, value_name = "ID", conflicts_with_all = ["session", "trust", "raw"])]
    pub agent: Option<String>,
    /// Trust this project's hooks for this call only; no approval is stored
    #[arg(long)]
    pub trust: bool,
    /// Print the original text; the record is still redacted
    #[arg(long)]
    pub raw: bool,
}

/// `simulate`
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The scenario in YAML or JSON, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Trust this project's hooks for this call only; no approval is stored
    #[arg(long)]
    pub trust: bool,
}
