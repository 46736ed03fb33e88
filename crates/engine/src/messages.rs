//! The engine's messages.

hookwright_model::messages! {
    /// A field or verdict that the event's row does not list (`engine.md` §1, step 4).
    NOT_ACCEPTED = "not_accepted" { "{event} does not accept it", "{event} 不接受此项" };
    /// A hook that can block was replaced, and its replacement does not run either.
    INACTIVE_REPLACEMENT = "replaced_in_vain" { "{hook} did not run, because {by} of the same name replaces it, and that did not run either", "{hook} 没有运行，因为同名的 {by} 取代了它，而后者也没有运行" };
    /// A hook that is not approved has the same name as an active one.
    WOULD_SHADOW = "would_shadow" { "{by} of the same name is not approved, so {hook} stays in force", "同名的 {by} 未获批准，因此 {hook} 仍然有效" } hint { "run `hookwright trust` to review it, or rename one of the two", "执行 `hookwright trust` 审阅，或给其中一个改名" };
    /// A halt discarded earlier edits.
    DROPPED = "dropped" { "dropped: {hook} ended the chain", "已丢弃：{hook} 结束了链" };
    /// An output that has an effect only together with other verdicts.
    NOT_WITH_VERDICT = "not_beside" { "without effect beside the verdict {verdict}", "与裁决 {verdict} 并存时无效" };
    /// A detached hook returned something after the reply.
    TOO_LATE = "detached_answer" { "it runs after the reply, so nobody waits for its answer", "它在答复之后运行，没有人等待它的回答" };
    /// A later hook's value replaced this one.
    REPLACED_BY = "replaced_by" { "replaced by {hook}", "被 {hook} 取代" };
    /// The definition has an error.
    GATE_INVALID = "gate_invalid" { "{problem}", "{problem}" };
    /// Another hook of the same name replaces this one.
    GATE_SHADOWED = "shadowed_by" { "shadowed by {hook}", "被 {hook} 覆盖" };
    /// A built-in hook of the agent.
    GATE_BUILTIN = "runs_in_agent" { "runs inside the agent only", "只在 Agent 内部运行" };
    /// The agent of the session runs the hooks of its files itself.
    GATE_NATIVE = "agent_runs_hook" { "the agent runs this hook itself", "此 hook 由 Agent 自己运行" };
    /// The hook is for another event.
    GATE_EVENT = "other_event" { "it is for {wanted}, the event is {event}", "它监听 {wanted}，当前事件是 {event}" };
    /// An earlier hook ended the chain.
    CHAIN_ENDED = "chain_ended" { "{hook} ended the chain", "{hook} 结束了链" };
    /// The chain's budget was used up before the hook's turn.
    BUDGET_SPENT = "budget_spent" { "the chain budget of {seconds} s was used up", "整条链的 {seconds} 秒预算已用完" };
    /// The chain's budget ended while the hook ran.
    BUDGET_ENDED = "budget_ended" { "chain budget of {seconds} s ended", "整条链的 {seconds} 秒预算已到" };
    /// The user or the engine stopped the chain before the hook's turn.
    CANCELLED = "cancelled" { "the chain was stopped before its turn", "轮到它之前链已被停止" };
    /// The user or the engine stopped the hook while it ran.
    CANCELLED_RUN = "cancelled_run" { "stopped before it ended", "运行结束前被停止" };
    /// A hook broke, and the call is allowed.
    FAILED_OPEN = "failed_open" { "{label} failed; the agent went ahead", "{label} 失败，Agent 已继续" };
    /// A hook broke, and the call is blocked.
    FAILED_CLOSED = "failed_closed" { "{label} failed; the agent was held", "{label} 失败，Agent 已被拦下" };
    /// Hooks that did not run because they are not approved.
    UNTRUSTED_SKIPPED = "untrusted_skipped" { "{count} not run because nobody approved it: {names}", "{count} 个因未获批准而未运行：{names}" };
    /// An event arrived after the end of its session.
    SESSION_CLOSED = "session_closed" { "the session was closed", "会话已关闭" } hint { "open the session again, then send the event", "请重新打开会话，再发送事件" };
    /// Hooks that fire events are nested too deeply, so they are most likely a loop (`engine.md` §2).
    TOO_DEEP = "payload_refused" / "depth" { "this event was fired from inside a hook, {depth} deep", "此事件由 hook 内部触发，已嵌套 {depth} 层" } hint { "a hook that fires the event it runs for would never end", "触发自身所属事件的 hook 将永不结束" };
    /// Too many events of one session are running.
    TOO_MANY_EVENTS = "too_many_events" { "{limit} events of this session are still running", "此会话已有 {limit} 个事件正在运行" } hint { "wait for an answer before you send the next event", "请收到一个答复后再发送下一个事件" };
}
