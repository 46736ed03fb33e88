//! The engine's messages.

use std::time::Duration;

use serde_json::Value;

hookwright_model::messages! {
    /// A field or verdict that the event's row does not list (`engine.md` §1, step 4).
    NOT_ACCEPTED = "not_accepted" { "{event} does not accept it", "{event} 不接受此项" };
    /// A new input of a call lacks some fields of the one that the agent sent.
    FIELDS_DROPPED = "fields_dropped" { "`{output}` replaces the whole input of the call, and these fields are gone: {fields}", "`{output}` 会替换调用的全部输入，以下字段已丢失：{fields}" } hint { "copy the input from stdin and change only what you want to change", "复制 stdin 中的输入，只修改需要修改的部分" };
    /// A hook that can block was replaced, and its replacement does not run either.
    INACTIVE_REPLACEMENT = "replaced_in_vain" { "{hook} did not run: {by} of the same name replaces it, and did not run either", "{hook} 未执行：同名的 {by} 取代了它，而后者也未执行" };
    /// A hook that is not approved has the same name as an active one.
    WOULD_SHADOW = "would_shadow" { "{by} of the same name is not approved, so {hook} remains active", "同名的 {by} 未获批准，因此 {hook} 仍然有效" } hint { "run `hookwright trust` to review it, or rename one of the two", "执行 `hookwright trust` 审阅，或给其中一个改名" };
    /// Settings of a project that are not approved would switch hooks off, or change how they are run.
    WOULD_DISABLE = "would_disable" { "{settings} is not approved, so it changes nothing; once approved, it changes {labels}", "{settings} 未获批准，因此不起作用；批准后会影响 {labels}" } hint { "run `hookwright trust` to review it", "执行 `hookwright trust` 审阅" };
    /// A halt discarded earlier edits.
    DROPPED = "dropped" { "dropped: {hook} ended the chain", "已丢弃：{hook} 结束了链" };
    /// An output that has an effect only together with other verdicts.
    NOT_WITH_VERDICT = "not_beside" { "it has no effect with the verdict {verdict}", "最终结果为 {verdict} 时不起作用" };
    /// A detached hook returned something after the reply.
    TOO_LATE = "detached_answer" { "the hook runs after the reply, so its output is ignored", "此 Hook 在响应之后执行，其返回结果会被忽略" };
    /// The stdout of a hook that failed.
    UNREAD_STDOUT = "unread_stdout" / "failed" { "stdout is ignored, because the hook failed", "Hook 失败，因此忽略 stdout" };
    /// A later hook's value replaced this one.
    REPLACED_BY = "replaced_by" { "replaced by {hook}", "被 {hook} 取代" };
    /// The definition has an error.
    GATE_INVALID = "gate_invalid" { "{problem}", "{problem}" };
    /// Another hook of the same name replaces this one.
    GATE_SHADOWED = "shadowed_by" { "shadowed by {hook}", "被 {hook} 覆盖" };
    /// The hook is defined again, and the agent runs only the last one.
    GATE_SAME = "same_hook" { "{hook} defines the same hook, and only the last definition runs", "{hook} 定义了相同的 Hook，只执行最后一个定义" };
    /// Two hooks set the same, and in the agent the one that ends last counts.
    RACE_LAST = "race" / "last" { "{kept} and {lost} both set {what}: here the later one is used, in the agent the one that ends last", "{kept} 和 {lost} 都设置了 {what}：此处以后者为准，而 Agent 以最后结束的为准" } hint { "let one hook set it", "只由一个 Hook 设置" };
    /// The same where the one that ends first counts.
    RACE_FIRST = "race" / "first" { "{kept} and {lost} both set {what}: here the earlier one is used, in the agent the one that ends first", "{kept} 和 {lost} 都设置了 {what}：此处以前者为准，而 Agent 以最先结束的为准" } hint { "let one hook set it", "只由一个 Hook 设置" };
    /// A built-in hook of the agent.
    GATE_BUILTIN = "runs_in_agent" { "runs only inside the agent", "只在 Agent 内部执行" };
    /// The agent of the session runs the hooks of its files itself.
    GATE_NATIVE = "agent_runs_hook" { "the agent runs this hook itself", "此 Hook 由 Agent 自己执行" };
    /// The hook is for another event.
    GATE_EVENT = "other_event" { "the hook is for {wanted}, the event is {event}", "此 Hook 用于 {wanted}，当前事件是 {event}" };
    /// An earlier hook ended the chain.
    CHAIN_ENDED = "chain_ended" { "{hook} ended the chain", "{hook} 结束了链" };
    /// The chain's budget was used up before the hook's turn.
    BUDGET_SPENT = "budget_spent" { "the chain budget of {seconds} s was used up", "整条链的 {seconds} 秒时间预算已用完" };
    /// The chain's budget ended while the hook ran.
    BUDGET_ENDED = "budget_ended" { "chain budget of {seconds} s ended", "整条链的 {seconds} 秒预算已到" };
    /// The user or the engine stopped the chain before the hook's turn.
    CANCELLED = "cancelled" { "the chain was stopped before this hook", "轮到此 Hook 之前，链已停止" };
    /// The user or the engine stopped the hook while it ran.
    CANCELLED_RUN = "cancelled_run" { "stopped before it finished", "执行完成前被停止" };
    /// A hook broke, and the call is allowed.
    FAILED_OPEN = "failed_open" { "{label} failed; the agent continues", "{label} 失败，Agent 继续执行" };
    /// A hook broke, and the call is blocked.
    FAILED_CLOSED = "failed_closed" { "{label} failed; the agent is blocked", "{label} 失败，Agent 已被拦截" };
    /// A hook exceeded its time limit, and the call is allowed.
    TIMED_OUT_OPEN = "failed_open" / "timed_out" { "{label} timed out; the agent continues", "{label} 超时，Agent 继续执行" };
    /// A hook exceeded its time limit, and the call is blocked.
    TIMED_OUT_CLOSED = "failed_closed" / "timed_out" { "{label} timed out; the agent is blocked", "{label} 超时，Agent 已被拦截" };
    /// Hooks that did not run because they are not approved.
    UNTRUSTED_SKIPPED = "untrusted_skipped" { "{count} not run because not approved: {names}", "{count} 个 Hook 未获批准，因此未执行：{names}" };
    /// An event arrived after the end of its session.
    SESSION_CLOSED = "session_closed" { "the session was closed", "会话已关闭" } hint { "open the session again, then send the event", "重新打开会话，再发送事件" };
    /// Hooks that fire events are nested too deeply, so they are most likely a loop (`engine.md` §2).
    TOO_DEEP = "payload_refused" / "depth" { "this event was fired from inside hooks, {depth} levels deep", "此事件由 Hook 内部触发，已嵌套 {depth} 层" } hint { "check for a loop: a hook must not fire the event that it runs for", "检查是否存在循环：Hook 不能触发自身所属的事件" };
    /// Too many events of one session are running.
    TOO_MANY_EVENTS = "too_many_events" { "{limit} events of this session are still in progress", "此会话已有 {limit} 个事件尚未处理完" } hint { "wait for a reply before you send the next event", "收到一个响应后再发送下一个事件" };
}

/// A duration in seconds, for a message: whole ones without a fraction.
pub fn seconds(duration: Duration) -> Value {
    if duration.subsec_millis() == 0 {
        Value::from(duration.as_secs())
    } else {
        Value::from(duration.as_secs_f64())
    }
}
