//! Medians with an interval that assumes nothing about the distribution, and a new random order for each round.

/// A median with the two ends of its 95% interval.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Ratio {
    /// The median of these values. The interval comes from order statistics (binomial interval of the median).
    ///
    /// # Panics
    /// When there are no values.
    #[must_use]
    pub fn from_values(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let count = values.len();
        let half = 0.98 * (count as f64).sqrt();
        let middle = count as f64 / 2.0;
        let at = |rank: f64| values[(rank.max(0.0) as usize).min(count - 1)];
        Self {
            median: at(middle),
            low: at((middle - half).floor()),
            high: at((middle + half).ceil()),
        }
    }
}

/// Random orders of a round's sides. In a fixed order each side would always have the same neighbour.
#[derive(Debug)]
pub struct Shuffle(u64);

impl Shuffle {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A random order of `0..count`.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for index in (1..count).rev() {
            order.swap(index, (self.next() % (index as u64 + 1)) as usize);
        }
        order
    }

    /// The next number of xorshift64*.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
}
