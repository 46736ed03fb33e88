//! The registry of running hooks: a file that stays when the engine that writes it ends.
//!
//! Each run has its own slot. The slot contains the run's name before the run is started, and its process group once it
//! has one. It is empty again when the run has ended. A slot is written with one small write that never waits for a
//! reader. The engine locks the file as long as it runs. On Linux its guardians read it through a file handle without
//! the lock. Otherwise a guardian that is still being killed would keep the lock of a dead engine.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::io::{Errno, pread, pwrite};

/// Bytes of a slot: group number, space, name and line feed. Hookwright makes the names, and they are shorter.
const SLOT_BYTES: usize = 128;

/// Number of slots that are written at creation: one page. They stay usable when the disk becomes full later.
const INITIAL_SLOTS: usize = 32;

/// Prefixes of the file names in the folder. A file that is not locked yet has the second one.
pub(super) const FILE_PREFIX: &str = "guard-";
pub(super) const NEW_FILE_PREFIX: &str = "new-guard-";

/// Runs with their process groups; `None` as long as a run has no group.
pub(super) type RunGroups = BTreeMap<String, Option<i32>>;

/// The registry file, and the slot of each run.
#[derive(Debug)]
pub(super) struct RunRegistry {
    file: File,
    /// `None` for a file without a name. No later process can find it.
    path: Option<PathBuf>,
    slots: BTreeMap<String, u64>,
    free: Vec<u64>,
}

impl RunRegistry {
    /// Creates a registry in this folder. If the folder cannot be written, the file has no name and exists in
    /// memory only.
    ///
    /// # Errors
    /// When neither of the two can be created.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        // Another process that cleans up after dead engines can take the file before it is locked. So there is a
        // second try.
        let (file, path) = match create_file(folder).or_else(|_| create_file(folder)) {
            Ok((file, path)) => (file, Some(path)),
            Err(why) => {
                tracing::warn!(%why, folder = %folder.display(), "the list of running hooks is kept in memory only");
                (create_anonymous()?, None)
            }
        };
        Ok(Self {
            file,
            path,
            slots: BTreeMap::new(),
            free: (0..INITIAL_SLOTS as u64).rev().collect(),
        })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// A handle for a guardian. On Linux the file is opened again, so that the handle does not carry the lock.
    #[expect(clippy::disallowed_methods, reason = "it opens this file again by its descriptor")]
    pub(super) fn open_for_guardian(&self) -> io::Result<File> {
        let number = self.file.as_raw_fd();
        let reopened = cfg!(target_os = "linux").then(|| File::open(format!("/proc/self/fd/{number}")));
        match reopened {
            Some(Ok(file)) => Ok(file),
            Some(Err(_)) | None => self.file.try_clone(),
        }
    }

    /// Writes a run that is about to start.
    pub(super) fn register(&mut self, run: &str) -> io::Result<()> {
        // With no free slot, all slots are in use. So their count is the number of the next new slot.
        let known = self.slots.get(run).copied();
        let slot = known.unwrap_or_else(|| self.free.pop().unwrap_or(self.slots.len() as u64));
        self.slots.insert(run.to_owned(), slot);
        self.write_run(slot, run, 0)
    }

    /// Writes the process group of a run.
    pub(super) fn set_group(&mut self, run: &str, group: u32) -> io::Result<()> {
        match self.slots.get(run) {
            Some(slot) => self.write_run(*slot, run, group),
            None => Ok(()),
        }
    }

    /// Empties the slot of a run that has ended.
    pub(super) fn unregister(&mut self, run: &str) -> io::Result<()> {
        let Some(slot) = self.slots.remove(run) else {
            return Ok(());
        };
        self.free.push(slot);
        write_slot(&self.file, slot, &[0; SLOT_BYTES])
    }

    fn write_run(&self, slot: u64, run: &str, group: u32) -> io::Result<()> {
        let line = format!("{group} {run}\n");
        let mut bytes = [0; SLOT_BYTES];
        let place = bytes.get_mut(..line.len()).ok_or(io::ErrorKind::InvalidInput)?;
        place.copy_from_slice(line.as_bytes());
        write_slot(&self.file, slot, &bytes)
    }
}

fn write_slot(file: &File, slot: u64, bytes: &[u8; SLOT_BYTES]) -> io::Result<()> {
    loop {
        match pwrite(file, bytes, slot * SLOT_BYTES as u64) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Creates a registry file. It is locked before it gets its final name. So an unlocked file of that name belongs to
/// a dead engine.
#[expect(clippy::disallowed_methods, reason = "run registries are files of this crate")]
fn create_file(folder: &Path) -> io::Result<(File, PathBuf)> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let word = format!("{:016x}", RandomState::new().build_hasher().finish());
    let new = folder.join(format!("{NEW_FILE_PREFIX}{word}"));
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create_new(true).mode(0o600).open(&new)?;
    let path = folder.join(format!("{FILE_PREFIX}{word}"));
    let ready = prepare(&file)
        .and_then(|()| file.try_lock().map_err(io::Error::from))
        .and_then(|()| std::fs::rename(&new, &path));
    match ready {
        Ok(()) => Ok((file, path)),
        Err(error) => {
            drop(std::fs::remove_file(&new));
            Err(error)
        }
    }
}

fn prepare(file: &File) -> io::Result<()> {
    (0..INITIAL_SLOTS as u64).try_for_each(|slot| write_slot(file, slot, &[0; SLOT_BYTES]))
}

#[cfg(target_os = "linux")]
fn create_anonymous() -> io::Result<File> {
    let file = rustix::fs::memfd_create(super::PROCESS_NAME, rustix::fs::MemfdFlags::CLOEXEC)?;
    Ok(file.into())
}

#[cfg(not(target_os = "linux"))]
fn create_anonymous() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads the present content of a registry.
pub(super) fn read_groups(file: BorrowedFd<'_>) -> RunGroups {
    let mut running = RunGroups::new();
    let mut bytes = [0; SLOT_BYTES];
    for slot in 0_u64.. {
        match pread(file, &mut bytes, slot * SLOT_BYTES as u64) {
            Ok(SLOT_BYTES) => running.extend(parse_slot(&bytes)),
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => break,
        }
    }
    running
}

/// Parses a slot. An empty or invalid slot is `None`.
fn parse_slot(slot: &[u8; SLOT_BYTES]) -> Option<(String, Option<i32>)> {
    let line = std::str::from_utf8(slot).ok()?.split_once('\n')?.0;
    let (group, run) = line.split_once(' ')?;
    let group: i32 = group.parse().ok()?;
    (!run.is_empty()).then(|| (run.to_owned(), (group > 0).then_some(group)))
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    fn entries(registry: &RunRegistry) -> Vec<(String, Option<i32>)> {
        read_groups(registry.file.as_fd()).into_iter().collect()
    }

    fn run(name: &str, group: Option<i32>) -> (String, Option<i32>) {
        (name.to_owned(), group)
    }

    #[test]
    fn a_run_is_registered_before_it_has_a_group_until_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = RunRegistry::create(folder.path()).unwrap();
        registry.register("A").unwrap();
        assert_eq!(entries(&registry), [run("A", None)]);
        registry.set_group("A", 7).unwrap();
        registry.register("B").unwrap();
        assert_eq!(entries(&registry), [run("A", Some(7)), run("B", None)]);
        registry.unregister("A").unwrap();
        registry.set_group("A", 9).unwrap();
        assert_eq!(entries(&registry), [run("B", None)]);
    }

    #[test]
    fn slots_are_added_when_needed_and_reused() {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = RunRegistry::create(folder.path()).unwrap();
        for round in 0..3 {
            let names: Vec<String> = (0..100).map(|number| format!("{round}.{number}")).collect();
            names.iter().for_each(|name| registry.register(name).unwrap());
            assert_eq!(entries(&registry).len(), 100);
            names.iter().for_each(|name| registry.unregister(name).unwrap());
            assert_eq!(entries(&registry), []);
        }
        assert_eq!(registry.file.metadata().unwrap().len(), 100 * SLOT_BYTES as u64);
    }

    #[test]
    fn a_run_that_is_registered_twice_keeps_its_slot() {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = RunRegistry::create(folder.path()).unwrap();
        registry.register("A").unwrap();
        registry.register("A").unwrap();
        let others: Vec<String> = (0..INITIAL_SLOTS + 3).map(|number| number.to_string()).collect();
        others.iter().for_each(|name| registry.register(name).unwrap());
        assert_eq!(entries(&registry).len(), others.len() + 1);
        registry.unregister("A").unwrap();
        assert_eq!(entries(&registry).len(), others.len());
    }

    #[test]
    fn a_name_longer_than_a_slot_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = RunRegistry::create(folder.path()).unwrap();
        assert!(registry.register(&"A".repeat(SLOT_BYTES)).is_err());
        assert_eq!(entries(&registry), []);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn without_a_folder_the_registry_has_no_path() {
        let mut registry = RunRegistry::create(Path::new("/proc/nowhere")).unwrap();
        registry.register("A").unwrap();
        assert_eq!((registry.path(), entries(&registry)), (None, vec![run("A", None)]));
    }

    #[test]
    fn an_invalid_slot_is_ignored() {
        for line in ["", "\n", "7\n", "x A\n", "7 \n", "7 A"] {
            let mut slot = [0; SLOT_BYTES];
            slot[..line.len()].copy_from_slice(line.as_bytes());
            assert_eq!(parse_slot(&slot), None, "{line:?}");
        }
    }
}
