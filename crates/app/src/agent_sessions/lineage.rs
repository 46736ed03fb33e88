//! Which process is at the other end of a connection, and from which processes it descends.

/// A process of this machine. An id is used again after its process has ended, so the start belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId {
    /// The process id.
    pub pid: u32,
    /// When it started, in the unit of the system.
    pub started: u64,
}

/// The process of a connection and its ancestors. Empty where the system does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The process itself first, and each followed by its parent.
    processes: Vec<ProcessId>,
    /// How many of the nearest ancestors only run a command: shells (`sh -c`), and programs such as `timeout`.
    starters: usize,
}

impl Lineage {
    /// `processes` begins with the process itself, and each is followed by its parent. The nearest `starters` of the
    /// parents only run a command.
    #[must_use]
    pub fn new(processes: Vec<ProcessId>, starters: usize) -> Self {
        Self { processes, starters }
    }

    /// The process itself.
    #[must_use]
    pub fn process(&self) -> Option<ProcessId> {
        self.processes.first().copied()
    }

    /// Whether this process is the other one, or descends from it.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        other.process().is_some_and(|other| self.processes.contains(&other))
    }

    /// The agent whose process has this id, if this process is it or descends from it. A shell or a program such as
    /// `timeout` that the agent starts for one command counts as the agent: each event would come from another process.
    pub(crate) fn agent(&self, pid: u32) -> Option<ProcessId> {
        let named = self.processes.iter().position(|process| process.pid == pid)?;
        let is_starter = (1..=self.starters).contains(&named);
        let agent = is_starter.then(|| self.processes.get(self.starters + 1)).flatten();
        agent.or(self.processes.get(named)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineage(processes: &[(u32, u64)]) -> Lineage {
        let process = |&(pid, started)| ProcessId { pid, started };
        Lineage::new(processes.iter().map(process).collect(), 0)
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
    fn a_shell_that_runs_one_command_stands_for_the_agent_that_started_it() {
        let Lineage { processes, .. } = lineage(&[(9, 90), (8, 80), (7, 70), (5, 50), (1, 1)]);
        let pid_of = |starters, pid| Some(Lineage::new(processes.clone(), starters).agent(pid)?.pid);
        assert_eq!(pid_of(2, 8), Some(5));
        assert_eq!(pid_of(2, 7), Some(5));
        assert_eq!(pid_of(2, 5), Some(5));
        assert_eq!(pid_of(2, 9), Some(9));
        assert_eq!(pid_of(0, 8), Some(8));
        assert_eq!(pid_of(4, 8), Some(8), "nothing is known above the starters");
        assert_eq!(pid_of(2, 4), None);
    }

    #[test]
    fn a_process_that_is_not_known_is_within_none() {
        let unknown = Lineage::default();
        assert!(!unknown.is_within(&unknown) && !lineage(&[(5, 50)]).is_within(&unknown));
    }
}
