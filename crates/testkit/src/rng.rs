//! Numbers that look like chance and are the same every time.

/// A stream of numbers (xorshift).
#[derive(Debug, Clone)]
pub struct TestRng(u64);

impl TestRng {
    /// The stream of this seed.
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

    /// Less than `limit`.
    pub fn less_than(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }

    /// Once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.less_than(times) == 0
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.less_than(from.len())]
    }
}
