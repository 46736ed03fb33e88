//! Linux: what `/proc` says of a process.

use std::fs::File;
use std::io::{self, Read};

use rustix::process::Pid;

/// Room for an environment of usual size, so that it is read in one piece: a program that takes the process over between
/// two reads takes the rest away.
const INITIAL_BYTES: usize = 64 << 10;

/// One environment after another, in the same memory.
pub(crate) struct Environ(Vec<u8>);

impl Environ {
    pub(crate) fn new() -> Self {
        Self(vec![0; INITIAL_BYTES])
    }

    /// The environment that a process was started with; empty also while it is taken over by another program, and of one
    /// that has ended.
    ///
    /// # Errors
    /// It is gone, is somebody else's, or no descriptor is left.
    pub(crate) fn read(&mut self, pid: Pid) -> io::Result<&[u8]> {
        let mut file = File::open(format!("/proc/{}/environ", pid.as_raw_nonzero()))?;
        let mut length = 0;
        loop {
            if length == self.0.len() {
                self.0.resize(2 * length, 0);
            }
            match file.read(&mut self.0[length..])? {
                0 => return Ok(&self.0[..length]),
                more => length += more,
            }
        }
    }
}

/// `/proc/PID/stat`.
pub(crate) struct ProcStat(String);

impl ProcStat {
    pub(crate) fn for_pid(pid: Pid) -> Option<Self> {
        let bytes = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        Some(Self(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// A field by its number in `proc_pid_stat(5)`. The name before them may hold anything.
    fn number(&self, field: usize) -> Option<u64> {
        let (_, fields) = self.0.rsplit_once(')')?;
        fields.split_ascii_whitespace().nth(field.checked_sub(3)?)?.parse().ok()
    }

    /// Its process group. None where it has no number here: the kernel's own, and one of another namespace.
    pub(crate) fn group(&self) -> Option<Pid> {
        let group = self.number(5).and_then(|group| i32::try_from(group).ok())?;
        Pid::from_raw(group)
    }

    /// Whether it has memory: a thread of the kernel has none, nor has what is dead.
    pub(crate) fn has_memory(&self) -> bool {
        self.number(23).is_some_and(|bytes| bytes > 0)
    }

    /// Whether its program is in place: the kernel sets where the code begins after the environment.
    pub(crate) fn is_loaded(&self) -> bool {
        self.number(26).is_some_and(|begin| begin > 0)
    }

    /// Where its environment begins and ends. Zero as long as it is being taken over by another program.
    pub(crate) fn environment(&self) -> Option<(u64, u64)> {
        Some((self.number(50)?, self.number(51)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let fields: Vec<String> = (4..=52).map(|field| field.to_string()).collect();
        let stat = ProcStat(format!("7 (a) b (c) S {}\n", fields.join(" ")));
        assert_eq!(stat.group(), Pid::from_raw(5));
        assert_eq!(stat.environment(), Some((50, 51)));
        assert!(stat.has_memory());
    }

    #[test]
    fn a_group_that_has_no_number_here_is_none() {
        assert_eq!(ProcStat("1 (init) S 0 0 0 0".to_owned()).group(), None);
        assert_eq!(ProcStat("1 (init) S 0 -1 0 0".to_owned()).group(), None);
    }

    #[test]
    fn the_environment_is_as_long_as_its_bounds() {
        let own = rustix::process::getpid();
        let (start, end) = ProcStat::for_pid(own).unwrap().environment().unwrap();
        let length = Environ::new().read(own).unwrap().len();
        assert_eq!(length as u64, end - start);
    }
}
