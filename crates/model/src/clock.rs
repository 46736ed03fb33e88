//! The clock that functions receive, so that a test can set the time, and what may be removed because of its age.
//!
//! A wall clock can be wrong for a moment: a battery is empty, a virtual machine resumes. What is removed then is lost.
//! So [`AgeClock`] compares each reading with the one before, and after a jump of a day or more it waits a day
//! (`CONTRACTS.md` §7).

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// A difference between two clocks from which on one of them counts as wrong; also how long is waited then.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Reads the present time.
#[derive(Clone)]
pub struct Clock {
    wall: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    uptime: Arc<dyn Fn() -> Option<Uptime> + Send + Sync>,
    ages: Arc<dyn Fn(&ClockReading) -> Ages + Send + Sync>,
}

/// The time since the machine was started, suspended or not. No program can set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uptime {
    /// Identifies the start of the machine. Only times since the same start can be compared.
    pub boot: String,
    /// Milliseconds since then.
    pub ms: i64,
}

/// The wall clock and the uptime at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReading {
    /// What the wall clock showed.
    pub wall: Timestamp,
    /// The uptime; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime: Option<Uptime>,
}

/// Whether anything may be removed because of its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ages {
    /// Ages are counted up to this time.
    Until(Timestamp),
    /// Nothing may be removed because of its age now.
    Wait {
        /// When ages count again, if the clock does not jump once more.
        until: Timestamp,
        /// By how much the clock jumped; `None` if there is no earlier reading, or if the machine may have been off.
        jump: Option<SignedDuration>,
    },
}

/// What is remembered of earlier readings of the clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgeClock {
    /// A reading with which the later ones agreed.
    #[serde(default)]
    agreed: Option<ClockReading>,
    /// The first reading that disagreed with it, if the clock still stands there.
    #[serde(default)]
    jumped: Option<ClockReading>,
}

impl Clock {
    /// A clock without an uptime, on whose time ages can be counted: for tests.
    pub fn new(wall: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self {
            wall: Arc::new(wall),
            uptime: Arc::new(|| None),
            ages: Arc::new(|now| Ages::Until(now.wall)),
        }
    }

    /// The same clock with an uptime.
    #[must_use]
    pub fn with_uptime(self, uptime: impl Fn() -> Option<Uptime> + Send + Sync + 'static) -> Self {
        Self {
            uptime: Arc::new(uptime),
            ..self
        }
    }

    /// The same clock with a memory of earlier readings.
    #[must_use]
    pub fn with_ages(self, ages: impl Fn(&ClockReading) -> Ages + Send + Sync + 'static) -> Self {
        Self {
            ages: Arc::new(ages),
            ..self
        }
    }

    /// The present time of the wall clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.wall)()
    }

    /// The present time, with the uptime.
    #[must_use]
    pub fn read(&self) -> ClockReading {
        ClockReading {
            wall: self.now(),
            uptime: (self.uptime)(),
        }
    }

    /// Whether anything may be removed because of its age now. A caller asks directly before it removes something.
    #[must_use]
    pub fn ages(&self) -> Ages {
        (self.ages)(&self.read())
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Clock").finish_non_exhaustive()
    }
}

impl ClockReading {
    /// A reading of the wall clock alone.
    #[must_use]
    pub fn wall(wall: Timestamp) -> Self {
        Self { wall, uptime: None }
    }

    /// How much time really passed since an earlier reading; `None` if the machine was started in between.
    #[must_use]
    pub fn measured_since(&self, earlier: &Self) -> Option<SignedDuration> {
        let (now, then) = (self.uptime.as_ref()?, earlier.uptime.as_ref()?);
        (now.boot == then.boot).then(|| SignedDuration::from_millis(now.ms.saturating_sub(then.ms)))
    }

    /// By how much the wall clock moved since an earlier reading, beyond the time that passed. What is not measured
    /// counts as no time.
    fn jump_since(&self, earlier: &Self) -> SignedDuration {
        let measured = self.measured_since(earlier).unwrap_or(SignedDuration::ZERO);
        self.wall.duration_since(earlier.wall).saturating_sub(measured)
    }

    /// Whether the wall clock was set back by a day or more since an earlier reading, so that one of the two is wrong.
    #[must_use]
    pub fn is_set_back_since(&self, earlier: &Self) -> bool {
        self.jump_since(earlier) <= -DAY
    }
}

impl AgeClock {
    /// Compares a reading of the clock with the earlier ones, and remembers it.
    pub fn look(&mut self, now: &ClockReading) -> Ages {
        let jump = self.agreed.as_ref().map(|agreed| now.jump_since(agreed));
        let is_measured = self
            .agreed
            .as_ref()
            .is_some_and(|agreed| now.measured_since(agreed).is_some());
        if jump.is_some_and(|jump| jump.abs() < DAY) {
            // Since one start of the machine all readings are compared with the same one, so that small jumps do not
            // add up.
            if !is_measured {
                self.agreed = Some(now.clone());
            }
            self.jumped = None;
            return Ages::Until(now.wall);
        }
        // A machine that was off for some days has not jumped, as far as can be known.
        let jump = jump.filter(|jump| is_measured || jump.is_negative());
        let waited = self.jumped.as_ref().and_then(|first| time_at(first, now));
        match waited {
            Some(waited) if waited >= DAY => {
                *self = Self {
                    agreed: Some(now.clone()),
                    jumped: None,
                };
                Ages::Until(now.wall)
            }
            Some(waited) => wait(now, DAY.saturating_sub(waited), jump),
            None => {
                self.jumped = Some(now.clone());
                wait(now, DAY, jump)
            }
        }
    }
}

fn wait(now: &ClockReading, left: SignedDuration, jump: Option<SignedDuration>) -> Ages {
    Ages::Wait {
        until: now.wall.saturating_add(left).unwrap_or(now.wall),
        jump,
    }
}

/// How long the clock has gone on from a reading without another jump; `None` if there was one. After another start of
/// the machine only the wall clock can say it.
fn time_at(first: &ClockReading, now: &ClockReading) -> Option<SignedDuration> {
    match now.measured_since(first) {
        Some(measured) => (now.jump_since(first).abs() < DAY).then_some(measured),
        None => Some(now.wall.duration_since(first.wall)).filter(|passed| !passed.is_negative()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const HOUR_MS: i64 = 3_600_000;
    const DAY_MS: i64 = 24 * HOUR_MS;
    /// The right time at the first reading, in milliseconds since 1970.
    const BEGIN_MS: i64 = 20_000 * DAY_MS;

    /// A reading `real_ms` after the first one, with a wall clock that is wrong by `error_ms`.
    fn reading(boot: &str, real_ms: i64, error_ms: i64) -> ClockReading {
        ClockReading {
            wall: Timestamp::from_millisecond(BEGIN_MS + real_ms + error_ms).unwrap(),
            uptime: Some(Uptime {
                boot: boot.to_owned(),
                ms: real_ms,
            }),
        }
    }

    /// A clock that has agreed with itself for two days, and the time since its first reading.
    fn settled() -> (AgeClock, i64) {
        let mut clock = AgeClock::default();
        for days in 0..3 {
            clock.look(&reading("a", days * DAY_MS, 0));
        }
        (clock, 2 * DAY_MS)
    }

    fn is_wait(ages: Ages) -> bool {
        matches!(ages, Ages::Wait { .. })
    }

    #[test]
    fn a_clock_that_is_ahead_for_a_moment_removes_nothing() {
        let (mut clock, at) = settled();
        for days in [31, 60, 3650, -31] {
            let ages = clock.look(&reading("a", at + 1, days * DAY_MS));
            let jump = SignedDuration::from_millis(days * DAY_MS);
            assert!(
                matches!(ages, Ages::Wait { jump: Some(told), .. } if told == jump),
                "{ages:?}"
            );
        }
        let right = reading("a", at + 2, 0);
        assert_eq!(
            clock.look(&right),
            Ages::Until(right.wall),
            "it is right again, and was so before"
        );
    }

    #[test]
    fn a_clock_that_stays_where_it_jumped_is_believed_after_a_day() {
        let (mut clock, at) = settled();
        let ahead = |hours: i64| reading("a", at + hours * HOUR_MS, 60 * DAY_MS);
        let Ages::Wait { until, .. } = clock.look(&ahead(0)) else {
            panic!("it jumped");
        };
        assert_eq!(until, ahead(24).wall);
        assert!(is_wait(clock.look(&ahead(23))));
        assert_eq!(clock.look(&ahead(24)), Ages::Until(ahead(24).wall));
    }

    #[test]
    fn the_first_reading_removes_nothing_and_reports_no_jump() {
        let mut clock = AgeClock::default();
        let ages = clock.look(&reading("a", 0, 0));
        assert!(matches!(ages, Ages::Wait { jump: None, .. }));
        assert!(!is_wait(clock.look(&reading("a", DAY_MS, 0))));
    }

    #[test]
    fn a_machine_that_was_off_for_a_month_waits_a_day() {
        let (mut clock, at) = settled();
        let after = |hours: i64| {
            let mut reading = reading("b", at + 30 * DAY_MS + hours * HOUR_MS, 0);
            reading.uptime.as_mut().unwrap().ms = hours * HOUR_MS;
            reading
        };
        assert!(is_wait(clock.look(&after(0))));
        assert!(!is_wait(clock.look(&after(24))));
    }

    #[test]
    fn what_is_remembered_can_be_stored() {
        let (mut clock, at) = settled();
        clock.look(&reading("a", at, 60 * DAY_MS));
        let text = serde_json::to_string(&clock).unwrap();
        assert_eq!(serde_json::from_str::<AgeClock>(&text).unwrap(), clock);
    }

    /// Steps of real time, each with the error of the wall clock at its end.
    fn steps() -> impl Strategy<Value = Vec<(i64, i64)>> {
        let passed = prop_oneof![0..10_000i64, 0..3 * DAY_MS];
        let error = prop_oneof![
            3 => Just(0i64),
            2 => -2 * HOUR_MS..2 * HOUR_MS,
            2 => -40 * DAY_MS..40 * DAY_MS,
            1 => Just(3650 * DAY_MS),
        ];
        vec((passed, error), 1..40)
    }

    proptest! {
        #[test]
        fn nothing_ages_by_more_than_the_time_that_passed(steps in steps()) {
            let mut clock = AgeClock::default();
            let mut real = 0;
            let mut allowed: Vec<(i64, i64)> = Vec::new();
            for (passed, error) in steps {
                real += passed;
                let now = reading("a", real, error);
                if let Ages::Until(time) = clock.look(&now) {
                    allowed.push((real, time.as_millisecond()));
                }
            }
            for (index, (real, time)) in allowed.iter().enumerate() {
                for (later, later_time) in &allowed[index + 1..] {
                    let passed = later - real;
                    // Until a day has passed no jump can have been believed, and each reading is wrong by less than one.
                    if passed < DAY_MS {
                        prop_assert!(later_time - time < passed + 2 * DAY_MS);
                    }
                }
            }
        }

        #[test]
        fn a_jump_removes_nothing_for_a_day(real in DAY_MS..9 * DAY_MS, days in 1..4000i64, hours in vec(0..24i64, 1..9)) {
            let mut clock = AgeClock::default();
            clock.look(&reading("a", 0, 0));
            prop_assert!(!is_wait(clock.look(&reading("a", real, 0))));
            let mut hours = hours;
            hours.sort_unstable();
            for hour in hours {
                prop_assert!(is_wait(clock.look(&reading("a", real + hour * HOUR_MS, days * DAY_MS))));
            }
        }

        #[test]
        fn a_right_clock_counts_after_the_first_day(passed in vec(1..9 * DAY_MS, 1..20)) {
            let mut clock = AgeClock::default();
            clock.look(&reading("a", 0, 0));
            let mut real = DAY_MS;
            for step in passed {
                real += step;
                let now = reading("a", real, 0);
                prop_assert_eq!(clock.look(&now), Ages::Until(now.wall));
            }
        }
    }
}
