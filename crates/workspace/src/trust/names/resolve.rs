//! Resolves names to existing files. Each name is joined with the folders from which it may lead, and with what its
//! runner adds.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use super::forms::{first_part, forms};
use super::name_collector::{NameCollector, NameMarks};
use super::{FileCandidate, FileCandidates, FileRole, LookupContext, NameBase, tables};
use crate::trust::disk_cache::{FolderListing, PathKind};

/// Limit for the named folders that are joined with other names.
const MAX_FOLDERS: usize = 16;
/// Limit for the noted paths that do not exist yet.
const MAX_ABSENT: usize = 32;
/// Limit for chains of interpreters: a script's `#!` names a script with its own `#!`.
const MAX_INTERPRETERS: usize = 4;
/// The suffix of hook tests. They never belong to a fingerprint.
pub(super) const HOOK_TEST: &str = ".hooktest.yaml";

/// An existing path that a name leads to.
pub(super) struct NameHit {
    pub(super) written: String,
    place: PathBuf,
    pub(super) base: NameBase,
    kind: PathKind,
}

pub(super) struct PathResolver<'a> {
    context: LookupContext<'a>,
    pub(super) real_project: PathBuf,
    /// Whether executable bits mean anything on the project's file system.
    pub(super) uses_exec_bits: bool,
    kinds: HashMap<PathBuf, PathKind>,
    /// The entries of the folders that names are joined with; `None` for a folder that cannot be listed.
    listings: HashMap<PathBuf, Option<FolderListing>>,
    found: BTreeMap<PathBuf, FileCandidate>,
    pub(super) out: FileCandidates,
}

impl<'a> PathResolver<'a> {
    pub(super) fn new(context: LookupContext<'a>) -> Self {
        Self {
            context,
            real_project: context.disk.real(context.project),
            uses_exec_bits: context.disk.has_exec_bits(context.project),
            kinds: HashMap::new(),
            listings: HashMap::new(),
            found: BTreeMap::new(),
            out: FileCandidates::default(),
        }
    }

    pub(super) fn resolve(mut self, reading: NameCollector) -> FileCandidates {
        let bases = self.bases(&reading);
        let hits: Vec<Vec<NameHit>> = reading
            .names
            .keys()
            .map(|name| self.find_hits(name, &bases, &reading))
            .collect();
        for ((name, marks), hits) in reading.names.iter().zip(&hits) {
            for hit in hits {
                self.note_hit(hit, marks);
            }
            self.note_absent(name, marks, hits);
        }
        for (base, folder) in &bases {
            self.add_convention_files(*base, folder, &reading);
        }
        self.add_script_interpreters();
        self.out.computed = reading.computed;
        self.out.outputs = reading.outputs;
        self.out.cargo = reading.cargo;
        self.out.found = self.found.into_values().collect();
        self.out
    }

    /// The folders that names are joined with.
    fn bases(&mut self, reading: &NameCollector) -> Vec<(NameBase, PathBuf)> {
        let mut bases = vec![(NameBase::Start, self.context.start.to_owned())];
        if self.real(self.context.start) != self.real_project {
            bases.push((NameBase::Project, self.context.project.to_owned()));
        }
        let mut known: Vec<PathBuf> = bases.iter().map(|(_, folder)| self.real(folder)).collect();
        self.add_program_folders(&mut bases, &mut known);
        let fixed = bases.len();
        let mut at = 0;
        while at < bases.len() {
            let base = bases[at].1.clone();
            for name in reading.names.keys() {
                if !self.may_contain(&base, first_part(name).as_deref()) {
                    continue;
                }
                let place = base.join(name);
                if self.kind(&place) != PathKind::Folder {
                    continue;
                }
                let folder = self.real(&place);
                if known.contains(&folder) || self.is_of_system(&folder) {
                    continue;
                }
                if bases.len() - fixed >= MAX_FOLDERS {
                    self.out.more_folders = true;
                    return bases;
                }
                known.push(folder);
                bases.push((NameBase::Folder, place));
            }
            at += 1;
        }
        bases
    }

    /// Adds the folders of the project in which the engine's own PATH finds programs.
    fn add_program_folders(&mut self, bases: &mut Vec<(NameBase, PathBuf)>, known: &mut Vec<PathBuf>) {
        let context = self.context;
        for entry in context.path {
            for from in [context.start, context.project] {
                let place = from.join(entry);
                let folder = self.real(&place);
                let fits = self.kind(&place) == PathKind::Folder && self.is_inside(&place, &folder);
                if fits && !known.contains(&folder) {
                    known.push(folder);
                    bases.push((NameBase::Folder, place));
                }
            }
        }
    }

    /// Everything that a name leads to.
    fn find_hits(&mut self, name: &str, bases: &[(NameBase, PathBuf)], reading: &NameCollector) -> Vec<NameHit> {
        let mut hits = Vec::new();
        for form in forms(name, reading) {
            let absolute = Path::new(&form).is_absolute();
            let first = first_part(&form);
            for (base, folder) in bases.iter().take(if absolute { 1 } else { bases.len() }) {
                if !self.may_contain(folder, first.as_deref()) {
                    continue;
                }
                let place = folder.join(&form);
                let kind = self.kind(&place);
                if kind != PathKind::Absent {
                    let base = if absolute { NameBase::Absolute } else { *base };
                    let written = name.to_owned();
                    hits.push(NameHit {
                        written,
                        place,
                        base,
                        kind,
                    });
                }
            }
        }
        hits
    }

    /// Whether a folder may contain an entry with this first part. Many names are joined with few folders, and each
    /// folder is listed once.
    fn may_contain(&mut self, folder: &Path, first: Option<&str>) -> bool {
        let Some(first) = first else { return true };
        if !self.listings.contains_key(folder) {
            let listed = self.context.disk.listing(folder);
            if self.can_cover(folder) {
                self.out.dependencies.insert(folder.to_owned());
            }
            self.listings.insert(folder.to_owned(), listed);
        }
        match self.listings.get(folder) {
            Some(Some(names)) => names.contains(first),
            Some(None) | None => true,
        }
    }

    /// What is at a path. Each path is read once.
    pub(super) fn kind(&mut self, place: &Path) -> PathKind {
        if let Some(kind) = self.kinds.get(place) {
            return *kind;
        }
        let kind = match self.context.disk.kind(place) {
            PathKind::File { executable: runs } => PathKind::File {
                executable: self.uses_exec_bits && runs,
            },
            kind @ (PathKind::Absent | PathKind::Folder | PathKind::Other) => kind,
        };
        self.kinds.insert(place.to_owned(), kind);
        self.note_dependency(place, kind);
        kind
    }

    pub(super) fn real(&self, path: &Path) -> PathBuf {
        self.context.disk.real(path)
    }

    pub(super) fn is_code(&self, path: &Path) -> bool {
        tables::is_code_start(&self.context.disk.first_bytes(self.context.project, path))
    }

    /// Notes what decides whether the kind of a path stays the same: the path itself, and the nearest folder above it.
    /// What is outside the project decides nothing that is covered.
    fn note_dependency(&mut self, place: &Path, kind: PathKind) {
        let nearest = place.ancestors().skip(1).find(|folder| {
            self.out.dependencies.contains(*folder) || self.context.disk.kind(folder) == PathKind::Folder
        });
        let Some(folder) = nearest.filter(|folder| self.can_cover(folder)) else {
            return;
        };
        self.out.dependencies.insert(folder.to_owned());
        if kind != PathKind::Absent {
            self.out.dependencies.insert(place.to_owned());
        }
    }

    /// Whether the contents of a folder can be covered.
    pub(super) fn can_cover(&self, folder: &Path) -> bool {
        self.out.dependencies.contains(folder) || self.is_inside(folder, &self.real(folder))
    }

    /// Whether a path is in a folder of the system and outside the project.
    fn is_of_system(&self, place: &Path) -> bool {
        let in_project = place.starts_with(self.context.project) || place.starts_with(&self.real_project);
        !in_project && tables::is_of_system(place)
    }

    /// Whether a path belongs to the project: by its real path, or as a link in the project.
    pub(super) fn is_inside(&self, place: &Path, real: &Path) -> bool {
        let climbs = place.components().any(|part| part == Component::ParentDir);
        let named = place.starts_with(self.context.project) || place.starts_with(&self.real_project);
        real.starts_with(&self.real_project) || (named && !climbs)
    }

    fn note_hit(&mut self, hit: &NameHit, marks: &NameMarks) {
        let path = self.real(&hit.place);
        let inside = self.is_inside(&hit.place, &path);
        let runs = match hit.kind {
            PathKind::File { executable: runs } => runs,
            PathKind::Folder => {
                if inside && marks.folder {
                    self.add_folder(hit, &path);
                }
                return;
            }
            PathKind::Other => {
                if inside && !marks.is_output {
                    self.out.others.insert(hit.place.clone());
                }
                return;
            }
            PathKind::Absent => return,
        };
        let operand = marks.operand;
        let code = operand || marks.code || runs || tables::is_code_suffix(&hit.place) || self.is_code(&path);
        let test = hit.place.to_string_lossy().ends_with(HOOK_TEST);
        let role = if marks.is_output && !operand {
            FileRole::Output
        } else if code && !test {
            FileRole::Code
        } else {
            FileRole::Data
        };
        if inside && role != FileRole::Output {
            self.note_target(hit, &path);
        }
        self.add(FileCandidate {
            written: hit.written.clone(),
            path,
            role,
            operand,
            base: hit.base,
            in_project: inside,
        });
    }

    /// Notes where a relative name leads.
    fn note_target(&mut self, hit: &NameHit, path: &Path) {
        if hit.base == NameBase::Absolute {
            return;
        }
        let leads = self.out.targets.entry(hit.written.clone()).or_default();
        leads.all.insert(path.to_owned());
        // Hits for the name itself come before hits for the name with a runner's suffix.
        if hit.base == NameBase::Start && leads.direct.is_none() {
            leads.direct = Some(path.to_owned());
        }
    }

    /// Adds a candidate. Each path is listed once, with its highest role.
    pub(super) fn add(&mut self, candidate: FileCandidate) {
        match self.found.get_mut(&candidate.path) {
            Some(known) => {
                known.operand |= candidate.operand;
                known.in_project |= candidate.in_project;
                if candidate.role > known.role {
                    known.role = candidate.role;
                    known.written = candidate.written;
                }
                known.base = known.base.min(candidate.base);
            }
            None => drop(self.found.insert(candidate.path.clone(), candidate)),
        }
    }

    /// Adds the interpreters in the project that scripts name after `#!`.
    fn add_script_interpreters(&mut self) {
        for _ in 0..MAX_INTERPRETERS {
            let scripts = self
                .found
                .values()
                .filter(|known| known.role >= FileRole::Convention && known.in_project);
            let named: Vec<String> = scripts
                .flat_map(|known| interpreter_words(&self.context.disk.first_bytes(self.context.project, &known.path)))
                .collect();
            let before = self.found.len();
            for word in named {
                for (base, folder) in [
                    (NameBase::Start, self.context.start),
                    (NameBase::Project, self.context.project),
                ] {
                    let place = folder.join(&word);
                    let path = self.real(&place);
                    if matches!(self.kind(&place), PathKind::File { .. }) && self.is_inside(&place, &path) {
                        let written = word.clone();
                        self.add(FileCandidate {
                            written,
                            path,
                            role: FileRole::Code,
                            operand: true,
                            base,
                            in_project: true,
                        });
                    }
                }
            }
            if self.found.len() == before {
                return;
            }
        }
    }

    /// Notes a path in the project where the name would lead to a file, if nothing exists under the name.
    fn note_absent(&mut self, name: &str, marks: &NameMarks, hits: &[NameHit]) {
        let is_likely_file = marks.code || marks.operand || name.contains(['/', '.']);
        if !hits.is_empty() || !is_likely_file || name.starts_with('-') || self.out.absent.len() >= MAX_ABSENT {
            return;
        }
        let place = self.context.start.join(name);
        if self.is_inside(&place, &place) {
            self.out.absent.push(place);
        }
    }
}

/// The paths in a script's first line, if its first bytes are `#!`.
fn interpreter_words(start: &[u8]) -> Vec<String> {
    let Some(line) = start.strip_prefix(b"#!") else {
        return Vec::new();
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line).into_owned();
    line.split([' ', '\t', '\r'])
        .filter(|word| word.contains('/'))
        .map(str::to_owned)
        .collect()
}
