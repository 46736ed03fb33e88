//! What the parts of this program have to say beside their answers: warnings, one line each, on stderr.
//!
//! What it deliberately does not do: it is no place for what hooks say. Those who log name what it was and how long.

use std::fmt;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::ink::visible;

/// From now on they are heard.
pub fn listen() {
    // Somebody who listens already is no reason to fail.
    drop(to(std::io::stderr).try_init());
}

/// Warnings of our own crates, for that writer; what libraries warn of comes to us as errors.
fn to<W>(writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(writer)
        .event_format(OneLine);
    let ours = Targets::new().with_target("hookwright", Level::WARN);
    tracing_subscriber::registry().with(lines).with(ours)
}

/// `hookwright: message field=value`
struct OneLine;

impl<S, N> FormatEvent<S, N> for OneLine
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = String::new();
        context.format_fields(Writer::new(&mut line), event)?;
        writeln!(out, "hookwright: {}", visible(&line).replace('\n', "\\n"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_warning_is_one_line_and_less_is_not_heard() {
        let kept = Kept::default();
        let writer = kept.clone();
        tracing::subscriber::with_default(to(move || writer.clone()), || {
            tracing::warn!(why = %"the disk\nis \u{1b}[31mfull", "not kept");
            tracing::info!("business as usual");
            tracing::warn!(target: "somebody_else", "not ours");
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert!(text.starts_with("hookwright: not kept why=the disk\\nis "), "{text:?}");
        assert_eq!((text.lines().count(), text.contains('\u{1b}')), (1, false), "{text:?}");
    }
}
