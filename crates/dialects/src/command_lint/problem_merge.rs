//! Merges problems that several hooks have in common into one problem, at the first of these hooks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{Args, MessageTemplate, OnFailureEffect, Problem};

use super::messages;
use crate::shell::base_name;

/// Joins a list of names to one text.
type ListWriter = fn(&[&str]) -> String;

/// Rule for merging the problems of several hooks into one.
#[derive(Clone, Copy)]
pub struct MergeRule {
    /// Pairs of the message for one hook and the message for several hooks; the most severe first.
    pub templates: &'static [(MessageTemplate, MessageTemplate)],
    /// Whether problems of different files are merged.
    pub across_files: bool,
    /// Returns what merged problems have in common, from the arguments of the message. Only equal keys are merged.
    pub shared_key: fn(&Args) -> String,
    /// Arguments that the merged message lists: name of the argument, name of the list, and how the list is written.
    pub lists: &'static [(&'static str, &'static str, ListWriter)],
}

const MERGE_RULES: [MergeRule; 6] = [
    MergeRule {
        templates: &[(messages::RELATIVE, messages::RELATIVE_ALL)],
        across_files: false,
        shared_key: |_| String::new(),
        lists: &[("path", "paths", join_few)],
    },
    MergeRule {
        templates: &[(messages::RELATIVE_TO_SESSION, messages::RELATIVE_TO_SESSION_ALL)],
        across_files: false,
        shared_key: |_| String::new(),
        lists: &[("path", "paths", join_few)],
    },
    MergeRule {
        templates: &[(messages::MISSING, messages::MISSING_ALL)],
        across_files: false,
        shared_key: |args| folder(text_arg(args, "name")).to_owned(),
        lists: &[
            ("name", "folder", |names| folder(names[0]).to_owned()),
            ("name", "names", join_few_names),
        ],
    },
    MergeRule {
        templates: &[(messages::NOT_EXECUTABLE, messages::NOT_EXECUTABLE_ALL)],
        across_files: false,
        shared_key: |_| String::new(),
        lists: &[
            ("name", "names", join_few_names),
            ("file", "files", |files| files.join(" ")),
        ],
    },
    MergeRule {
        templates: &[(messages::PROGRAM, messages::PROGRAM_ALL)],
        across_files: false,
        shared_key: |args| text_arg(args, "name").to_owned(),
        lists: &[],
    },
    MergeRule {
        templates: &[(messages::UNEXPANDED, messages::UNEXPANDED_ALL)],
        across_files: false,
        shared_key: |_| String::new(),
        lists: &[("written", "names", join_few)],
    },
];

/// Merges the problems that several hooks of a file have in common.
pub fn merge_problems(problems: &mut Vec<Problem>) {
    drop_absent_paths(problems);
    for rule in &MERGE_RULES {
        merge_by_rule(problems, rule);
    }
}

/// Removes what is said of the path of one user where the same hook is reported because nothing exists there.
fn drop_absent_paths(problems: &mut Vec<Problem>) {
    let hook_and = |problem: &Problem, arg: &str| (problem.hook.clone(), text_arg(&problem.args, arg).to_owned());
    let missing = problems.iter().filter(|problem| problem.says(&messages::MISSING));
    let missing: HashSet<_> = missing.map(|problem| hook_and(problem, "name")).collect();
    problems.retain(|problem| {
        // A path in the project is written right without the folder of its user.
        let has_remedy = || !text_arg(&problem.args, "fixed").contains('…');
        let is_said = || missing.contains(&hook_and(problem, "path"));
        !problem.says(&messages::HOME_ABSENT) || has_remedy() || !is_said()
    });
}

/// Merges problems by one rule.
pub fn merge_by_rule(problems: &mut Vec<Problem>, rule: &MergeRule) {
    let mut groups: BTreeMap<(PathBuf, String), Vec<usize>> = BTreeMap::new();
    for (at, problem) in problems
        .iter()
        .enumerate()
        .filter(|(_, one)| rule.severity_rank(one).is_some())
    {
        let file = if rule.across_files {
            PathBuf::new()
        } else {
            problem.path.clone()
        };
        groups
            .entry((file, (rule.shared_key)(&problem.args)))
            .or_default()
            .push(at);
    }
    let mut merged: BTreeSet<usize> = BTreeSet::new();
    for indexes in groups.into_values().filter(|places| places.len() > 1) {
        let all: Vec<&Problem> = indexes.iter().map(|at| &problems[*at]).collect();
        let one = rule.merge(&all);
        problems[indexes[0]] = one;
        merged.extend(&indexes[1..]);
    }
    let mut at = 0..;
    problems.retain(|_| at.next().is_none_or(|at| !merged.contains(&at)));
}

impl MergeRule {
    /// Returns the index of the problem's message in the templates, 0 for the most severe; `None` for other messages.
    fn severity_rank(&self, problem: &Problem) -> Option<usize> {
        self.templates.iter().position(|(single, _)| problem.says(single))
    }

    /// Creates the merged problem: the most severe message, at the first hook that has it.
    fn merge(&self, all: &[&Problem]) -> Problem {
        let rank = all
            .iter()
            .filter_map(|one| self.severity_rank(one))
            .min()
            .unwrap_or_default();
        let first = all
            .iter()
            .find(|one| self.severity_rank(one) == Some(rank))
            .unwrap_or(&all[0]);
        let mut args = first.args.clone();
        args.insert("count".to_owned(), all.len().into());
        // The gravest effect counts for all of them.
        let effects = all.iter().filter_map(|one| one.args.get("effect")).cloned();
        let gravest = effects.max_by_key(|effect| serde_json::from_value::<OnFailureEffect>(effect.clone()).ok());
        args.extend(gravest.map(|effect| ("effect".to_owned(), effect)));
        for (name, list, write) in self.lists {
            let mut known: HashSet<&str> = HashSet::new();
            let values = all.iter().map(|one| text_arg(&one.args, name));
            let values: Vec<&str> = values.filter(|value| known.insert(value)).collect();
            args.insert((*list).to_owned(), write(&values).into());
        }
        let message = self.templates[rank].1.render(args);
        Problem {
            message: message.text,
            hint: message.hint,
            args: message.args,
            fixes: all.iter().flat_map(|one| one.fixes.iter().cloned()).collect(),
            also: others(all, first.hook.as_deref()),
            merged: share_faults(all),
            ..(*first).clone()
        }
    }
}

/// The hooks of these problems, each once, without `first`.
fn others(all: &[&Problem], first: Option<&str>) -> Vec<String> {
    let mut known: HashSet<&str> = first.into_iter().collect();
    let hooks = all.iter().flat_map(|one| one.hooks());
    hooks.filter(|hook| known.insert(hook)).map(str::to_owned).collect()
}

/// The problems that are faults. Those that say the same are one problem of all their hooks: thousands of hooks may name
/// one missing program.
fn share_faults(all: &[&Problem]) -> Vec<Arc<Problem>> {
    let mut out: Vec<Problem> = Vec::new();
    let mut by_message: HashMap<&str, usize> = HashMap::new();
    for one in all.iter().filter(|one| one.fault.is_some()) {
        let says_the_same = |at: &&usize| {
            let known = &out[**at];
            (known.fault, &known.args, &known.fixes) == (one.fault, &one.args, &one.fixes)
        };
        match by_message.get(&*one.message).filter(says_the_same) {
            Some(&at) => out[at].also.extend(one.hooks().map(str::to_owned)),
            None => {
                by_message.insert(&one.message, out.len());
                out.push((*one).clone());
            }
        }
    }
    out.into_iter().map(Arc::new).collect()
}

fn text_arg<'a>(args: &'a Args, name: &str) -> &'a str {
    args.get(name).and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// Returns the folder of a path as it is written in the path.
fn folder(path: &str) -> &str {
    match path.rsplit_once(['/', '\\']) {
        Some((folder, _)) if !folder.is_empty() => folder,
        Some(_) => "/",
        None => ".",
    }
}

/// Joins the first three values and the number of further ones: `a, b, c +5`.
#[must_use]
pub fn join_few(values: &[&str]) -> String {
    const MAX_SHOWN: usize = 3;
    let shown = values.iter().take(MAX_SHOWN).copied().collect::<Vec<_>>().join(", ");
    match values.len().saturating_sub(MAX_SHOWN) {
        0 => shown,
        more => format!("{shown} +{more}"),
    }
}

fn join_few_names(paths: &[&str]) -> String {
    join_few(&paths.iter().map(|path| base_name(path)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_three_and_counts_the_rest() {
        assert_eq!(join_few(&["a", "b", "c"]), "a, b, c");
        assert_eq!(join_few_names(&["x/a", "x/b", "c", "y/d", "e"]), "a, b, c +2");
    }

    #[test]
    fn the_folder_of_a_file_is_the_path_before_its_name() {
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
