//! Guards over a table.

use std::io;
use std::os::fd::OwnedFd;

use super::GuardianProgram;
use super::link::GuardianLink;
use super::run_registry::RunRegistry;

/// The table of what runs, and who guards it.
#[derive(Debug)]
pub(super) struct GuardianHandle {
    registry: RunRegistry,
    /// None while nobody could be put up.
    link: Option<GuardianLink>,
}

impl GuardianHandle {
    /// With a table, and nobody yet.
    pub(super) fn open(program: &GuardianProgram) -> io::Result<Self> {
        let registry = RunRegistry::create(&program.folder)?;
        Ok(Self { registry, link: None })
    }

    /// Where its table is found by its name.
    #[cfg(target_os = "linux")]
    pub(super) fn path(&self) -> Option<&std::path::Path> {
        self.registry.path()
    }

    /// New guards over the same table.
    pub(super) fn restart(&mut self, program: &GuardianProgram) -> io::Result<()> {
        self.link = None;
        self.link = Some(GuardianLink::open(program, &self.registry)?);
        Ok(())
    }

    pub(super) fn is_alive(&mut self) -> bool {
        self.link.as_mut().is_some_and(GuardianLink::is_alive)
    }

    pub(super) fn exit_fd(&self) -> io::Result<OwnedFd> {
        match &self.link {
            Some(link) => link.exit_fd(),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    pub(super) fn register(&mut self, run: &str) -> io::Result<()> {
        self.registry.register(run)
    }

    pub(super) fn set_group(&mut self, run: &str, group: u32) -> io::Result<()> {
        self.registry.set_group(run, group)
    }

    pub(super) fn unregister(&mut self, run: &str) -> io::Result<()> {
        self.registry.unregister(run)
    }
}
