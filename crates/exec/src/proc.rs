//! Linux: reads process data from `/proc`.

use std::fs::File;
use std::io::{self, Read};

use rustix::process::Pid;

/// Bytes of the buffer: an environment of usual size is read in one piece. If the process runs `exec` between two
/// reads, the rest is lost.
const INITIAL_BYTES: usize = 64 << 10;

/// A reader of environments that uses the same memory for each.
pub(crate) struct Environ(Vec<u8>);

impl Environ {
    pub(crate) fn new() -> Self {
        Self(vec![0; INITIAL_BYTES])
    }

    /// The environment that a process was started with. It is also empty while the process runs `exec`, and after
    /// it has exited.
    ///
    /// # Errors
    /// When the process no longer exists or belongs to another user, or no descriptor is left.
    #[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
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

/// The content of `/proc/PID/stat`.
pub(crate) struct ProcStat(String);

impl ProcStat {
    #[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
    pub(crate) fn for_pid(pid: Pid) -> Option<Self> {
        let bytes = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        Some(Self(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// A field by its number in `proc_pid_stat(5)`. The program name before the fields may contain any character.
    fn number(&self, field: usize) -> Option<u64> {
        let (_, fields) = self.0.rsplit_once(')')?;
        fields.split_ascii_whitespace().nth(field.checked_sub(3)?)?.parse().ok()
    }

    /// The process group. `None` if it has no number here: a process of the kernel, or a group of another
    /// namespace.
    pub(crate) fn group(&self) -> Option<Pid> {
        let group = self.number(5).and_then(|group| i32::try_from(group).ok())?;
        Pid::from_raw(group)
    }

    /// Whether the process has memory. A thread of the kernel and a dead process have none.
    pub(crate) fn has_memory(&self) -> bool {
        self.number(23).is_some_and(|bytes| bytes > 0)
    }

    /// Whether the program is loaded. The kernel sets the start of the code after the environment.
    pub(crate) fn is_loaded(&self) -> bool {
        self.number(26).is_some_and(|begin| begin > 0)
    }

    /// Start and end address of the environment. Both are zero while the process runs `exec`.
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
