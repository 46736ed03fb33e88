//! Finds the folders that must be watched for a path, and the names in them that count.
//!
//! Every folder has only one name here, the one without links. The system reports a change under the name by which the
//! folder was watched last. With a second name, changes would seem to be elsewhere.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::WatchSet;

/// How many links of a path are followed, as in the system.
const MAX_LINKS: usize = 40;

/// The folders to watch, and the paths in them whose events count.
#[derive(Debug, Default)]
pub(super) struct WatchPaths {
    /// Folders that must be watched so that changes of the wanted paths are reported.
    pub required: BTreeSet<PathBuf>,
    /// Folders above them. A change there could lead a path elsewhere.
    pub optional: BTreeSet<PathBuf>,
    /// Paths whose change counts. Only the last part of each may be a link.
    pub paths: BTreeSet<PathBuf>,
    /// Folders in which every entry counts, with links resolved.
    pub whole_folders: BTreeSet<PathBuf>,
}

impl WatchPaths {
    /// Finds the folders by the links and folders that exist now.
    pub(super) fn new(watch_set: &WatchSet) -> Self {
        let mut watch_paths = Self::default();
        for file in &watch_set.files {
            let folders = watch_paths.add_path(file);
            watch_paths.required.extend(folders);
        }
        for folder in &watch_set.folders {
            let folders = watch_paths.add_path(folder);
            watch_paths.required.extend(folders);
            // A folder that does not exist yet is treated like a file.
            if let Some(real) = dunce::canonicalize(folder).ok().filter(|real| real.is_dir()) {
                watch_paths.required.insert(real.clone());
                watch_paths.whole_folders.insert(real);
            }
        }
        for marker in &watch_set.markers {
            watch_paths.add_path(marker);
        }
        let parents = watch_paths.paths.iter().filter_map(|path| path.parent());
        // The root directory is left out, because it does not change.
        let parents = parents.filter(|folder| folder.parent().is_some() && !watch_paths.required.contains(*folder));
        watch_paths.optional = parents.filter(|folder| folder.is_dir()).map(Path::to_owned).collect();
        watch_paths
    }

    /// Resolves a path link by link, as the system does, and adds every step to `paths`. Returns the nearest existing
    /// folder of the final path. If the path ends in links, the folder of each of them is returned too.
    fn add_path(&mut self, path: &Path) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        let mut links = 0;
        let mut so_far = PathBuf::new();
        let mut rest: VecDeque<PathPart> = path.components().filter_map(PathPart::from_component).collect();
        while let Some(part) = rest.pop_front() {
            match part {
                PathPart::Up => {
                    so_far.pop();
                }
                PathPart::Root(part) => so_far.push(part),
                PathPart::Down(name) => {
                    so_far.push(name);
                    self.paths.insert(so_far.clone());
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
                    for part in target.components().rev().filter_map(PathPart::from_component) {
                        rest.push_front(part);
                    }
                }
            }
        }
        let nearest = so_far.ancestors().skip(1).find(|folder| folder.is_dir());
        folders.extend(nearest.map(Path::to_owned));
        folders
    }
}

enum PathPart {
    /// The start of an absolute path. It replaces all parts before it.
    Root(OsString),
    Up,
    Down(OsString),
}

impl PathPart {
    fn from_component(part: Component<'_>) -> Option<Self> {
        Some(match part {
            Component::Prefix(_) | Component::RootDir => Self::Root(part.as_os_str().to_owned()),
            Component::ParentDir => Self::Up,
            // `.` does not change the path.
            Component::CurDir => return None,
            Component::Normal(name) => Self::Down(name.to_owned()),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn watch_set(path: PathBuf) -> WatchSet {
        WatchSet {
            files: vec![path],
            markers: Vec::new(),
            folders: Vec::new(),
        }
    }

    #[test]
    fn every_link_of_a_path_is_watched() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("real/agent")).unwrap();
        symlink("real", root.join("second")).unwrap();
        symlink("second", root.join("first")).unwrap();
        let watch_paths = WatchPaths::new(&watch_set(root.join("first/agent/x")));
        for stop in ["first", "second", "real", "real/agent", "real/agent/x"] {
            assert!(watch_paths.paths.contains(&root.join(stop)), "{stop}");
        }
        assert_eq!(watch_paths.required, BTreeSet::from([root.join("real/agent")]));
        assert!(watch_paths.optional.contains(&root) && watch_paths.optional.contains(&root.join("real")));
    }

    #[test]
    fn a_folder_has_one_name_however_it_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("a/deep")).unwrap();
        std::fs::create_dir_all(root.join("b")).unwrap();
        symlink(".././a/deep/x", root.join("b/x")).unwrap();
        symlink(root.join("b/../a"), root.join("c")).unwrap();
        let watch_paths = WatchPaths::new(&watch_set(root.join("b/x")));
        assert_eq!(
            watch_paths.required,
            BTreeSet::from([root.join("b"), root.join("a/deep")])
        );
        assert_eq!(
            WatchPaths::new(&watch_set(root.join("c/deep/x"))).required,
            [root.join("a/deep")].into()
        );
        // `..` after a link means the parent of the link's target.
        symlink("../a/deep", root.join("b/link")).unwrap();
        let watch_paths = WatchPaths::new(&watch_set(root.join("b/link/../y")));
        assert_eq!(watch_paths.required, BTreeSet::from([root.join("a")]));
        assert!(watch_paths.paths.contains(&root.join("a/y")) && !watch_paths.paths.contains(&root.join("b/y")));
    }

    #[test]
    fn dead_and_circular_links_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        symlink("ring", root.join("ring")).unwrap();
        let watch_paths = WatchPaths::new(&watch_set(root.join("ring/x")));
        assert_eq!(watch_paths.required, BTreeSet::from([root.clone()]));
        symlink("missing/file", root.join("dead")).unwrap();
        let watch_paths = WatchPaths::new(&watch_set(root.join("dead")));
        assert_eq!(watch_paths.required, BTreeSet::from([root.clone()]));
        assert!(watch_paths.paths.contains(&root.join("missing")));
    }
}
