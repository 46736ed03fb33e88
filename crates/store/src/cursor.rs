//! The position where a page ended.

use std::fmt;
use std::str::FromStr;

use hookwright_model::trace::TraceRow;
use ulid::Ulid;

use crate::error::StoreError;
use crate::spool_reader::{PageKey, nanos};

/// The position after the last row of a page. It is opaque. It stays valid when newer traces are added and older ones
/// are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(pub(crate) PageKey);

/// Flipping this bit turns the order of signed numbers into that of unsigned ones.
const SIGN_BIT: u64 = 1 << 63;

impl Cursor {
    /// The position after this row.
    #[must_use]
    pub fn after(row: &TraceRow) -> Option<Self> {
        let id = Ulid::from_string(&row.trace).ok()?;
        Some(Self((nanos(row.at), id.0.to_be_bytes())))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, id) = self.0;
        write!(
            formatter,
            "{:016x}{:032x}",
            at.cast_unsigned() ^ SIGN_BIT,
            u128::from_be_bytes(id)
        )
    }
}

impl FromStr for Cursor {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let (at, id) = text.split_at_checked(16).filter(|(_, id)| hex && id.len() == 32)?;
            let at = u64::from_str_radix(at, 16).ok()?;
            let id = u128::from_str_radix(id, 16).ok()?;
            Some(Self(((at ^ SIGN_BIT).cast_signed(), id.to_be_bytes())))
        };
        parse().ok_or_else(|| StoreError::InvalidCursor(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_written_cursor_parses_to_itself(at in any::<i64>(), id in any::<[u8; 16]>()) {
            let cursor = Cursor((at, id));
            prop_assert_eq!(cursor.to_string().parse::<Cursor>().unwrap(), cursor);
        }

        #[test]
        fn anything_else_is_refused_and_nothing_panics(text in ".{0,60}") {
            if let Ok(cursor) = text.parse::<Cursor>() {
                prop_assert_eq!(cursor.to_string(), text.to_lowercase());
            }
        }
    }
}
