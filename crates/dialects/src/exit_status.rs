//! Describes how commands end (`engine.md` §4, §7). The dialect decides what such an end means.

use hookwright_model::{End, Hook, Message, MessageTemplate, Run, args, render};
use serde_json::Value;

/// How many characters of stderr a reason contains. The last ones are kept, since the end usually names the error.
const MAX_REASON_CHARS: usize = 2000;

hookwright_model::messages! {
    /// The stdout of a hook is not text.
    NOT_UTF8 = "not_utf8" { "stdout is not UTF-8", "stdout 不是 UTF-8" };
    /// The hook exited with a status other than 0 and wrote nothing to stderr.
    EXITED = "exited" { "exited with {code}", "退出码 {code}" };
    /// The hook exited with a status other than 0, with its stderr.
    EXITED_WITH_STDERR = "exited" / "saying" { "exited with {code}: {stderr}", "退出码 {code}：{stderr}" };
    /// A signal ended the hook, which wrote nothing to stderr.
    SIGNALLED = "signalled" { "ended by signal {signal}", "被信号 {signal} 终止" };
    /// A signal ended the hook, with its stderr.
    SIGNALLED_WITH_STDERR = "signalled" / "saying" { "ended by signal {signal}: {stderr}", "被信号 {signal} 终止：{stderr}" };
    /// The hook did not end within its time limit.
    TIMED_OUT = "timed_out" { "timed out after {seconds} s", "超过 {seconds} 秒未结束" };
    /// The hook could not be started.
    NOT_STARTED = "not_started" { "could not be started: {stderr}", "无法启动：{stderr}" };
    /// The run ended in a way that does not occur for this kind of handler.
    ENDED_OTHERWISE = "ended_otherwise" { "ended without output", "结束但没有返回结果" };
    /// The hook output is valid JSON that cannot be represented (`crate::json::NotJson::Unrepresentable`).
    UNREPRESENTABLE = "unheld_json" { "the output is JSON that cannot be represented: number out of range, lone surrogate or over 128 levels", "输出是有效的 JSON，但无法表示：数字超出范围、代理对不完整，或嵌套超过 128 层" };
    /// The hook wrote more to stdout than Hookwright reads.
    TOO_MUCH = "too_much_output" { "stdout is larger than 32 MiB", "stdout 超过 32 MiB" };
}

/// Checks that a process exited with status 0.
///
/// # Errors
/// A message that describes any other end.
pub fn check_success(hook: &Hook, run: &Run) -> Result<(), Message> {
    match status(hook, run)? {
        0 => Ok(()),
        code => Err(exit_message(code, run)),
    }
}

/// Returns the exit status of a process.
///
/// # Errors
/// A message that describes the end of a process that did not exit by itself.
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
        (End::NotStarted, _) => Err(render!(NOT_STARTED, "stderr" => stderr_reason(run))),
        (End::Exit | End::Cancelled | End::Replied | End::Refused | End::PeerGone | End::Done, _) => {
            Err(ENDED_OTHERWISE.render_plain())
        }
    }
}

/// Describes an exit status that is a failure, with the stderr of the run.
#[must_use]
pub fn exit_message(code: i32, run: &Run) -> Message {
    end_message(&EXITED, &EXITED_WITH_STDERR, "code", Some(code), run)
}

/// Describes a run that exceeded the time limit of its hook, in seconds.
#[must_use]
pub fn timeout_message(hook: &Hook) -> Message {
    let whole = hook.timeout.as_secs();
    let seconds = if hook.timeout.subsec_millis() == 0 {
        Value::from(whole)
    } else {
        Value::from(hook.timeout.as_secs_f64())
    };
    render!(TIMED_OUT, "seconds" => seconds)
}

/// Returns the stderr of a run as text, trimmed. A long text is cut at its start to `MAX_REASON_CHARS` characters.
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
