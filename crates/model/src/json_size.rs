//! The size of a value as JSON.

use serde::Serialize;

/// How many bytes a value has as JSON, without writing it anywhere. A value that cannot be written counts up to there.
#[must_use]
pub fn json_size(value: &impl Serialize) -> usize {
    let mut bytes = ByteCounter(0);
    // The counter itself never fails.
    drop(serde_json::to_writer(&mut bytes, value));
    bytes.0
}

/// A writer that only counts the bytes.
struct ByteCounter(usize);

impl std::io::Write for ByteCounter {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        self.0 += part.len();
        Ok(part.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
