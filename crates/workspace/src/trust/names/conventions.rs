//! Files that a program reads without being given their names. They are in the folder where the program runs. Some
//! programs also search the folders above.

use std::path::Path;

use super::forms::entries;
use super::name_collector::NameCollector;
use super::resolve::PathResolver;
use super::tables::Convention;
use super::{FileCandidate, FileRole, NameBase};
use crate::trust::disk_cache::PathKind;

impl PathResolver<'_> {
    /// Adds the files that programs read in a folder, and in the folders above it up to the project.
    pub(super) fn add_convention_files(&mut self, base: NameBase, folder: &Path, reading: &NameCollector) {
        let project = self.real_project.clone();
        for convention in &reading.conventions {
            self.add_files_from(base, folder, convention);
            let real = self.real(folder);
            let above = real.ancestors().skip(1).take_while(|above| above.starts_with(&project));
            for above in above.take_while(|_| convention.searches_parents) {
                self.add_files_from(base, above, convention);
            }
        }
    }

    fn add_files_from(&mut self, base: NameBase, folder: &Path, convention: &Convention) {
        let wanted = |name: &&String| convention.files.iter().any(|file| file.eq_ignore_ascii_case(name));
        for name in entries(folder).iter().flatten().filter(wanted) {
            let place = folder.join(name);
            let path = self.real(&place);
            if matches!(self.kind(&place), PathKind::File { .. }) && self.is_inside(&place, &path) {
                self.add(FileCandidate {
                    written: name.clone(),
                    path,
                    role: if convention.scripts {
                        FileRole::Scripts
                    } else {
                        FileRole::Convention
                    },
                    operand: false,
                    base,
                    in_project: true,
                });
            }
        }
        if self.can_cover(folder) {
            self.out.dependencies.insert(folder.to_owned());
        }
    }
}
