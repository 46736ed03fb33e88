//! Arguments of the commands about approvals, agents and the engine: `trust`, `connect`, `disconnect` and `serve`.

use clap::Args;

/// `trust`
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// List pending, approved and denied hooks
    #[arg(long, conflicts_with_all = ["revoke", "all", "reset", "deny"])]
    pub list: bool,
    /// Revoke the approvals and denials of the named hooks, or of this project
    #[arg(long, conflicts_with_all = ["all", "reset", "deny"])]
    pub revoke: bool,
    /// Deny the named hooks: they do not run, and no longer wait for a review
    #[arg(long, requires = "hooks", conflicts_with_all = ["all", "reset", "yes"])]
    pub deny: bool,
    /// Approve all pending hooks of this project's files without asking; those of agents are approved by name
    #[arg(long, conflicts_with = "reset")]
    pub all: bool,
    /// Move the trust file with the approvals of all projects away and start a new one
    #[arg(long)]
    pub reset: bool,
    /// Hook ids
    #[arg(value_name = "HOOK")]
    pub hooks: Vec<String>,
    /// Approve the named hooks, or all pending ones of files, without asking
    #[arg(long)]
    pub yes: bool,
}

/// `status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// First restore a guard that another program removed from its file
    #[arg(long, value_name = "ID", conflicts_with = "accept")]
    pub restore: Option<String>,
    /// First accept that a guard was removed from its file
    #[arg(long, value_name = "ID")]
    pub accept: Option<String>,
}

/// `connect`
#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// The agent, and whether the change is written
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Also put the relay around the agent's own commands, so that the history shows what they did
    #[arg(long)]
    pub wrap: bool,
    /// Also write what the agent's own trust needs, for the relay's hooks only (codex)
    #[arg(long)]
    pub trust: bool,
}

/// `disconnect`
#[derive(Debug, Args)]
pub struct ConnectionArgs {
    /// The agent: jcli, qoder, agent-hooks, picoclaw, claude-code or codex
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Print the changes and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Write the changes without asking
    #[arg(long)]
    pub yes: bool,
}

/// `serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serve the interface for a browser on a loopback address
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub web: Option<String>,
}
