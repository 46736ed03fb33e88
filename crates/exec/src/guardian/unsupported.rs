//! Systems without process groups, and so without guardians. This is reported once, and hooks run nevertheless.

use std::io;

use super::GuardianProgram;

#[derive(Debug)]
pub(super) struct GuardianHandle;

impl GuardianHandle {
    pub(super) fn open(program: &GuardianProgram) -> io::Result<Self> {
        tracing::debug!(program = %program.program.display(), folder = %program.folder.display(), "no guards here");
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn restart(&mut self, program: &GuardianProgram) -> io::Result<()> {
        Self::open(program).map(drop)
    }

    pub(super) fn is_alive(&mut self) -> bool {
        true
    }

    pub(super) fn register(&mut self, _run: &str) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn set_group(&mut self, _run: &str, _group: u32) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn unregister(&mut self, _run: &str) -> io::Result<()> {
        Ok(())
    }
}
