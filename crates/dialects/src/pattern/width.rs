//! How much of a subject the parts of a pattern take: Python looks behind only by a fixed length.

/// How many signs a part of a pattern takes: at least and at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl Width {
    pub(super) const ONE: Self = Self { least: 1, most: 1 };

    pub(super) fn with(self, next: Self) -> Self {
        Self {
            least: self.least.saturating_add(next.least),
            most: self.most.saturating_add(next.most),
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    pub(super) fn times(self, (low, high): (usize, usize)) -> Self {
        Self {
            least: self.least.saturating_mul(low),
            most: self.most.saturating_mul(high),
        }
    }
}
