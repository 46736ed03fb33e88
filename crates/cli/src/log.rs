//! Hookwright's log: one line per log event, on stderr, in addition to the output of a command. The level is `warn`, or
//! the level in `HOOKWRIGHT_LOG`.
//!
//! What it deliberately does not do: it does not contain what hooks return. A log line names the thing and the time it
//! took. Only an agent's own debug log contains the reason, as it was recorded.

use std::fmt;

use hookwright_app::fire::RAW_LOG_TARGET;
use tracing::level_filters::{LevelFilter, ParseLevelFilterError};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::style::escape_invisible;

/// Starts the log: from now on, events of this level and more severe ones are written. Without a level, warnings are.
///
/// # Errors
/// The text is not a level. Warnings are written anyway.
pub fn init(level: Option<&str>) -> Result<(), ParseLevelFilterError> {
    let level = level.map(str::parse::<LevelFilter>).transpose();
    let max_level = level.as_ref().ok().copied().flatten().unwrap_or(LevelFilter::WARN);
    // If a subscriber is already installed, that is not a failure.
    drop(subscriber_for(std::io::stderr, max_level).try_init());
    level.map(drop)
}

/// A subscriber that writes lines of Hookwright's crates to this writer. Warnings of libraries are left out, because
/// their failures are returned as errors.
fn subscriber_for<W>(writer: W, level: LevelFilter) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(writer)
        .event_format(OneLineFormat);
    let ours = Targets::new().with_target("hookwright", level);
    tracing_subscriber::registry().with(lines).with(ours)
}

/// The format `hookwright: message field=value`. Lines of an agent's own debug log are written unchanged.
struct OneLineFormat;

impl<S, N> FormatEvent<S, N> for OneLineFormat
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = String::new();
        context.format_fields(Writer::new(&mut line), event)?;
        let line = escape_invisible(&line).replace('\n', "\\n");
        match event.metadata().target() {
            RAW_LOG_TARGET => writeln!(out, "{line}"),
            _ => writeln!(out, "hookwright: {line}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_warning_is_one_line_and_lower_levels_are_not_written() {
        let buffer = LogBuffer::default();
        let writer = buffer.clone();
        tracing::subscriber::with_default(subscriber_for(move || writer.clone(), LevelFilter::WARN), || {
            tracing::warn!(why = %"the disk\nis \u{1b}[31mfull", "not kept");
            tracing::info!("business as usual");
            tracing::warn!(target: "somebody_else", "not ours");
        });
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        assert!(text.starts_with("hookwright: not kept why=the disk\\nis "), "{text:?}");
        assert_eq!((text.lines().count(), text.contains('\u{1b}')), (1, false), "{text:?}");
    }
}
