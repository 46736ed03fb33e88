//! What several hooks have wrong in the same way is told in one line, at the first of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hookwright_model::{Args, MessageTemplate, Problem};

use super::messages as say;
use crate::shell::base_name;

/// How a list of names is written.
type Written = fn(&[&str]) -> String;

/// Sentences that are one fault where several hooks have them.
#[derive(Clone, Copy)]
pub struct Alike {
    /// What is told of one hook, and what is told of several; the gravest first.
    pub of: &'static [(MessageTemplate, MessageTemplate)],
    /// Whether the hooks may be in several files.
    pub across: bool,
    /// What those that are told together have in common, by the arguments of the sentence.
    pub shared: fn(&Args) -> String,
    /// Arguments that are listed: the name of each, the name of the list, and how it is written.
    pub lists: &'static [(&'static str, &'static str, Written)],
}

const ALIKE: [Alike; 5] = [
    Alike {
        of: &[(say::RELATIVE, say::RELATIVE_ALL)],
        across: false,
        shared: |_| String::new(),
        lists: &[("path", "paths", few)],
    },
    Alike {
        of: &[
            (say::OPEN_MISSING, say::OPEN_MISSING_ALL),
            (say::BLOCKS_MISSING, say::OPEN_MISSING_ALL),
            (say::MISSING, say::MISSING_ALL),
        ],
        across: false,
        shared: |args| folder(text(args, "name")).to_owned(),
        lists: &[
            ("name", "folder", |names| folder(names[0]).to_owned()),
            ("name", "names", few_names),
        ],
    },
    Alike {
        of: &[(say::OPEN_BIT, say::OPEN_BIT_ALL), (say::BIT, say::BIT_ALL)],
        across: false,
        shared: |_| String::new(),
        lists: &[("name", "names", few_names), ("file", "files", |files| files.join(" "))],
    },
    Alike {
        of: &[
            (say::OPEN_PROGRAM, say::OPEN_PROGRAM_ALL),
            (say::PROGRAM, say::PROGRAM_ALL),
        ],
        across: false,
        shared: |args| text(args, "name").to_owned(),
        lists: &[],
    },
    Alike {
        of: &[(say::UNEXPANDED, say::UNEXPANDED_ALL)],
        across: false,
        shared: |_| String::new(),
        lists: &[("written", "names", few)],
    },
];

/// Tells in one line what several hooks of a file have in common.
pub fn gather(problems: &mut Vec<Problem>) {
    for alike in &ALIKE {
        gather_alike(problems, alike);
    }
}

/// The same for one kind of fault.
pub fn gather_alike(problems: &mut Vec<Problem>, alike: &Alike) {
    let mut groups: BTreeMap<(PathBuf, String), Vec<usize>> = BTreeMap::new();
    for (at, problem) in problems.iter().enumerate().filter(|(_, one)| alike.rank(one).is_some()) {
        let file = if alike.across {
            PathBuf::new()
        } else {
            problem.path.clone()
        };
        groups
            .entry((file, (alike.shared)(&problem.args)))
            .or_default()
            .push(at);
    }
    let mut told: BTreeSet<usize> = BTreeSet::new();
    for places in groups.into_values().filter(|places| places.len() > 1) {
        let all: Vec<&Problem> = places.iter().map(|at| &problems[*at]).collect();
        let one = alike.one(&all);
        problems[places[0]] = one;
        told.extend(&places[1..]);
    }
    let mut at = 0..;
    problems.retain(|_| at.next().is_none_or(|at| !told.contains(&at)));
}

impl Alike {
    /// Which of the sentences this is.
    fn rank(&self, problem: &Problem) -> Option<usize> {
        let case = text(&problem.args, "case");
        let mut singles = self.of.iter().map(|(single, _)| single);
        singles.position(|single| single.code == problem.code.word() && single.case == case)
    }

    /// The one line: the gravest of them, at the first that has it.
    fn one(&self, all: &[&Problem]) -> Problem {
        let rank = all.iter().filter_map(|one| self.rank(one)).min().unwrap_or_default();
        let first = all.iter().find(|one| self.rank(one) == Some(rank)).unwrap_or(&all[0]);
        let mut args = first.args.clone();
        args.insert("count".to_owned(), all.len().into());
        for (name, list, write) in self.lists {
            let mut values: Vec<&str> = Vec::new();
            for value in all.iter().map(|one| text(&one.args, name)) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            args.insert((*list).to_owned(), write(&values).into());
        }
        let words = self.of[rank].1.render(args);
        Problem {
            message: words.text,
            hint: words.hint,
            args: words.args,
            ..(*first).clone()
        }
    }
}

fn text<'a>(args: &'a Args, name: &str) -> &'a str {
    args.get(name).and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// The folder of a file as it is written.
fn folder(path: &str) -> &str {
    match path.rsplit_once(['/', '\\']) {
        Some((folder, _)) if !folder.is_empty() => folder,
        Some(_) => "/",
        None => ".",
    }
}

/// `a, b, c +5`
#[must_use]
pub fn few(values: &[&str]) -> String {
    const MANY: usize = 3;
    let shown = values.iter().take(MANY).copied().collect::<Vec<_>>().join(", ");
    match values.len().saturating_sub(MANY) {
        0 => shown,
        more => format!("{shown} +{more}"),
    }
}

fn few_names(paths: &[&str]) -> String {
    few(&paths.iter().map(|path| base_name(path)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_three_and_counts_the_rest() {
        assert_eq!(few(&["a", "b", "c"]), "a, b, c");
        assert_eq!(few_names(&["x/a", "x/b", "c", "y/d", "e"]), "a, b, c +2");
    }

    #[test]
    fn the_folder_of_a_file_is_what_stands_before_it() {
        for (path, want) in [
            ("$D/.x/a.sh", "$D/.x"),
            ("a.sh", "."),
            ("/a.sh", "/"),
            ("D:\\x\\a.ps1", "D:\\x"),
        ] {
            assert_eq!(folder(path), want);
        }
    }
}
