//! Advice on all entries together (`picoclaw.md` §11). What only a trace can show is reported in the trace.

use std::collections::HashMap;
use std::time::Duration;

use hookwright_model::{Hook, LintContext, Message, Problem, args, render};
use serde_json::Value;

use super::events::CARD;
use super::schema::EVERY_KIND;
use crate::command_lint::{self, LintSubject, check_argument_signs, check_script_programs, find_start_failure};
use crate::misplaced::Search;

/// A time limit up to this was shortened on purpose, so it is not reported.
const SHORT_WAIT: Duration = Duration::from_secs(10);

/// The messages of the advice, in English and Chinese.
pub mod messages {
    hookwright_model::messages! {
        /// A guard that fails open.
        FAILS_OPEN = "fails_open" / "pico" { "this guard fails open: if the process fails or is slow at `before_tool`, the tool runs", "此防护 Hook 失败即放行：进程在 `before_tool` 失败或过慢时，工具会执行" } hint { "use `approve_tool` for a guard: it fails closed", "用 `approve_tool` 作防护：它失败即拦截" };
        /// A process that blocks every tool call if it fails.
        FAILS_CLOSED = "fails_closed" / "pico" { "if this process hangs, each tool call waits up to {seconds} s and is then denied", "若此进程挂起，每次工具调用最多等待 {seconds} 秒，然后被拒绝" } hint { "lower `hooks.defaults.approval_timeout_ms`", "减小 `hooks.defaults.approval_timeout_ms`" };
        /// Only one point of a pair, which includes the other.
        SIBLING = "no_effect" / "pico_sibling" { "with `{point}` the process gets `{sibling}` calls as well: respond to both", "写了 `{point}`，进程也会收到 `{sibling}` 调用：两者都要响应" } hint { "write both names, and return {\"action\": \"continue\"} for the one you do not need", "写上两个名称，并对不需要的一个返回 {\"action\": \"continue\"}" };
        /// A value for every kind next to single kinds.
        TOO_WIDE = "too_wide" / "pico" { "`{all}` includes every kind; the other values have no effect", "`{all}` 包含全部种类；其他值不起作用" } hint { "write only the kinds, or only `*`", "只写各个种类，或只写 `*`" };
        /// Two approvers with the same priority. Their names decide which one is asked first.
        LAST_APPROVER_WINS = "last_wins" / "pico_approver" { "{other} has the same priority {priority} and is asked first by name: if it denies, this hook is not asked", "{other} 的优先级同为 {priority}，按名称先被询问：若它拒绝，则不再询问此 Hook" } hint { "change the `priority` of one of the two; the lower one comes first", "更改其中一个的 `priority`；数值小者在前" };
        /// Two interceptors with the same priority. Their names decide which one runs first.
        LAST_WINS = "last_wins" / "pico" { "{other} has the same priority {priority} at {points} and comes first by name: this hook sees its changes", "{other} 在 {points} 的优先级同为 {priority}，按名称在前：此 Hook 看到的是它修改后的内容" } hint { "change the `priority` of one of the two; the lower one comes first", "更改其中一个的 `priority`；数值小者在前" };
    }
}

/// All advice on the hooks of this dialect that run.
#[must_use]
pub fn lint(context: &LintContext<'_>) -> Vec<Problem> {
    let mut entries: Vec<LintedHook<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for hook in context.hooks {
        let runs = hook.dialect == CARD.id && hook.invalid.is_none() && hook.disabled_reason.is_none();
        if !runs {
            continue;
        }
        let at = *places.entry(&hook.id).or_insert(entries.len());
        match entries.get_mut(at) {
            Some(view) => view.events.push(hook),
            None => entries.push(LintedHook::new(hook)),
        }
    }
    let mut out = Vec::new();
    for view in &entries {
        view.advise(context, &mut out);
    }
    last_wins(&entries, &mut out);
    command_lint::drop_general_fails_open(&mut out, messages::FAILS_OPEN);
    command_lint::merge_problems(&mut out);
    not_read(context, &mut out);
    out
}

/// Reports files that look like hooks but are in places that PicoClaw does not read.
fn not_read(context: &LintContext<'_>, out: &mut Vec<Problem>) {
    let mut search = Search {
        card: &CARD,
        context,
        found: out,
    };
    for base in [&context.locations.home, &context.locations.project] {
        search.misnamed(
            &base.join(".picoclaw"),
            "config.json",
            &["hooks.json", "config.yaml", "config.yml"],
        );
        search.in_place_of(&base.join("picoclaw/config.json"), &base.join(".picoclaw/config.json"));
    }
    search.other_folders(".picoclaw/config.json", true);
}

/// An entry that runs, with all its hooks.
struct LintedHook<'a> {
    hook: &'a Hook,
    events: Vec<&'a Hook>,
    intercept: Vec<&'a str>,
    observe: Vec<&'a str>,
}

impl<'a> LintedHook<'a> {
    fn new(hook: &'a Hook) -> Self {
        let strings = |field: &str| {
            let list = hook.definition.get(field).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        Self {
            hook,
            events: vec![hook],
            intercept: strings("intercept"),
            observe: strings("observe"),
        }
    }

    fn has_point(&self, point: &str) -> bool {
        self.intercept.contains(&point)
    }

    fn problem_at_field(&self, message: Message, field: &str) -> Problem {
        command_lint::problem_at_field(self.hook, message, field)
    }

    /// Why the process cannot be started, as one problem per entry: the program, its script, permissions, first line.
    fn cannot_start(&self, context: &LintContext<'_>) -> Option<Problem> {
        let words = self.hook.definition.get("command").and_then(Value::as_array);
        let argv: Vec<&str> = words.into_iter().flatten().filter_map(Value::as_str).collect();
        let subject = LintSubject::for_argv(self.hook, &argv, context);
        let events = self.events.iter().copied();
        let events = events.filter_map(|hook| Some((hook, CARD.event(&hook.event)?)));
        Some(find_start_failure(&subject, &CARD, context)?.problem(&subject, events))
    }

    /// An operator of a shell among the arguments, and programs that a script of the process starts and this machine lacks.
    fn check_programs(&self, context: &LintContext<'_>, out: &mut Vec<Problem>) {
        let words = self.hook.definition.get("command").and_then(Value::as_array);
        let argv: Vec<&str> = words.into_iter().flatten().filter_map(Value::as_str).collect();
        let subject = LintSubject::for_argv(self.hook, &argv, context);
        out.extend(check_argument_signs(&subject, "command"));
        check_script_programs(&subject, &CARD, false, context, out);
    }

    fn advise(&self, context: &LintContext<'_>, out: &mut Vec<Problem>) {
        out.extend(self.cannot_start(context));
        self.check_programs(context, out);
        let approver = self.events.iter().find(|hook| hook.event == "approve_tool");
        if let Some(approver) = approver {
            let seconds = match approver.timeout.subsec_millis() {
                0 => Value::from(approver.timeout.as_secs()),
                _ => Value::from(approver.timeout.as_secs_f64()),
            };
            if approver.timeout > SHORT_WAIT {
                out.push(self.problem_at_field(render!(messages::FAILS_CLOSED, "seconds" => seconds), "intercept"));
            }
        } else if self.has_point("before_tool") {
            out.push(self.problem_at_field(messages::FAILS_OPEN.render_plain(), "intercept"));
        }
        for (one, other) in [("before_llm", "after_llm"), ("before_tool", "after_tool")] {
            let (point, sibling) = match (self.has_point(one), self.has_point(other)) {
                (true, false) => (one, other),
                (false, true) => (other, one),
                (true, true) | (false, false) => continue,
            };
            let args = args! { "point" => point, "sibling" => sibling };
            out.push(self.problem_at_field(messages::SIBLING.render(args), "intercept"));
        }
        let all = self.observe.iter().find(|kind| EVERY_KIND.contains(kind));
        if let (Some(all), 2..) = (all, self.observe.len()) {
            out.push(self.problem_at_field(render!(messages::TOO_WIDE, "all" => all), "observe"));
        }
    }

    /// The hook points that both entries serve.
    fn shared_points(&self, other: &Self) -> Vec<&'a str> {
        let points = self.events.iter().map(|hook| hook.event.as_str());
        points
            .filter(|point| CARD.event(point).is_some_and(|event| !event.notify_only))
            .filter(|point| other.events.iter().any(|hook| hook.event == *point))
            .collect()
    }
}

/// Reports two entries of the same priority, at the one that runs later, because the order affects that one.
fn last_wins(entries: &[LintedHook<'_>], out: &mut Vec<Problem>) {
    for view in entries {
        let earlier = entries.iter().find(|other| {
            other.hook.rank == view.hook.rank
                && other.hook.label < view.hook.label
                && !view.shared_points(other).is_empty()
        });
        if let Some(other) = earlier {
            // All approvers see the same call.
            let mut points = view.shared_points(other);
            points.retain(|point| *point != "approve_tool");
            let mut args = args! { "other" => other.hook.id, "priority" => view.hook.rank.unwrap_or(0) };
            let message = if points.is_empty() {
                messages::LAST_APPROVER_WINS.render(args)
            } else {
                args.insert("points".to_owned(), points.join(", ").into());
                messages::LAST_WINS.render(args)
            };
            let field = if view.hook.field_positions.get("priority").is_some() {
                "priority"
            } else {
                "intercept"
            };
            out.push(view.problem_at_field(message, field));
        }
    }
}
