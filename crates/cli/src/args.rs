//! The commands and their flags (`CONTRACTS.md` §2).

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand};

/// See, test-fire and explain the hooks of AI agents on this machine.
#[derive(Debug, Parser)]
#[command(name = "hookwright", version, max_term_width = 120, after_help = EXAMPLES)]
pub struct Cli {
    /// The project whose files are read (default: the current directory)
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// One JSON document on stdout, nothing else there
    #[arg(long, global = true)]
    pub json: bool,
    /// No colour
    #[arg(long, global = true)]
    pub no_color: bool,
    /// What to do
    #[command(subcommand)]
    pub command: CliCommand,
}

const EXAMPLES: &str = "\
Examples:
  hookwright list                                              every hook that would run here
  hookwright check .jcli/hooks.yaml                            what is wrong with a file
  hookwright fire --dialect jcli --event pre_send_message      run a chain, see each step
  hookwright explain --dialect jcli --event pre_tool_execution --payload call.json
  hookwright trust                                             review what this project brings
  hookwright serve --web                                       the whole interface in a browser";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Every hook of every source, with problems and shadowed entries
    #[command(
        after_help = "Examples:\n  hookwright list --dialect jcli --event pre_tool_execution\n  hookwright list --json | jq '.hooks[].hook'"
    )]
    List(ListArgs),
    /// Validate configuration, one line a problem
    #[command(
        after_help = "Examples:\n  hookwright check                     this project and your own files\n  hookwright check hooks-samples       every layout inside a folder\n  hookwright check my.yaml --dialect jcli\n\nExit: 0 without an error, 1 with one."
    )]
    Check(CheckArgs),
    /// Every hook with every gate it passed or failed; runs nothing
    #[command(
        after_help = "Example:\n  echo '{\"tool_name\": \"bash\"}' | hookwright explain --dialect jcli --event pre_tool_execution --payload -"
    )]
    Explain(ExplainArgs),
    /// Run an event through its chain and record it
    #[command(
        after_help = FIRE_EXAMPLES
    )]
    Fire(FireArgs),
    /// Play a scripted conversation through a dialect's whole lifecycle
    #[command(
        after_help = "Examples:\n  hookwright simulate conversation.yaml\n  hookwright simulate conversation.yaml --trust --json | jq '.llm_calls[].label'\n\nExit: 0 played, 1 could not be played."
    )]
    Simulate(SimulateArgs),
    /// What was recorded, newest first
    #[command(after_help = "Examples:\n  hookwright history --limit 10\n  hookwright history --json | jq -r .next")]
    History(HistoryArgs),
    /// One recorded trace, complete
    Show {
        /// Trace id, or the beginning of one
        trace: String,
    },
    /// Metrics of every hook
    Stats {
        /// How far back: 90s, 30m, 24h, 7d
        #[arg(long, default_value = "24h", value_name = "TIME")]
        since: String,
    },
    /// Review and approve project hooks
    #[command(
        after_help = "Examples:\n  hookwright trust              asks one by one\n  hookwright trust --list       what waits, what is approved\n  hookwright trust --all        approves what is pending here without asking\n  hookwright trust --revoke jcli:project:stop:0"
    )]
    Trust(TrustArgs),
    /// Leave a hook out of Hookwright's engine; files stay as they are
    #[command(after_help = "Example:\n  hookwright mute jcli:user:pre_tool_execution:0 --for 30m")]
    Mute {
        /// Hook id, as `list` shows it
        hook: String,
        /// For how long: 90s, 30m, 2h, 1d (default: for good)
        #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
        r#for: Option<String>,
    },
    /// Take a mute back
    Unmute {
        /// Hook id
        hook: String,
    },
    /// Put a new hook into a file
    #[command(
        after_help = ADD_EXAMPLES
    )]
    Add(AddArgs),
    /// Change a hook in its file; comments and formatting stay
    #[command(
        after_help = "Examples:\n  hookwright edit jcli:user:stop:0 --set timeout=5 --unset retry\n  hookwright edit jcli:user:stop:0 --set filter.tool_name=Bash --dry-run\n  hookwright edit jcli:user:stop:2 --move-to 1\n  hookwright edit jcli:user:stop:0 --duplicate --to-layer project"
    )]
    Edit(EditArgs),
    /// Take a hook out of its file
    #[command(after_help = "Example:\n  hookwright remove jcli:user:stop:0 --dry-run")]
    Remove {
        /// Hook id, as `list` shows it
        hook: String,
        /// Print the difference and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Undo the last edit of your files, or the edit with this id
    #[command(
        after_help = "Examples:\n  hookwright undo                 the last edit here; run it again for the edit before\n  hookwright undo --list          the edits of the last 30 days, with their ids\n  hookwright undo 01J8ZQ          this edit, by the beginning of its id\n\nAn undo is an edit too: to redo an edit, undo the id of its undo.\nExit: 0 undone, 1 not undone; the message says whether a file was changed."
    )]
    Undo {
        /// The edit, or the beginning of its id (default: the last one of this project's files and your own)
        edit: Option<String>,
        /// Show the edits that are kept, the latest first
        #[arg(long, conflicts_with = "edit")]
        list: bool,
    },
    /// The engine, watcher and control socket without a window
    #[command(
        after_help = "Examples:\n  hookwright serve\n  hookwright serve --web                 prints a one-time link\n  hookwright serve --web 127.0.0.1:8642"
    )]
    Serve(ServeArgs),
    /// Open the desktop window on a project, in the running one too
    Open {
        /// The project
        dir: Option<PathBuf>,
    },
    /// Write completions for a shell
    #[command(
        after_help = "Example:\n  hookwright completions bash > ~/.local/share/bash-completion/completions/hookwright"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// `list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only this dialect
    #[arg(long, value_name = "D")]
    pub dialect: Option<String>,
    /// Only this event
    #[arg(long, value_name = "E")]
    pub event: Option<String>,
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files and folders (default: this project and your own files)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Whose files they are, where place and name do not tell
    #[arg(long, value_name = "D")]
    pub dialect: Option<String>,
    /// Import the Python modules that were approved, to know their hooks
    #[arg(long)]
    pub import: bool,
}

/// An event to look at or fire.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Dialect, such as jcli
    #[arg(long, value_name = "D")]
    pub dialect: String,
    /// Event, in the dialect's own spelling
    #[arg(long, value_name = "E")]
    pub event: String,
    /// The payload: a file, or - for stdin (default: {} plus the common fields)
    #[arg(long, value_name = "FILE|-")]
    pub payload: Option<PathBuf>,
}

/// `fire`
#[derive(Debug, Args)]
pub struct FireArgs {
    /// The event
    #[command(flatten)]
    pub event: ExplainArgs,
    /// Name a session; shares no state with it
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Trust this project's hooks for this one call; nothing is written
    #[arg(long)]
    pub trust: bool,
    /// Print the original; the redacted form is recorded
    #[arg(long)]
    pub raw: bool,
}

/// `simulate`
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The scenario, YAML or JSON; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Trust this project's hooks for this one call; nothing is written
    #[arg(long)]
    pub trust: bool,
}

/// `history`
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// At most this many
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// The `next` of the page before
    #[arg(long, value_name = "CURSOR")]
    pub after: Option<String>,
}

/// `trust`
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Show what waits and what is approved
    #[arg(long, conflicts_with_all = ["revoke", "all", "reset"])]
    pub list: bool,
    /// Take approvals back: of the named hooks, or of this project
    #[arg(long, conflicts_with_all = ["all", "reset"])]
    pub revoke: bool,
    /// Approve what is pending in this project without asking
    #[arg(long, conflicts_with = "reset")]
    pub all: bool,
    /// Set a broken or unwanted trust file aside, with the approvals of every project
    #[arg(long)]
    pub reset: bool,
    /// Hook ids
    #[arg(value_name = "HOOK")]
    pub hooks: Vec<String>,
    /// Approve the named hooks, or all that wait, without asking
    #[arg(long)]
    pub yes: bool,
}

/// `add`
#[derive(Debug, Args)]
pub struct AddArgs {
    /// Dialect, such as jcli
    #[arg(long, value_name = "D")]
    pub dialect: String,
    /// Event, in the dialect's own spelling
    #[arg(long, value_name = "E")]
    pub event: String,
    /// user, project, local or skill, as far as the dialect has them
    #[arg(long, value_name = "L")]
    pub layer: String,
    /// The hook's fields as JSON, or - for stdin
    #[arg(long, value_name = "JSON|-", allow_hyphen_values = true)]
    pub definition: String,
    /// Print the difference and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `edit`
#[derive(Debug, Args)]
pub struct EditArgs {
    /// Hook id, as `list` shows it
    pub hook: String,
    /// Its fields
    #[command(flatten)]
    pub fields: FieldChanges,
    /// Switch the hook on in its file; only PicoClaw's files have such a switch
    #[arg(long, conflicts_with = "disable")]
    pub enable: bool,
    /// Switch the hook off in its file; only PicoClaw's files have such a switch, `mute` works for every hook
    #[arg(long)]
    pub disable: bool,
    /// Give it another place in its list, 1 is first
    #[arg(long, value_name = "N")]
    pub move_to: Option<u32>,
    /// Move it to another file
    #[arg(long, value_name = "L")]
    pub to_layer: Option<String>,
    /// Put a copy behind it; all other changes are the copy's
    #[arg(long)]
    pub duplicate: bool,
    /// Print the difference and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `--set` and `--unset` of `edit`, in the order in which they stand: each is done on what those before it left.
#[derive(Debug, Default)]
pub struct FieldChanges(pub Vec<FieldChange>);

/// One of them, with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldChange {
    /// `FIELD=VALUE`
    Set(String),
    /// `FIELD`
    Unset(String),
}

/// As clap reads each of the two by itself.
#[derive(Debug, Args)]
struct FieldArgs {
    /// Give a field a value; dots lead into mappings, the value is YAML
    #[arg(long, value_name = "FIELD=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Take a field out; `--set` and `--unset` are done in the order given
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
}

impl Args for FieldChanges {
    fn augment_args(command: clap::Command) -> clap::Command {
        FieldArgs::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        FieldArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for FieldChanges {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let FieldArgs { set, unset } = FieldArgs::from_arg_matches(matches)?;
        let indices = |name: &str| matches.indices_of(name).into_iter().flatten();
        let set = indices("set").zip(set.into_iter().map(FieldChange::Set));
        let unset = indices("unset").zip(unset.into_iter().map(FieldChange::Unset));
        let mut fields: Vec<(usize, FieldChange)> = set.chain(unset).collect();
        fields.sort_by_key(|(place, _)| *place);
        Ok(Self(fields.into_iter().map(|(_, field)| field).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serve the interface for a browser, on a loopback address
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub web: Option<String>,
}

const FIRE_EXAMPLES: &str = r#"Examples:
  hookwright fire --dialect jcli --event pre_send_message --payload hello.json
  echo '{"tool_name": "Bash", "tool_arguments": "{}"}' | hookwright fire --dialect jcli --event pre_tool_execution --payload -
  hookwright fire --dialect jcli --event stop --trust --json

Marks: ○ no opinion, ● allowed, ◆ changed, ? asks, ✖ denied, ◌ not matched, ◠ skipped,
△ failed and the agent went ahead, ▲ failed and it was held, ⧖ ⧗ the same for time-outs, … runs on.

Exit: 0 went ahead, 2 held, 1 could not fire."#;

const ADD_EXAMPLES: &str = r##"Examples, one for each system:
  hookwright add --dialect jcli --event stop --layer project --definition '{"command": "sh gate.sh"}'
  hookwright add --dialect qoder --event PreToolUse --layer project \
    --definition '{"matcher": "Bash", "type": "command", "command": "sh gate.sh"}'
  hookwright add --dialect skill --event before_planning --layer skill \
    --definition '{"skill": "reviewer", "name": "rules", "text": "Be brief.", "role": "system", "persistent": false}'
  hookwright add --dialect agent-hooks --event before_tool --layer project \
    --definition '{"name": "guard", "description": "Holds it", "script": "#!/bin/sh\nexit 2\n"}'
  hookwright add --dialect picoclaw --event before_tool --layer user \
    --definition '{"name": "guard", "enabled": true, "command": ["python3", "guard.py"], "intercept": ["before_tool"]}'
  hookwright add --dialect jcli --event stop --layer user --definition - --dry-run < hook.json"##;
