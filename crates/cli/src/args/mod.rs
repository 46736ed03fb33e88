//! The commands and their flags (`CONTRACTS.md` §2).

mod edits;
mod engine;
mod events;
mod files;
mod history;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use edits::ADD_EXAMPLES;
pub use edits::{AddArgs, EditArgs, FieldChange};
pub use engine::{ConnectArgs, ConnectionArgs, ServeArgs, StatusArgs, TrustArgs};
use events::FIRE_EXAMPLES;
pub use events::{ExplainArgs, FireArgs, SimulateArgs};
pub use files::{CheckArgs, ConvertArgs, ListArgs, SchemaArgs};
use history::{HISTORY_EXAMPLES, STATS_EXAMPLES};
pub use history::{HistoryArgs, StatsArgs};

/// See, test-fire and explain the hooks of AI agents on this machine.
#[derive(Debug, Parser)]
#[command(name = "hookwright", version, max_term_width = 120, after_help = EXAMPLES)]
pub struct Cli {
    /// The project whose files are read (default: the current directory)
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Print one JSON document on stdout, and nothing else
    #[arg(long, global = true)]
    pub json: bool,
    /// Print without colours
    #[arg(long, global = true)]
    pub no_color: bool,
    /// The command
    #[command(subcommand)]
    pub command: CliCommand,
}

const EXAMPLES: &str = "\
Examples:
  hookwright list                                              list every hook that would run here
  hookwright check .jcli/hooks.yaml                            find the problems of a file
  hookwright fire --dialect jcli --event pre_send_message      run a chain and show each step
  hookwright explain --dialect jcli --event pre_tool_execution --payload call.json
  hookwright trust                                             review the hooks of this project
  hookwright serve --web                                       open the interface in a browser";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// List every hook of every source, with problems and shadowed entries
    #[command(
        after_help = "Examples:\n  hookwright list --dialect jcli --event pre_tool_execution\n  hookwright list --json | jq '.hooks[].hook'"
    )]
    List(ListArgs),
    /// Check hook files and print one line per problem
    #[command(
        after_help = "Examples:\n  hookwright check                     check this project and your own files\n  hookwright check hooks-samples       check every hook file in a folder\n  hookwright check my.yaml --dialect jcli\n\nExit: 0 no error, 1 at least one error."
    )]
    Check(CheckArgs),
    /// Show what needs you, worst first; suits a shell prompt or a commit hook
    #[command(
        after_help = "Examples:\n  hookwright status\n  hookwright status --json | jq -r '.needs[].hook'\n  hookwright status --restore 0123abcd\n\nExit: 0 no guard fails, 1 a guard or a hook file fails."
    )]
    Status(StatusArgs),
    /// Print the JSON Schema of hook files, with which other editors complete and check them
    #[command(
        after_help = "Examples:\n  hookwright schema --dialect jcli > jcli.schema.json\n  hookwright schema --dialect qoder --language zh"
    )]
    Schema(SchemaArgs),
    /// Show which hooks would run for an event and why; runs nothing
    #[command(
        after_help = "Example:\n  echo '{\"tool_name\": \"bash\"}' | hookwright explain --dialect jcli --event pre_tool_execution --payload -"
    )]
    Explain(ExplainArgs),
    /// Fire an event: run its hooks and record the result
    #[command(
        after_help = FIRE_EXAMPLES
    )]
    Fire(FireArgs),
    /// List the agents that are connected to the running engine
    #[command(
        after_help = "Examples:\n  hookwright agents\n  hookwright agents --json | jq -r '.agents[].session'\n\nExit: 0 listed, 1 no engine runs."
    )]
    Agents,
    /// Simulate a scripted conversation through the whole lifecycle of an agent
    #[command(
        after_help = "Examples:\n  hookwright simulate conversation.yaml\n  hookwright simulate conversation.yaml --trust --json | jq '.llm_calls[].label'\n\nExit: 0 simulated, 1 could not be simulated."
    )]
    Simulate(SimulateArgs),
    /// List recorded events, newest first
    #[command(after_help = HISTORY_EXAMPLES)]
    History(HistoryArgs),
    /// Show one recorded trace completely
    Show {
        /// Trace id or its first characters
        trace: String,
    },
    /// Show metrics of every hook
    #[command(after_help = STATS_EXAMPLES)]
    Stats(StatsArgs),
    /// Review and approve project hooks
    #[command(
        after_help = "Examples:\n  hookwright trust              review the hooks one by one\n  hookwright trust --list       list pending, approved and denied hooks\n  hookwright trust --all        approve all pending hooks here without asking\n  hookwright trust --revoke jcli:project:stop:0"
    )]
    Trust(TrustArgs),
    /// Leave a hook out of Hookwright's engine; no file is changed
    #[command(after_help = "Example:\n  hookwright mute jcli:user:pre_tool_execution:0 --for 30m")]
    Mute {
        /// Hook id, as `list` shows it
        hook: String,
        /// The duration: 90s, 30m, 2h, 1d (default: until you unmute the hook)
        #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
        r#for: Option<String>,
    },
    /// Let a muted hook run again
    Unmute {
        /// Hook id
        hook: String,
    },
    /// List the samples: hooks with their scripts, to add with `add --sample`
    #[command(
        after_help = "Examples:\n  hookwright samples\n  hookwright samples --json | jq -r '.samples[] | select(.dialect == \"qoder\") | .sample'\n  hookwright add --sample jcli/guard-shell --dry-run"
    )]
    Samples,
    /// Add a new hook to a file
    #[command(
        after_help = ADD_EXAMPLES
    )]
    Add(AddArgs),
    /// Change a hook in its file; comments and formatting are kept
    #[command(
        after_help = "Examples:\n  hookwright edit jcli:user:stop:0 --set timeout=5 --unset retry\n  hookwright edit jcli:user:stop:0 --set filter.tool_name=Bash --dry-run\n  hookwright edit jcli:user:stop:2 --move-to 1\n  hookwright edit jcli:user:stop:0 --duplicate --to-layer project"
    )]
    Edit(EditArgs),
    /// Remove a hook from its file
    #[command(after_help = "Example:\n  hookwright remove jcli:user:stop:0 --dry-run")]
    Remove {
        /// Hook id, as `list` shows it
        hook: String,
        /// Print the changes and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Turn a hook off for the agent; its definition is kept
    #[command(
        after_help = "Examples:\n  hookwright turn-off jcli:user:stop:0 --dry-run\n  hookwright turn-off qoder:project:PreToolUse:settings.0.0\n\n`hookwright list` shows the hooks that are turned off. `mute` changes no file: the agent still runs a muted hook."
    )]
    TurnOff {
        /// Hook id, as `list` shows it
        hook: String,
        /// Print the changes and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Turn a hook on for the agent; a definition that was removed is restored in its place
    #[command(
        after_help = "Examples:\n  hookwright turn-on 01J8ZQ           the turned-off hook whose id begins like this\n  hookwright turn-on picoclaw:user:guard"
    )]
    TurnOn {
        /// The id of the turned-off hook or its first characters, or a hook id
        id: String,
        /// Print the changes and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Undo the last edit of your files, or the edit with this id
    #[command(
        after_help = "Examples:\n  hookwright undo                 undo the last edit here; run it again for the edit before\n  hookwright undo --list          list the edits of the last 30 days with their ids\n  hookwright undo 01J8ZQ          undo the edit whose id begins like this\n  hookwright undo --dry-run       print what the undo would change\n\nAn undo is also an edit: to redo an edit, undo the id of its undo.\nExit: 0 undone, 1 not undone; the message says whether a file was changed."
    )]
    Undo {
        /// The id of the edit or its first characters (default: the last edit of this project's files and your own)
        edit: Option<String>,
        /// List the edits that can be undone, newest first
        #[arg(long, conflicts_with = "edit")]
        list: bool,
        /// Print the changes and write nothing
        #[arg(long, conflicts_with = "list")]
        dry_run: bool,
    },
    /// Rewrite hooks for another hook system, with a report of what is lost
    #[command(
        after_help = "Examples:\n  hookwright convert --from jcli --to qoder .jcli/hooks.yaml\n  hookwright convert --from agent-hooks --to picoclaw .agents/hooks/guard --out converted\n\nWithout --out the files are printed, each under a line with its name. With it, new files are written; an existing file\nis never overwritten. The report is written to stderr.\n\nExit: 0 converted, 1 a hook could not be converted."
    )]
    Convert(ConvertArgs),
    /// Put the relay into an agent's own configuration, so that its events reach Hookwright
    #[command(
        after_help = "Targets: jcli, qoder, agent-hooks, picoclaw, claude-code, codex\n\nExamples:\n  hookwright connect jcli --dry-run      print the exact change\n  hookwright connect qoder --wrap --yes  also put the relay around the agent's own commands\n  hookwright connect codex --trust --yes also write what Codex's own trust needs\n\nExit: 0 written or nothing to change, 1 not written."
    )]
    Connect(ConnectArgs),
    /// Remove the relay from an agent's own configuration
    #[command(after_help = "Examples:\n  hookwright disconnect jcli\n  hookwright disconnect picoclaw --yes")]
    Disconnect(ConnectionArgs),
    /// Run the engine, the file watcher and the control socket without a window
    #[command(
        after_help = "Examples:\n  hookwright serve\n  hookwright serve --web                 print a one-time link\n  hookwright serve --web 127.0.0.1:8642"
    )]
    Serve(ServeArgs),
    /// Open a project in the desktop window, or get a link to the page of the running engine
    #[command(
        after_help = "Examples:\n  hookwright open ~/code/app\n  hookwright open --web                  print a new one-time link to the page of `hookwright serve --web`"
    )]
    Open {
        /// The project
        dir: Option<PathBuf>,
        /// Print a link that opens the running engine's page in one more browser window
        #[arg(long, conflicts_with = "dir")]
        web: bool,
    },
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  hookwright completions bash > ~/.local/share/bash-completion/completions/hookwright"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}
