//! Names become files by looking: each name is joined with the folders where it may lead, and with what its runner adds.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use super::forms::{first_part, forms};
use super::reading::{Marks, Reading};
use super::{Base, Candidate, Candidates, Role, View, tables};
use crate::trust::disk::{Kind, Listing};

/// So many folders that are names themselves are joined with other names.
const MAX_FOLDERS: usize = 16;
/// Places that may come to be, at most.
const MAX_ABSENT: usize = 32;
/// Interpreters of interpreters.
const MAX_INTERPRETERS: usize = 4;
/// Hook tests never belong to a fingerprint.
pub(super) const HOOK_TEST: &str = ".hooktest.yaml";

/// A place that a name leads to.
pub(super) struct Hit {
    pub(super) written: String,
    place: PathBuf,
    pub(super) base: Base,
    kind: Kind,
}

pub(super) struct Resolver<'a> {
    view: View<'a>,
    pub(super) real_project: PathBuf,
    /// Whether an executable bit says anything here.
    pub(super) bits: bool,
    seen: HashMap<PathBuf, Kind>,
    /// What the folders that names are joined with hold; `None` for one that cannot be listed.
    listed: HashMap<PathBuf, Option<Listing>>,
    found: BTreeMap<PathBuf, Candidate>,
    pub(super) out: Candidates,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        Self {
            view,
            real_project: view.disk.real(view.project),
            bits: view.disk.bits_say_something(view.project),
            seen: HashMap::new(),
            listed: HashMap::new(),
            found: BTreeMap::new(),
            out: Candidates::default(),
        }
    }

    pub(super) fn resolve(mut self, reading: Reading) -> Candidates {
        let bases = self.bases(&reading);
        let hits: Vec<Vec<Hit>> = reading
            .names
            .keys()
            .map(|name| self.hits(name, &bases, &reading))
            .collect();
        for ((name, marks), hits) in reading.names.iter().zip(&hits) {
            for hit in hits {
                self.note(hit, marks);
            }
            self.absent(name, marks, hits);
        }
        for (base, folder) in &bases {
            self.by_convention(*base, folder, &reading);
        }
        self.interpreters();
        self.out.computed = reading.computed;
        self.out.outputs = reading.outputs;
        self.out.cargo = reading.cargo;
        self.out.found = self.found.into_values().collect();
        self.out
    }

    /// The folders that names are joined with.
    fn bases(&mut self, reading: &Reading) -> Vec<(Base, PathBuf)> {
        let mut bases = vec![(Base::Start, self.view.start.to_owned())];
        if self.real(self.view.start) != self.real_project {
            bases.push((Base::Project, self.view.project.to_owned()));
        }
        let mut known: Vec<PathBuf> = bases.iter().map(|(_, folder)| self.real(folder)).collect();
        self.programs(&mut bases, &mut known);
        let own = bases.len();
        let mut at = 0;
        while at < bases.len() {
            let base = bases[at].1.clone();
            for name in reading.names.keys() {
                if !self.may_hold(&base, first_part(name).as_deref()) {
                    continue;
                }
                let place = base.join(name);
                if self.kind(&place) != Kind::Folder {
                    continue;
                }
                let folder = self.real(&place);
                if known.contains(&folder) || self.is_of_system(&folder) {
                    continue;
                }
                if bases.len() - own >= MAX_FOLDERS {
                    self.out.more_folders = true;
                    return bases;
                }
                known.push(folder);
                bases.push((Base::Folder, place));
            }
            at += 1;
        }
        bases
    }

    /// The folders of the project in which the engine's own PATH looks for programs.
    fn programs(&mut self, bases: &mut Vec<(Base, PathBuf)>, known: &mut Vec<PathBuf>) {
        let view = self.view;
        for entry in view.path {
            for from in [view.start, view.project] {
                let place = from.join(entry);
                let folder = self.real(&place);
                let fits = self.kind(&place) == Kind::Folder && self.inside(&place, &folder);
                if fits && !known.contains(&folder) {
                    known.push(folder);
                    bases.push((Base::Folder, place));
                }
            }
        }
    }

    /// Everything that a name leads to.
    fn hits(&mut self, name: &str, bases: &[(Base, PathBuf)], reading: &Reading) -> Vec<Hit> {
        let mut hits = Vec::new();
        for form in forms(name, reading) {
            let absolute = Path::new(&form).is_absolute();
            let first = first_part(&form);
            for (base, folder) in bases.iter().take(if absolute { 1 } else { bases.len() }) {
                if !self.may_hold(folder, first.as_deref()) {
                    continue;
                }
                let place = folder.join(&form);
                let kind = self.kind(&place);
                if kind != Kind::Absent {
                    let base = if absolute { Base::Absolute } else { *base };
                    let written = name.to_owned();
                    hits.push(Hit {
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

    /// Whether something in a folder begins so: many names are joined with few folders, and each is listed once.
    fn may_hold(&mut self, folder: &Path, first: Option<&str>) -> bool {
        let Some(first) = first else { return true };
        if !self.listed.contains_key(folder) {
            let listed = self.view.disk.listing(folder);
            if self.decides(folder) {
                self.out.looked.insert(folder.to_owned());
            }
            self.listed.insert(folder.to_owned(), listed);
        }
        match self.listed.get(folder) {
            Some(Some(names)) => names.contains(first),
            Some(None) | None => true,
        }
    }

    /// What stands at a place, looked at once.
    pub(super) fn kind(&mut self, place: &Path) -> Kind {
        if let Some(kind) = self.seen.get(place) {
            return *kind;
        }
        let kind = match self.view.disk.kind(place) {
            Kind::File { runs } => Kind::File {
                runs: self.bits && runs,
            },
            kind @ (Kind::Absent | Kind::Folder | Kind::Other) => kind,
        };
        self.seen.insert(place.to_owned(), kind);
        self.depend(place, kind);
        kind
    }

    pub(super) fn real(&self, path: &Path) -> PathBuf {
        self.view.disk.real(path)
    }

    pub(super) fn is_code(&self, path: &Path) -> bool {
        tables::is_code_start(&self.view.disk.beginning(path))
    }

    /// Notes what decides whether this stays so: the file, and the nearest folder above it. What is not of the project
    /// decides nothing that is covered.
    fn depend(&mut self, place: &Path, kind: Kind) {
        let nearest = place
            .ancestors()
            .skip(1)
            .find(|folder| self.out.looked.contains(*folder) || self.view.disk.kind(folder) == Kind::Folder);
        let Some(folder) = nearest.filter(|folder| self.decides(folder)) else {
            return;
        };
        self.out.looked.insert(folder.to_owned());
        if kind != Kind::Absent {
            self.out.looked.insert(place.to_owned());
        }
    }

    /// Whether what a folder holds can be covered.
    pub(super) fn decides(&self, folder: &Path) -> bool {
        self.out.looked.contains(folder) || self.inside(folder, &self.real(folder))
    }

    /// Whether a place is one of the system's own, wherever the project lies.
    fn is_of_system(&self, place: &Path) -> bool {
        let own = place.starts_with(self.view.project) || place.starts_with(&self.real_project);
        !own && tables::is_of_system(place)
    }

    /// Whether a place counts as the project's: by its real path, or as a link of the project's own.
    pub(super) fn inside(&self, place: &Path, real: &Path) -> bool {
        let climbs = place.components().any(|part| part == Component::ParentDir);
        let named = place.starts_with(self.view.project) || place.starts_with(&self.real_project);
        real.starts_with(&self.real_project) || (named && !climbs)
    }

    fn note(&mut self, hit: &Hit, marks: &Marks) {
        let path = self.real(&hit.place);
        let inside = self.inside(&hit.place, &path);
        let runs = match hit.kind {
            Kind::File { runs } => runs,
            Kind::Folder => {
                if inside && marks.folder {
                    self.folder(hit, &path);
                }
                return;
            }
            Kind::Other => {
                if inside && !marks.written {
                    self.out.others.insert(hit.place.clone());
                }
                return;
            }
            Kind::Absent => return,
        };
        let operand = marks.operand;
        let code = operand || marks.code || runs || tables::is_code_suffix(&hit.place) || self.is_code(&path);
        let test = hit.place.to_string_lossy().ends_with(HOOK_TEST);
        let role = if marks.written && !operand {
            Role::Output
        } else if code && !test {
            Role::Code
        } else {
            Role::Data
        };
        if inside && role != Role::Output {
            self.leads(hit, &path);
        }
        self.add(Candidate {
            written: hit.written.clone(),
            path,
            role,
            operand,
            base: hit.base,
            inside,
        });
    }

    /// Notes where a relative name leads.
    fn leads(&mut self, hit: &Hit, path: &Path) {
        if hit.base == Base::Absolute {
            return;
        }
        let leads = self.out.leads.entry(hit.written.clone()).or_default();
        leads.all.insert(path.to_owned());
        // What a runner adds to a name comes behind the name itself.
        if hit.base == Base::Start && leads.direct.is_none() {
            leads.direct = Some(path.to_owned());
        }
    }

    /// Each path once, as the most that it is to the command.
    pub(super) fn add(&mut self, candidate: Candidate) {
        match self.found.get_mut(&candidate.path) {
            Some(known) => {
                known.operand |= candidate.operand;
                known.inside |= candidate.inside;
                if candidate.role > known.role {
                    known.role = candidate.role;
                    known.written = candidate.written;
                }
                known.base = known.base.min(candidate.base);
            }
            None => drop(self.found.insert(candidate.path.clone(), candidate)),
        }
    }

    /// The interpreters in the project that scripts name behind `#!`.
    fn interpreters(&mut self) {
        for _ in 0..MAX_INTERPRETERS {
            let scripts = self
                .found
                .values()
                .filter(|known| known.role >= Role::Convention && known.inside);
            let named: Vec<String> = scripts
                .flat_map(|known| interpreter_words(&self.view.disk.beginning(&known.path)))
                .collect();
            let before = self.found.len();
            for word in named {
                for (base, folder) in [(Base::Start, self.view.start), (Base::Project, self.view.project)] {
                    let place = folder.join(&word);
                    let path = self.real(&place);
                    if matches!(self.kind(&place), Kind::File { .. }) && self.inside(&place, &path) {
                        let written = word.clone();
                        self.add(Candidate {
                            written,
                            path,
                            role: Role::Code,
                            operand: true,
                            base,
                            inside: true,
                        });
                    }
                }
            }
            if self.found.len() == before {
                return;
            }
        }
    }

    /// A place where the name would lead to a file of the project.
    fn absent(&mut self, name: &str, marks: &Marks, hits: &[Hit]) {
        let likely = marks.code || marks.operand || name.contains(['/', '.']);
        if !hits.is_empty() || !likely || name.starts_with('-') || self.out.absent.len() >= MAX_ABSENT {
            return;
        }
        let place = self.view.start.join(name);
        if self.inside(&place, &place) {
            self.out.absent.push(place);
        }
    }
}

/// The words of a script's first line, where its first bytes are `#!`.
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
