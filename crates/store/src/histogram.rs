//! Durations in logarithmic buckets. They need little space, can be merged, and give percentiles.

use crate::varint;

/// Buckets per doubling, as a power of two. With 32 buckets, every percentile is within 3.2 % of the true value.
const STEP_BITS: u32 = 5;

/// How many durations fell into each bucket. Durations are whole microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Histogram {
    /// The buckets that are not empty, with their counts, in ascending order.
    counts: Vec<(u16, u64)>,
}

impl Histogram {
    /// Counts one duration.
    pub(crate) fn add(&mut self, us: u64) {
        self.add_count(bucket_of(us), 1);
    }

    /// Adds the counts of another histogram.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.counts {
            self.add_count(*bucket, *count);
        }
    }

    fn add_count(&mut self, bucket: u16, count: u64) {
        match self.counts.binary_search_by_key(&bucket, |it| it.0) {
            Ok(at) => self.counts[at].1 = self.counts[at].1.saturating_add(count),
            Err(at) => self.counts.insert(at, (bucket, count)),
        }
    }

    /// Subtracts the counts of another histogram.
    pub(crate) fn subtract(&mut self, other: &Self) {
        for (bucket, count) in &other.counts {
            if let Ok(at) = self.counts.binary_search_by_key(bucket, |it| it.0) {
                self.counts[at].1 = self.counts[at].1.saturating_sub(*count);
            }
        }
        self.counts.retain(|(_, count)| *count > 0);
    }

    /// The duration that `share` (0 to 1) of all durations do not exceed, as the upper end of its bucket. The result is
    /// 0 if there are no durations.
    pub(crate) fn percentile(&self, share: f64) -> u64 {
        let total = self.counts.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
        let rank = nearest_rank(share, total);
        let mut seen = 0;
        for (bucket, count) in &self.counts {
            seen = count.saturating_add(seen);
            if seen >= rank && rank > 0 {
                return bucket_upper_bound(*bucket);
            }
        }
        0
    }

    /// Appends the histogram as bytes: the number of buckets, then for each the distance to the previous one and its
    /// count.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        varint::write(out, self.counts.len() as u64);
        let mut last = 0;
        for (bucket, count) in &self.counts {
            varint::write(out, u64::from(*bucket - last));
            varint::write(out, *count);
            last = *bucket;
        }
    }

    /// Reads what [`Self::encode`] wrote; `None` for any other bytes.
    pub(crate) fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let mut counts = Vec::new();
        let mut last = 0_u16;
        for _ in 0..varint::read(bytes)? {
            last = last.checked_add(u16::try_from(varint::read(bytes)?).ok()?)?;
            counts.push((last, varint::read(bytes)?));
        }
        Some(Self { counts })
    }
}

/// The nearest rank of a share among `total` values, counted from 1; 0 if there are no values.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are far below 2^52"
)]
pub(crate) fn nearest_rank(share: f64, total: u64) -> u64 {
    ((share * total as f64).ceil() as u64).clamp(1, total.max(1)).min(total)
}

/// The bucket of a duration. Below 2^`STEP_BITS` each value has its own bucket. Above, a bucket is the exponent and the
/// `STEP_BITS` bits after the leading one.
fn bucket_of(us: u64) -> u16 {
    let octave = 63 - (us | 1).leading_zeros();
    if octave < STEP_BITS {
        return us as u16;
    }
    let shift = octave - STEP_BITS;
    let within = (us >> shift) & ((1 << STEP_BITS) - 1);
    (((u64::from(shift) + 1) << STEP_BITS) + within) as u16
}

/// The largest duration of a bucket.
fn bucket_upper_bound(bucket: u16) -> u64 {
    let (row, within) = (
        u32::from(bucket) >> STEP_BITS,
        u64::from(bucket) & ((1 << STEP_BITS) - 1),
    );
    if row == 0 {
        return within;
    }
    let shift = row - 1;
    let low = ((1 << STEP_BITS) + within) << shift;
    low + ((1_u64 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bucket_contains_its_values_within_its_width(us in any::<u64>()) {
            let top = bucket_upper_bound(bucket_of(us));
            prop_assert!(top >= us);
            prop_assert!((top - us) as f64 <= us as f64 / 32.0);
        }

        #[test]
        fn encoded_bytes_decode_to_the_same_histogram(values in proptest::collection::vec(any::<u64>(), 0..200)) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|us| histogram.add(*us));
            let mut bytes = Vec::new();
            histogram.encode(&mut bytes);
            prop_assert_eq!(Histogram::decode(&mut bytes.as_slice()), Some(histogram));
        }

        #[test]
        fn a_merged_histogram_can_be_subtracted(a in proptest::collection::vec(any::<u64>(), 0..50), b in proptest::collection::vec(any::<u64>(), 0..50)) {
            let histogram_of = |values: &[u64]| values.iter().fold(Histogram::default(), |mut sum, us| { sum.add(*us); sum });
            let mut both = histogram_of(&a);
            both.merge(&histogram_of(&b));
            both.subtract(&histogram_of(&b));
            prop_assert_eq!(both, histogram_of(&a));
        }
    }

    #[test]
    fn the_nearest_rank_of_few_values_is_one_of_them() {
        assert_eq!(
            (
                nearest_rank(0.5, 0),
                nearest_rank(0.5, 1),
                nearest_rank(0.5, 4),
                nearest_rank(0.95, 10),
                nearest_rank(0.99, 1000)
            ),
            (0, 1, 2, 10, 990)
        );
    }
}
