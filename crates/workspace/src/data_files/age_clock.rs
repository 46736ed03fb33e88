//! `clock.json` of the data folder: what is remembered of earlier readings of the clock, for all programs.

use std::path::Path;

use hookwright_model::{AgeClock, Ages, Clock, ClockReading, Message, render};

use super::locked_file;

hookwright_model::messages! {
    /// The clock jumped by a day or more, so nothing is removed because of its age for a day.
    CLOCK_JUMPED = "clock_jumped" { "the clock jumped by {days} days; nothing is removed because of its age before {until}", "系统时钟跳变了 {days} 天；在 {until} 之前，不会因过期而删除任何内容" } hint { "check the date of this machine", "检查本机的日期" };
}

/// The same clock, with the memory of this data folder.
#[must_use]
pub fn with_memory(clock: Clock, data_dir: &Path) -> Clock {
    let path = data_dir.join("clock.json");
    clock.with_ages(move |now| look(&path, now))
}

/// Compares a reading with the earlier ones and remembers it. If that fails, nothing may be removed: without the memory
/// a jump is not seen.
fn look(path: &Path, now: &ClockReading) -> Ages {
    let known = locked_file::read_json::<AgeClock>(path);
    let mut clock = known.as_ref().ok().cloned().unwrap_or_default();
    let ages = clock.look(now);
    if known.is_ok_and(|known| known == clock) {
        return ages;
    }
    let mut seen = None;
    let changed = locked_file::change_json(path, |clock: &mut AgeClock| seen = Some(clock.look(now)));
    match (changed, seen) {
        (Ok(_), Some(ages)) => ages,
        (Err(error), _) => {
            tracing::warn!(%error, "the last reading of the clock was not stored, so nothing is removed because of its age");
            Ages::Wait {
                until: now.wall,
                jump: None,
            }
        }
        (Ok(_), None) => ages,
    }
}

/// What the user is told if nothing is removed because the clock jumped; `None` if it did not.
#[must_use]
pub fn jump_message(ages: Ages) -> Option<Message> {
    let Ages::Wait {
        until,
        jump: Some(jump),
    } = ages
    else {
        return None;
    };
    let until = until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Some(render!(CLOCK_JUMPED, "days" => jump.as_hours() / 24, "until" => until))
}
