//! Guards over a table.

use std::io;
use std::os::fd::OwnedFd;

use super::GuardianProgram;
use super::link::Link;
use super::table::Table;

/// The table of what runs, and who guards it.
#[derive(Debug)]
pub(super) struct Post {
    table: Table,
    /// None while nobody could be put up.
    link: Option<Link>,
}

impl Post {
    /// With a table, and nobody yet.
    pub(super) fn open(program: &GuardianProgram) -> io::Result<Self> {
        let table = Table::create(&program.folder)?;
        Ok(Self { table, link: None })
    }

    /// Where its table is found by its name.
    #[cfg(target_os = "linux")]
    pub(super) fn path(&self) -> Option<&std::path::Path> {
        self.table.path()
    }

    /// New guards over the same table.
    pub(super) fn again(&mut self, program: &GuardianProgram) -> io::Result<()> {
        self.link = None;
        self.link = Some(Link::open(program, &self.table)?);
        Ok(())
    }

    pub(super) fn stands(&mut self) -> bool {
        self.link.as_mut().is_some_and(Link::stands)
    }

    pub(super) fn watch(&self) -> io::Result<OwnedFd> {
        match &self.link {
            Some(link) => link.watch(),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    pub(super) fn expect(&mut self, run: &str) -> io::Result<()> {
        self.table.expect(run)
    }

    pub(super) fn started(&mut self, run: &str, group: u32) -> io::Result<()> {
        self.table.started(run, group)
    }

    pub(super) fn ended(&mut self, run: &str) -> io::Result<()> {
        self.table.ended(run)
    }
}
