//! Computes how many characters the parts of a pattern match. Python allows only look-behinds of a fixed length.

/// How many characters a part of a pattern matches: at least and at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) min_chars: usize,
    pub(super) max_chars: usize,
}

impl Width {
    pub(super) const ONE: Self = Self {
        min_chars: 1,
        max_chars: 1,
    };

    pub(super) fn then(self, next: Self) -> Self {
        Self {
            min_chars: self.min_chars.saturating_add(next.min_chars),
            max_chars: self.max_chars.saturating_add(next.max_chars),
        }
    }

    pub(super) fn either(self, other: Self) -> Self {
        Self {
            min_chars: self.min_chars.min(other.min_chars),
            max_chars: self.max_chars.max(other.max_chars),
        }
    }

    pub(super) fn repeated(self, (low, high): (usize, usize)) -> Self {
        Self {
            min_chars: self.min_chars.saturating_mul(low),
            max_chars: self.max_chars.saturating_mul(high),
        }
    }
}
