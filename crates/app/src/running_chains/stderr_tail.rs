//! The newest part of what a running hook wrote to stderr.

use std::sync::{Arc, Mutex};

use hookwright_model::RunProgress;
use hookwright_workspace::lock::lock;

use super::signal::ChangeSignal;

/// How many bytes of masked text are shown.
pub const MAX_SHOWN_STDERR_BYTES: usize = 16 << 10;
/// How many bytes are kept. A secret that begins before the kept bytes could not be recognized, so its rest must lie
/// before the shown ones.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// What a hook wrote to stderr while it runs. The memory is taken with the first piece, and not for each piece.
#[derive(Debug)]
pub(super) struct StderrTail {
    kept: Mutex<KeptBytes>,
    signal: Arc<ChangeSignal>,
}

#[derive(Debug, Default)]
struct KeptBytes {
    bytes: Vec<u8>,
    /// Whether earlier bytes were dropped.
    is_cut: bool,
}

impl StderrTail {
    pub(super) fn new(signal: Arc<ChangeSignal>) -> Self {
        Self {
            kept: Mutex::default(),
            signal,
        }
    }

    /// The complete lines, and whether earlier ones were dropped. An incomplete last line may end inside a secret, and
    /// a first line whose beginning was dropped may begin inside one, so neither is included.
    pub(super) fn lines(&self) -> (String, bool) {
        let kept = lock(&self.kept);
        let is_cut = kept.is_cut || kept.bytes.len() > MAX_KEPT_BYTES;
        let bytes = &kept.bytes[kept.bytes.len().saturating_sub(MAX_KEPT_BYTES)..];
        let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let start = if is_cut {
            bytes.iter().position(is_line_end).map_or(bytes.len(), |at| at + 1)
        } else {
            0
        };
        let end = bytes.iter().rposition(is_line_end).map_or(start, |at| at + 1);
        let lines = bytes.get(start..end).unwrap_or_default();
        (String::from_utf8_lossy(lines).into_owned(), is_cut)
    }
}

impl RunProgress for StderrTail {
    fn stderr(&self, piece: &[u8]) {
        let mut kept = lock(&self.kept);
        // Bytes are moved to the front once for each `MAX_KEPT_BYTES`, not for each piece.
        if kept.bytes.len() + piece.len() > 2 * MAX_KEPT_BYTES {
            let from_old = MAX_KEPT_BYTES.saturating_sub(piece.len());
            let dropped = kept.bytes.len().saturating_sub(from_old);
            kept.bytes.drain(..dropped);
            kept.is_cut = true;
        }
        let piece = &piece[piece.len().saturating_sub(2 * MAX_KEPT_BYTES)..];
        kept.bytes.extend_from_slice(piece);
        drop(kept);
        self.signal.note_change();
    }
}

/// The end of a masked text, at most [`MAX_SHOWN_STDERR_BYTES`], from the beginning of a line where there is one.
/// Returns whether anything was left out.
pub(super) fn shown_end(text: &str) -> (&str, bool) {
    let Some(over) = text.len().checked_sub(MAX_SHOWN_STDERR_BYTES).filter(|over| *over > 0) else {
        return (text, false);
    };
    let mut from = over;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let line = text[from..].find('\n').map_or(from, |at| from + at + 1);
    (&text[if line < text.len() { line } else { from }..], true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(pieces: &[&[u8]]) -> (String, bool) {
        let tail = StderrTail::new(Arc::default());
        pieces.iter().for_each(|piece| tail.stderr(piece));
        tail.lines()
    }

    #[test]
    fn only_complete_lines_are_shown() {
        assert_eq!(tail(&[b"one\ntw", b"o\nthr"]), ("one\ntwo\n".to_owned(), false));
        assert_eq!(tail(&[b"10 %\r20 %\r3"]), ("10 %\r20 %\r".to_owned(), false));
        assert_eq!(tail(&[b"no line"]), (String::new(), false));
    }

    #[test]
    fn the_newest_lines_stay_and_memory_is_bounded() {
        let all = StderrTail::new(Arc::default());
        for number in 0..100_000 {
            all.stderr(format!("line {number}\n").as_bytes());
        }
        assert!(lock(&all.kept).bytes.len() <= 2 * MAX_KEPT_BYTES);
        let (lines, is_cut) = all.lines();
        assert!(is_cut && lines.len() <= MAX_KEPT_BYTES && lines.ends_with("line 99999\n"));
        assert!(lines.starts_with("line "), "{}", &lines[..20]);
        let (shown, _) = shown_end(&lines);
        assert!(shown.len() <= MAX_SHOWN_STDERR_BYTES && shown.starts_with("line "));
    }

    #[test]
    fn a_piece_larger_than_the_memory_leaves_its_end() {
        let huge = [b"x\n".repeat(1 << 20), b"the end\n".to_vec()].concat();
        let (lines, is_cut) = tail(&[b"begin\n", &huge]);
        assert!(is_cut && lines.ends_with("the end\n") && lines.len() <= MAX_KEPT_BYTES);
        let endless = vec![b'x'; 1 << 20];
        assert_eq!(tail(&[&endless]), (String::new(), true));
        let (shown, is_cut) = shown_end(std::str::from_utf8(&endless).unwrap());
        assert!(is_cut && shown.len() == MAX_SHOWN_STDERR_BYTES);
    }
}
