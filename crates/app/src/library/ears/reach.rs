//! Which folders must be listened at for a path, and which names in them count.
//!
//! Every folder has one name here: the one without links. The system tells of a change under the name that a folder was
//! watched by last, so a second name for it would make changes seem to happen elsewhere.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::Wanted;

/// Links are followed this often, as the system does.
const MAX_LINKS: usize = 40;

/// Where to listen, and for what.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Folders without which changes of what is wanted are not heard.
    pub must: BTreeSet<PathBuf>,
    /// Folders above them, where something could lead a path elsewhere.
    pub may: BTreeSet<PathBuf>,
    /// Paths whose change counts. All but the last part of each is free of links.
    pub trails: BTreeSet<PathBuf>,
    /// Folders whose entries all count, free of links.
    pub whole: BTreeSet<PathBuf>,
}

impl Reach {
    /// What the disk says now.
    pub(super) fn of(wanted: &Wanted) -> Self {
        let mut reach = Self::default();
        for place in &wanted.places {
            let way = reach.follow(place);
            reach.must.extend(way);
        }
        for folder in &wanted.folders {
            let way = reach.follow(folder);
            reach.must.extend(way);
            // One that is not there yet is a place like any other.
            if let Some(real) = dunce::canonicalize(folder).ok().filter(|real| real.is_dir()) {
                reach.must.insert(real.clone());
                reach.whole.insert(real);
            }
        }
        for sign in &wanted.signs {
            reach.follow(sign);
        }
        let above = reach.trails.iter().filter_map(|trail| trail.parent());
        // The root is every path's beginning; nothing about it changes.
        let above = above.filter(|folder| folder.parent().is_some() && !reach.must.contains(*folder));
        reach.may = above.filter(|folder| folder.is_dir()).map(Path::to_owned).collect();
        reach
    }

    /// Goes the way of a path as the system does, link by link, and counts every stop. Returns the nearest existing
    /// folder of where it ends, and of every link that stands in its place.
    fn follow(&mut self, path: &Path) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        let mut links = 0;
        let mut so_far = PathBuf::new();
        let mut rest: VecDeque<Step> = path.components().filter_map(Step::of).collect();
        while let Some(step) = rest.pop_front() {
            match step {
                Step::Up => {
                    so_far.pop();
                }
                Step::Root(part) => so_far.push(part),
                Step::Down(name) => {
                    so_far.push(name);
                    self.trails.insert(so_far.clone());
                    let Ok(target) = std::fs::read_link(&so_far) else {
                        continue;
                    };
                    links += 1;
                    if links > MAX_LINKS {
                        break;
                    }
                    so_far.pop();
                    if rest.is_empty() {
                        folders.push(so_far.clone());
                    }
                    for step in target.components().rev().filter_map(Step::of) {
                        rest.push_front(step);
                    }
                }
            }
        }
        let nearest = so_far.ancestors().skip(1).find(|folder| folder.is_dir());
        folders.extend(nearest.map(Path::to_owned));
        folders
    }
}

/// One part of a path.
enum Step {
    /// Where an absolute path begins; what came before does not count.
    Root(OsString),
    Up,
    Down(OsString),
}

impl Step {
    fn of(part: Component<'_>) -> Option<Self> {
        Some(match part {
            Component::Prefix(_) | Component::RootDir => Self::Root(part.as_os_str().to_owned()),
            Component::ParentDir => Self::Up,
            // Leads nowhere else.
            Component::CurDir => return None,
            Component::Normal(name) => Self::Down(name.to_owned()),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(path: PathBuf) -> Wanted {
        Wanted {
            places: vec![path],
            signs: Vec::new(),
            folders: Vec::new(),
        }
    }

    #[test]
    fn every_link_on_the_way_is_a_stop() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("real/agent")).unwrap();
        symlink("real", root.join("second")).unwrap();
        symlink("second", root.join("first")).unwrap();
        let reach = Reach::of(&place(root.join("first/agent/x")));
        for stop in ["first", "second", "real", "real/agent", "real/agent/x"] {
            assert!(reach.trails.contains(&root.join(stop)), "{stop}");
        }
        assert_eq!(reach.must, BTreeSet::from([root.join("real/agent")]));
        assert!(reach.may.contains(&root) && reach.may.contains(&root.join("real")));
    }

    #[test]
    fn a_folder_has_one_name_however_it_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("a/deep")).unwrap();
        std::fs::create_dir_all(root.join("b")).unwrap();
        symlink(".././a/deep/x", root.join("b/x")).unwrap();
        symlink(root.join("b/../a"), root.join("c")).unwrap();
        let reach = Reach::of(&place(root.join("b/x")));
        assert_eq!(reach.must, BTreeSet::from([root.join("b"), root.join("a/deep")]));
        assert_eq!(
            Reach::of(&place(root.join("c/deep/x"))).must,
            [root.join("a/deep")].into()
        );
        // `..` after a link is the folder above what the link means.
        symlink("../a/deep", root.join("b/link")).unwrap();
        let reach = Reach::of(&place(root.join("b/link/../y")));
        assert_eq!(reach.must, BTreeSet::from([root.join("a")]));
        assert!(reach.trails.contains(&root.join("a/y")) && !reach.trails.contains(&root.join("b/y")));
    }

    #[test]
    fn links_that_lead_nowhere_or_in_a_ring_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        symlink("ring", root.join("ring")).unwrap();
        let reach = Reach::of(&place(root.join("ring/x")));
        assert_eq!(reach.must, BTreeSet::from([root.clone()]));
        symlink("missing/file", root.join("dead")).unwrap();
        let reach = Reach::of(&place(root.join("dead")));
        assert_eq!(reach.must, BTreeSet::from([root.clone()]));
        assert!(reach.trails.contains(&root.join("missing")));
    }
}
