//! A run registry and the guardians that read it.

use std::io;
use std::os::fd::OwnedFd;

use super::GuardianProgram;
use super::link::GuardianLink;
use super::run_registry::RunRegistry;

/// The registry of running hooks, and the connection to its guardians.
#[derive(Debug)]
pub(super) struct GuardianHandle {
    registry: RunRegistry,
    /// `None` as long as no guardian could be started.
    link: Option<GuardianLink>,
}

impl GuardianHandle {
    /// Creates the registry. No guardian is started yet.
    pub(super) fn open(program: &GuardianProgram) -> io::Result<Self> {
        let registry = RunRegistry::create(&program.folder)?;
        Ok(Self { registry, link: None })
    }

    /// The path of the registry file, if it has one.
    #[cfg(target_os = "linux")]
    pub(super) fn path(&self) -> Option<&std::path::Path> {
        self.registry.path()
    }

    /// Starts new guardians for the same registry.
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
