//! No process groups, no guards: that is said once, and hooks run all the same.

use std::io;

use super::GuardianProgram;

#[derive(Debug)]
pub(super) struct Post;

impl Post {
    pub(super) fn open(program: &GuardianProgram) -> io::Result<Self> {
        tracing::debug!(program = %program.program.display(), folder = %program.folder.display(), "no guards here");
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn again(&mut self, program: &GuardianProgram) -> io::Result<()> {
        Self::open(program).map(drop)
    }

    pub(super) fn stands(&mut self) -> bool {
        true
    }

    pub(super) fn expect(&mut self, _run: &str) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn started(&mut self, _run: &str, _group: u32) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn ended(&mut self, _run: &str) -> io::Result<()> {
        Ok(())
    }
}
