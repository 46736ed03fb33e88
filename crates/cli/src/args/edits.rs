//! Arguments of `add` and `edit`.

use clap::{ArgMatches, Args, FromArgMatches};

pub(super) const ADD_EXAMPLES: &str = r##"Examples, one for each hook system:
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

/// `add`
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The hook system, such as jcli
    #[arg(long, value_name = "D", required_unless_present = "sample")]
    pub dialect: Option<String>,
    /// The event, as the hook system spells it
    #[arg(long, value_name = "E", required_unless_present = "sample")]
    pub event: Option<String>,
    /// The layer: user, project, local or skill, if the hook system has it; a sample has a default
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
    /// Set a field; dots name inner fields, the value is YAML
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
