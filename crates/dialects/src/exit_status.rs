//! How commands end, in words (`engine.md` §4, §7). What an end means is the dialect's decision.

use hookwright_model::{End, Hook, Message, MessageTemplate, Run, args};
use serde_json::Value;

/// Characters of stderr that a reason holds; the end of it is the telling part.
const MAX_REASON_CHARS: usize = 2000;

hookwright_model::messages! {
    /// stdout is no text.
    NOT_UTF8 = "not_utf8" { "stdout is not UTF-8", "stdout 不是 UTF-8" };
    /// An exit status that is not 0.
    EXITED = "exited" { "exited with {code}", "退出码 {code}" };
    /// An exit status that is not 0, with what it said.
    EXITED_WITH_STDERR = "exited" / "saying" { "exited with {code}: {stderr}", "退出码 {code}：{stderr}" };
    /// A signal ended it.
    SIGNALLED = "signalled" { "ended by signal {signal}", "被信号 {signal} 终止" };
    /// A signal ended it, with what it said.
    SIGNALLED_WITH_STDERR = "signalled" / "saying" { "ended by signal {signal}: {stderr}", "被信号 {signal} 终止：{stderr}" };
    /// It did not end in time.
    TIMED_OUT = "timed_out" { "timed out after {seconds} s", "超过 {seconds} 秒未结束" };
    /// It could not be started.
    NOT_STARTED = "not_started" { "could not be started: {stderr}", "无法启动：{stderr}" };
    /// It ended in a way that this kind of hook never does.
    ENDED_OTHERWISE = "ended_otherwise" { "ended without an answer", "结束但没有给出结果" };
    /// An answer that is written correctly and holds what cannot be held.
    UNREPRESENTABLE = "unheld_json" { "the answer is JSON that cannot be held: a number beyond every double, half of a surrogate pair, or more than 128 levels", "结果是无法承载的 JSON：数字超出双精度范围、代理对只有一半，或嵌套超过 128 层" };
    /// More than can be read.
    TOO_MUCH = "too_much_output" { "stdout is larger than 32 MiB", "stdout 超过 32 MiB" };
}

/// A process that ended with status 0.
///
/// # Errors
/// It ended in any other way, in words.
pub fn check_success(hook: &Hook, run: &Run) -> Result<(), Message> {
    match status(hook, run)? {
        0 => Ok(()),
        code => Err(exit_message(code, run)),
    }
}

/// The status a process ended with.
///
/// # Errors
/// It did not come to that, in words.
pub fn status(hook: &Hook, run: &Run) -> Result<i32, Message> {
    match (run.end, run.code) {
        (End::Exit, Some(code)) => Ok(code),
        (End::Signal, _) => Err(end_message(
            &SIGNALLED,
            &SIGNALLED_WITH_STDERR,
            "signal",
            run.signal,
            run,
        )),
        (End::TimedOut, _) => Err(timeout_message(hook)),
        (End::NotStarted, _) => Err(NOT_STARTED.render(args! { "stderr" => stderr_reason(run) })),
        (End::Exit | End::Cancelled | End::Replied | End::Refused | End::PeerGone | End::Done, _) => {
            Err(ENDED_OTHERWISE.render_plain())
        }
    }
}

/// A status that is a failure.
#[must_use]
pub fn exit_message(code: i32, run: &Run) -> Message {
    end_message(&EXITED, &EXITED_WITH_STDERR, "code", Some(code), run)
}

/// The hook's own limit was reached.
#[must_use]
pub fn timeout_message(hook: &Hook) -> Message {
    let whole = hook.timeout.as_secs();
    let seconds = if hook.timeout.subsec_millis() == 0 {
        Value::from(whole)
    } else {
        Value::from(hook.timeout.as_secs_f64())
    };
    TIMED_OUT.render(args! { "seconds" => seconds })
}

/// What it said beside, trimmed.
#[must_use]
pub fn stderr_reason(run: &Run) -> String {
    let text = String::from_utf8_lossy(&run.stderr.bytes);
    let text = text.trim();
    let length = text.chars().count();
    if length <= MAX_REASON_CHARS {
        return text.to_owned();
    }
    let tail: String = text.chars().skip(length - MAX_REASON_CHARS).collect();
    format!("…{tail}")
}

fn end_message(
    bare: &MessageTemplate,
    template: &MessageTemplate,
    name: &str,
    number: Option<i32>,
    run: &Run,
) -> Message {
    let mut args = args! { "stderr" => stderr_reason(run) };
    args.insert(name.to_owned(), number.map_or(Value::Null, Value::from));
    if args["stderr"] == "" {
        args.remove("stderr");
        return bare.render(args);
    }
    template.render(args)
}
