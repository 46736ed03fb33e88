//! Files that a program reads without being told: in the folder where it runs, and where it climbs, in those above it.

use std::path::Path;

use super::forms::entries;
use super::reading::Reading;
use super::resolve::Resolver;
use super::tables::Convention;
use super::{Base, Candidate, Role};
use crate::trust::disk::Kind;

impl Resolver<'_> {
    /// The files that are read in a folder, and up to the project in those above it.
    pub(super) fn by_convention(&mut self, base: Base, folder: &Path, reading: &Reading) {
        let project = self.real_project.clone();
        for convention in &reading.conventions {
            self.read_there(base, folder, convention);
            let real = self.real(folder);
            let above = real.ancestors().skip(1).take_while(|above| above.starts_with(&project));
            for above in above.take_while(|_| convention.climbs) {
                self.read_there(base, above, convention);
            }
        }
    }

    fn read_there(&mut self, base: Base, folder: &Path, convention: &Convention) {
        let wanted = |name: &&String| convention.files.iter().any(|file| file.eq_ignore_ascii_case(name));
        for name in entries(folder).iter().flatten().filter(wanted) {
            let place = folder.join(name);
            let path = self.real(&place);
            if matches!(self.kind(&place), Kind::File { .. }) && self.inside(&place, &path) {
                self.add(Candidate {
                    written: name.clone(),
                    path,
                    role: if convention.scripts {
                        Role::Scripts
                    } else {
                        Role::Convention
                    },
                    operand: false,
                    base,
                    inside: true,
                });
            }
        }
        if self.decides(folder) {
            self.out.looked.insert(folder.to_owned());
        }
    }
}
