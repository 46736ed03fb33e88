//! Pseudo-random numbers that are the same in every run.

/// A pseudo-random number generator (xorshift).
#[derive(Debug, Clone)]
pub struct TestRng(u64);

impl TestRng {
    /// Creates a generator. The same seed always results in the same numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut rng = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        for _ in 0..4 {
            rng.next();
        }
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to `limit - 1`; 0 when `limit` is 0.
    pub fn less_than(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }

    /// Returns `true` once in `times` calls on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.less_than(times) == 0
    }

    /// Returns a random element of `from`, which must not be empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.less_than(from.len())]
    }
}
