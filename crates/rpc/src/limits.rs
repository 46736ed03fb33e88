//! The limits of a connection.

/// What a connection may use. Each limit holds for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read or answered, in bytes and without its line end. A longer one ends the connection.
    pub line_bytes: usize,
    /// How many requests of the other side may run at once. Further lines are not read until one has finished.
    pub concurrent: usize,
    /// How many calls of this side may wait for their answers. Whoever begins a further one waits. With at most the
    /// other side's `concurrent`, both sides can call as much as they like and never block each other.
    pub calls: usize,
    /// How many lines may wait to be written. Whoever sends a further one waits.
    pub queue_lines: usize,
    /// How many bytes may wait to be written. A longer line waits until the queue is empty, and then has it alone.
    pub queue_bytes: usize,
}

impl Limits {
    /// What a line of this length takes of the queue. A queue of short lines is full after `queue_lines` of them.
    pub(crate) fn cost(&self, line_bytes: usize) -> u32 {
        let least = self.queue_bytes.div_ceil(self.queue_lines.max(1)).max(1);
        let cost = line_bytes.max(least).min(self.capacity() as usize);
        u32::try_from(cost).unwrap_or(u32::MAX)
    }

    /// What the whole queue holds, in the unit of [`Limits::cost`].
    pub(crate) fn capacity(&self) -> u32 {
        u32::try_from(self.queue_bytes.max(self.queue_lines).max(1)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        line_bytes: 99,
        concurrent: 2,
        calls: 2,
        queue_lines: 4,
        queue_bytes: 1000,
    };

    #[test]
    fn short_lines_fill_the_queue_by_their_number_and_long_ones_by_their_bytes() {
        assert_eq!((LIMITS.capacity(), LIMITS.cost(1), LIMITS.cost(250)), (1000, 250, 250));
        assert_eq!(
            (LIMITS.cost(251), LIMITS.cost(1000), LIMITS.cost(1 << 40)),
            (251, 1000, 1000)
        );
    }

    #[test]
    fn a_limit_of_nothing_still_lets_one_line_through() {
        let nothing = Limits {
            queue_lines: 0,
            queue_bytes: 0,
            ..LIMITS
        };
        assert_eq!((nothing.capacity(), nothing.cost(7)), (1, 1));
    }
}
