//! Which process is at the other end of a connection, and from which processes it descends.

/// A process of this machine. An id is used again after its process has ended, so the start belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId {
    /// The process id.
    pub pid: u32,
    /// When it started, in the unit of the system.
    pub started: u64,
}

/// The process of a connection and its ancestors, the process itself first. Empty where the system does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage(Vec<ProcessId>);

impl Lineage {
    /// `processes` begins with the process itself, and each is followed by its parent.
    #[must_use]
    pub fn new(processes: Vec<ProcessId>) -> Self {
        Self(processes)
    }

    /// The process itself.
    #[must_use]
    pub fn process(&self) -> Option<ProcessId> {
        self.0.first().copied()
    }

    /// Whether this process is the other one, or descends from it.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        other.process().is_some_and(|other| self.0.contains(&other))
    }

    /// The process with this id, if this process is it or descends from it.
    pub(crate) fn find(&self, pid: u32) -> Option<ProcessId> {
        self.0.iter().copied().find(|process| process.pid == pid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineage(processes: &[(u32, u64)]) -> Lineage {
        let process = |&(pid, started)| ProcessId { pid, started };
        Lineage::new(processes.iter().map(process).collect())
    }

    #[test]
    fn a_process_is_within_itself_and_its_ancestors_alone() {
        let (agent, child) = (lineage(&[(5, 50), (1, 1)]), lineage(&[(9, 90), (5, 50), (1, 1)]));
        assert!(child.is_within(&agent) && agent.is_within(&agent));
        assert!(!agent.is_within(&child));
        let reused = lineage(&[(5, 60), (1, 1)]);
        assert!(!child.is_within(&reused), "another process has its id now");
    }

    #[test]
    fn a_process_that_is_not_known_is_within_none() {
        let unknown = Lineage::default();
        assert!(!unknown.is_within(&unknown) && !lineage(&[(5, 50)]).is_within(&unknown));
    }
}
