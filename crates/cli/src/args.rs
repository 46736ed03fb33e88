//! The commands and their flags (`CONTRACTS.md` §2).

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use hookwright_app::definitions::SchemaLanguage;

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
    /// Simulate a scripted conversation through the whole lifecycle of a dialect
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
    /// Rewrite hooks in another dialect, with a report of what is lost
    #[command(
        after_help = "Examples:\n  hookwright convert --from jcli --to qoder .jcli/hooks.yaml\n  hookwright convert --from agent-hooks --to picoclaw .agents/hooks/guard --out converted\n\nWithout --out the files are printed, each under a line with its name. With it, new files are written; an existing file\nis never overwritten. The report is written to stderr.\n\nExit: 0 converted, 1 a hook could not be converted."
    )]
    Convert(ConvertArgs),
    /// Put the relay into an agent's own configuration, so that its events reach Hookwright
    #[command(
        after_help = "Targets: jcli, qoder, agent-hooks, picoclaw\n\nExamples:\n  hookwright connect jcli --dry-run      print the exact change\n  hookwright connect qoder --wrap --yes  also put the relay around the agent's own commands\n\nExit: 0 written or nothing to change, 1 not written."
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
        /// Print a link that opens the running engine's page in one more browser
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

/// `list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List only hooks of this dialect
    #[arg(long, value_name = "D")]
    pub dialect: Option<String>,
    /// List only hooks of this event
    #[arg(long, value_name = "E")]
    pub event: Option<String>,
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files and folders (default: this project and your own files)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The dialect of the files, if location and name do not show it
    #[arg(long, value_name = "D")]
    pub dialect: Option<String>,
    /// Import the approved Python modules to list their hooks
    #[arg(long)]
    pub import: bool,
    /// Correct scripts that cannot start: executable bits, line endings, `#!` lines
    #[arg(long)]
    pub fix: bool,
    /// Write the fixes without asking
    #[arg(long, requires = "fix")]
    pub yes: bool,
}

/// An event to look at or fire.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The dialect, such as jcli
    #[arg(long, value_name = "D")]
    pub dialect: String,
    /// The event, in the spelling of the dialect
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

/// `history`
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// List only the events that match: words such as event:stop verdict:deny,ask dur:>500ms since:2h "some text"
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Option<String>,
    /// The largest number of events to list
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// The `next` of the previous page
    #[arg(long, value_name = "CURSOR")]
    pub after: Option<String>,
}

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
    /// Approve all pending hooks of this project without asking
    #[arg(long, conflicts_with = "reset")]
    pub all: bool,
    /// Move the trust file with the approvals of all projects away and start a new one
    #[arg(long)]
    pub reset: bool,
    /// Hook ids
    #[arg(value_name = "HOOK")]
    pub hooks: Vec<String>,
    /// Approve the named hooks, or all pending ones, without asking
    #[arg(long)]
    pub yes: bool,
}

/// `add`
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The dialect, such as jcli
    #[arg(long, value_name = "D", required_unless_present = "sample")]
    pub dialect: Option<String>,
    /// The event, in the spelling of the dialect
    #[arg(long, value_name = "E", required_unless_present = "sample")]
    pub event: Option<String>,
    /// The layer: user, project, local or skill, if the dialect has it; a sample has a usual one
    #[arg(long, value_name = "L", required_unless_present = "sample")]
    pub layer: Option<String>,
    /// The hook's fields as JSON, or - for stdin
    #[arg(
        long,
        value_name = "JSON|-",
        allow_hyphen_values = true,
        required_unless_present = "sample"
    )]
    pub definition: Option<String>,
    /// Add the hooks of a sample with their scripts instead; `samples` lists them
    #[arg(long, value_name = "DIALECT/NAME", conflicts_with_all = ["dialect", "event", "definition"])]
    pub sample: Option<String>,
    /// Print the changes and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `edit`
#[derive(Debug, Args)]
pub struct EditArgs {
    /// Hook id, as `list` shows it
    pub hook: String,
    /// The changed fields
    #[command(flatten)]
    pub fields: FieldChanges,
    /// Switch the hook on in its file; only PicoClaw's files have such a switch
    #[arg(long, conflicts_with = "disable")]
    pub enable: bool,
    /// Switch the hook off in its file; only PicoClaw's files have such a switch, `mute` works for every hook
    #[arg(long)]
    pub disable: bool,
    /// Move it to this position in its list; 1 is the first
    #[arg(long, value_name = "N")]
    pub move_to: Option<u32>,
    /// Move it to the file of another layer
    #[arg(long, value_name = "L")]
    pub to_layer: Option<String>,
    /// Add a copy after it; all other changes apply to the copy
    #[arg(long)]
    pub duplicate: bool,
    /// Print the changes and write nothing
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
    /// Set a field; dots lead into mappings, the value is YAML
    #[arg(long, value_name = "FIELD=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Remove a field; `--set` and `--unset` are applied in the given order
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

/// `convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The dialect of the hooks, such as jcli
    #[arg(long, value_name = "D")]
    pub from: String,
    /// The dialect of the result
    #[arg(long, value_name = "D")]
    pub to: String,
    /// A configuration file, a hook's folder, or a folder that contains some
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Write the files into this folder, as for a project
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `schema`
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The dialect of the files: jcli, qoder, skill, agent-hooks or picoclaw
    #[arg(long, value_name = "NAME")]
    pub dialect: String,
    /// The language of the descriptions
    #[arg(long, value_enum, default_value_t = LanguageArg::En, value_name = "LANGUAGE")]
    pub language: LanguageArg,
}

/// A language of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// English
    En,
    /// Simplified Chinese
    Zh,
}

impl From<LanguageArg> for SchemaLanguage {
    fn from(language: LanguageArg) -> Self {
        match language {
            LanguageArg::En => Self::En,
            LanguageArg::Zh => Self::Zh,
        }
    }
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
}

/// `disconnect`
#[derive(Debug, Args)]
pub struct ConnectionArgs {
    /// The agent: jcli, qoder, agent-hooks or picoclaw
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

const STATS_EXAMPLES: &str = "\
Examples:
  hookwright stats                                  the last 24 hours, of all projects
  hookwright stats --since 7d --only-project        only hooks of this project and your own
  hookwright stats --since 2h --until 1h            one hour that has ended
  hookwright stats --agent qoder --dialect qoder
  hookwright stats --since 30d --series --json | jq '.series.buckets[].p95_ms'

Metrics are kept by minute for two days, and then by hour, so a period begins with a whole minute or hour.
Figures of an agent or a session are counted from the newest 50,000 recorded events.
If the period has more, a note says from when on they are counted.";

/// The arguments of `stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// The period to include: 90s, 30m, 24h, 7d
    #[arg(long, default_value = "24h", value_name = "TIME")]
    pub since: String,
    /// How long ago the period ended (default: now)
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only hooks of this project and your own
    #[arg(long)]
    pub only_project: bool,
    /// Only hooks of this dialect
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// Only this hook, by its id or label
    #[arg(long, value_name = "HOOK")]
    pub hook: Option<String>,
    /// Only what this agent fired
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Only what was fired in this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// With --json: also the figures over time
    #[arg(long, requires = "json")]
    pub series: bool,
}

const HISTORY_EXAMPLES: &str = r#"Examples:
  hookwright history --limit 10
  hookwright history --query 'event:PreToolUse tool:Bash -verdict:proceed since:2h'
  hookwright history --query 'outcome:failed_open,timed_out_open dur:>500ms'
  hookwright history --json | jq -r .next

A query is words that must all match. Keys: event: dialect: tool: hook: outcome: verdict: agent: session: project:
origin: text: dur: since:. A word without a key is text:, which looks at payloads, streams and reasons.
`*` at either end matches any text, `a,b` means a or b, `-` before a word excludes, quotes keep spaces together."#;

const FIRE_EXAMPLES: &str = r#"Examples:
  hookwright fire --dialect jcli --event pre_send_message --payload hello.json
  echo '{"tool_name": "Bash", "tool_arguments": "{}"}' | hookwright fire --dialect jcli --event pre_tool_execution --payload -
  hookwright fire --dialect jcli --event stop --trust --json

Marks: ○ no opinion, ● allowed, ◆ changed, ? asks, ✖ denied, ◌ not matched, ◠ skipped,
△ failed and the agent continues, ▲ failed and the agent is blocked, ⧖ ⧗ the same for timeouts, … still running.

Exit: 0 continued, 2 blocked, 1 could not be fired."#;

const ADD_EXAMPLES: &str = r##"Examples, one for each dialect:
  hookwright add --dialect jcli --event stop --layer project --definition '{"command": "sh gate.sh"}'
  hookwright add --dialect qoder --event PreToolUse --layer project \
    --definition '{"matcher": "Bash", "type": "command", "command": "sh gate.sh"}'
  hookwright add --dialect skill --event before_planning --layer skill \
    --definition '{"skill": "reviewer", "name": "rules", "text": "Be brief.", "role": "system", "persistent": false}'
  hookwright add --dialect agent-hooks --event before_tool --layer project \
    --definition '{"name": "guard", "description": "Blocks every tool", "script": "#!/bin/sh\nexit 2\n"}'
  hookwright add --dialect picoclaw --event before_tool --layer user \
    --definition '{"name": "guard", "enabled": true, "command": ["python3", "guard.py"], "intercept": ["before_tool"]}'
  hookwright add --dialect jcli --event stop --layer user --definition - --dry-run < hook.json
  hookwright add --sample agent-hooks/protect-files --dry-run"##;
