//! The notifications: a guard that failed open, a hook over its budget, a new hook that waits for approval, a program that
//! joined the session of others.
//!
//! How it works: [`watch`] follows the journal and the approvals of an engine. [`findings`] says what of it the user may
//! want to know, as data. [`board`] leaves out what was said a short time ago and joins what came together. What is left
//! becomes [`Push::Notice`], which the page shows as a toast and the desktop program as a notification. Without a
//! receiver of pushes nothing is done.

mod board;
mod finding;
mod findings;
mod pending;
mod text;
mod watch;

use hookwright_model::MessageTemplate;
use hookwright_workspace::settings::NotificationSettings;

use crate::pushes::NoticeReason;

pub use text::text_in;
pub(crate) use text::{path, program_joined};
pub use watch::watch;

hookwright_model::messages! {
    /// A guard failed, and the agent continued.
    FAILED_OPEN = "notice_failed_open" / "failed" { "guard {hook} failed at {event}; the agent continued", "防护 Hook {hook} 在 {event} 失败，Agent 已继续执行" };
    /// A guard timed out, and the agent continued.
    TIMED_OUT_OPEN = "notice_failed_open" / "timed_out" { "guard {hook} timed out at {event}; the agent continued", "防护 Hook {hook} 在 {event} 超时，Agent 已继续执行" };
    /// Several guards failed or timed out, and the agent continued.
    FAILED_OPEN_MANY = "notice_failed_open" / "many" { "{count} guards failed open; the agent continued", "{count} 个防护 Hook 失败并放行，Agent 已继续执行" };
    /// A hook ran into its time limit.
    OVER_LIMIT = "notice_over_budget" / "limit" { "hook {hook} exceeded its time limit at {event}", "Hook {hook} 在 {event} 超出时限" };
    /// A hook did not run, because the time of its chain was used up.
    BUDGET_SPENT = "notice_over_budget" / "budget" { "hook {hook} did not run at {event}: the time budget of the chain was used up", "Hook {hook} 在 {event} 未执行：链的时间预算已用完" };
    /// Several hooks took too long.
    OVER_BUDGET_MANY = "notice_over_budget" / "many" { "{count} hooks exceeded their time limit or budget", "{count} 个 Hook 超出时限或时间预算" };
    /// A new hook waits for approval.
    WAITS = "notice_waits_for_approval" / "new" { "hook {hook} at {event} waits for approval", "{event} 的 Hook {hook} 待批准" };
    /// A hook of an agent's event did not run, because it waits for approval.
    WAITED = "notice_waits_for_approval" / "skipped" { "hook {hook} did not run at {event}: it waits for approval", "Hook {hook} 在 {event} 未执行：待批准" };
    /// A program joined the session of others.
    JOINED = "session_joined" { "another program joined session {session}: {agent} ({program}, process {pid})", "另一个程序加入了会话 {session}：{agent}（{program}，进程 {pid}）" } hint { "use Disconnect on the Agents screen if you do not know it", "如果不认识它，可在 Agent 页面点击“断开连接”" };
    /// The same, on a system that does not say which process it is.
    JOINED_UNKNOWN = "session_joined" / "unknown" { "another program joined session {session}: {agent}", "另一个程序加入了会话 {session}：{agent}" } hint { "use Disconnect on the Agents screen if you do not know it", "如果不认识它，可在 Agent 页面点击“断开连接”" };
    /// Several hooks wait for approval.
    WAITS_MANY = "notice_waits_for_approval" / "many" { "{count} hooks wait for approval", "{count} 个 Hook 待批准" };
}

/// What holds for one reason.
struct Rule {
    reason: NoticeReason,
    /// Its switch in the settings.
    is_on: fn(&NotificationSettings) -> bool,
    /// The sentence for several hooks.
    many: &'static MessageTemplate,
    /// The page that lists them.
    many_at: &'static str,
}

/// The rules, the most urgent first.
const RULES: [Rule; 3] = [
    Rule {
        reason: NoticeReason::FailedOpen,
        is_on: |settings| settings.failed_open,
        many: &FAILED_OPEN_MANY,
        many_at: "/history?q=outcome%3Afailed_open%2Ctimed_out_open",
    },
    Rule {
        reason: NoticeReason::OverBudget,
        is_on: |settings| settings.over_budget,
        many: &OVER_BUDGET_MANY,
        many_at: "/metrics",
    },
    Rule {
        reason: NoticeReason::WaitsForApproval,
        is_on: |settings| settings.waits_for_approval,
        many: &WAITS_MANY,
        many_at: "/trust",
    },
];

/// Whether the settings ask for notifications of this kind.
fn is_on(reason: NoticeReason, settings: &NotificationSettings) -> bool {
    RULES.iter().any(|rule| rule.reason == reason && (rule.is_on)(settings))
}
