//! A duration in a request.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use ts_rs::TS;

/// The milliseconds from 1970 to the end of the year 9999. No duration is longer, so no time leaves these years.
const MAX_MS: i64 = 253_402_300_799_999;

/// A duration in milliseconds, from zero to the years between 1970 and 9999.
///
/// It is checked where a request is read, so no command has to: what is negative, too long or not a number is refused
/// with the name of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema, TS)]
#[schemars(transparent)]
pub struct Millis(
    #[schemars(with = "f64", range(min = 0, max = 253_402_300_799_999_i64))]
    #[ts(type = "number")]
    i64,
);

impl Millis {
    /// A duration; `None` if it is negative, too long or not a number. A fraction of a millisecond is dropped.
    #[must_use]
    pub fn new(ms: f64) -> Option<Self> {
        let is_allowed = ms >= 0.0 && ms <= MAX_MS as f64;
        is_allowed.then_some(Self(ms as i64))
    }

    /// The time that is this long before another one, at the earliest 1970.
    #[must_use]
    pub fn before(self, now: Timestamp) -> Timestamp {
        let earlier = now.saturating_sub(self.duration()).unwrap_or(Timestamp::UNIX_EPOCH);
        earlier.max(Timestamp::UNIX_EPOCH)
    }

    /// The time that is this long after another one, at the latest the end of the year 9999.
    #[must_use]
    pub fn after(self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.duration()).unwrap_or(Timestamp::MAX)
    }

    /// The duration.
    #[must_use]
    pub fn duration(self) -> SignedDuration {
        SignedDuration::from_millis(self.0)
    }
}

/// Reads a duration that may be absent, for what a duration of zero would undo at once.
///
/// # Errors
/// It is shorter than a millisecond, or no duration.
pub(crate) fn read_positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Millis>, D::Error> {
    match Option::<Millis>::deserialize(deserializer)? {
        Some(Millis(0)) => Err(de::Error::custom("a duration of less than a millisecond does nothing")),
        read => Ok(read),
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ms = f64::deserialize(deserializer)?;
        Self::new(ms).ok_or_else(|| {
            de::Error::custom(format_args!(
                "{ms} is not a duration in milliseconds between 0 and {MAX_MS}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_duration_that_is_read_gives_a_time_between_1970_and_9999(ms: f64, now in 0..MAX_MS) {
            let now = Timestamp::from_millisecond(now).unwrap();
            let read = serde_json::from_value::<Millis>(serde_json::json!(ms)).ok();
            prop_assert_eq!(read.is_some(), ms >= 0.0 && ms <= MAX_MS as f64);
            if let Some(read) = read {
                prop_assert!(Timestamp::UNIX_EPOCH <= read.before(now) && read.before(now) <= now);
                prop_assert!(read.after(now) >= now);
            }
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["-1", "-0.5", "1e15", "1e300", "null", "\"5\"", "true", "[]"] {
            assert!(serde_json::from_str::<Millis>(text).is_err(), "{text}");
        }
        for ms in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Millis::new(ms), None);
        }
        assert_eq!(serde_json::from_str::<Millis>("1.5").unwrap(), Millis(1));
    }
}
