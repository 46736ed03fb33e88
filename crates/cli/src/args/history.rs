//! Arguments of the commands that read what was recorded: `history` and `stats`.

use clap::Args;

pub(super) const HISTORY_EXAMPLES: &str = r#"Examples:
  hookwright history --limit 10
  hookwright history --query 'event:PreToolUse tool:Bash -verdict:proceed since:2h'
  hookwright history --query 'outcome:failed_open,timed_out_open dur:>500ms'
  hookwright history --json | jq -r .next

A query is words that must all match. Keys: event: dialect: tool: hook: outcome: verdict: agent: session: project:
origin: text: dur: since:. A word without a key is text:, which looks at payloads, streams and reasons.
`*` at either end matches any text, `a,b` means a or b, `-` before a word excludes, quotes keep spaces together."#;

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

pub(super) const STATS_EXAMPLES: &str = "\
Examples:
  hookwright stats                                  the last 24 hours, of all projects
  hookwright stats --since 7d --only-project        only hooks of this project and your own
  hookwright stats --since 2h --until 1h            one hour that has ended
  hookwright stats --agent qoder --dialect qoder
  hookwright stats --since 7d --compare             what got slower or fails more than in the week before
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
    /// Only hooks of this hook system
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
    /// Compare each hook with the period before, and say what got worse or better
    #[arg(long)]
    pub compare: bool,
}
