//! Limits of the hooks and problems of one file (`engine.md` §9).

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookwright_dialects::definition::{further_count, further_problems};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Code, Hook, MAX_FILE_HOOKS, MAX_FILE_PROBLEMS, Parsed, Problem, Severity, args};

hookwright_model::messages! {
    /// The file defines more hooks than a file may define.
    TOO_MANY_HOOKS = "too_large" / "hooks" { "the file has more than {limit} hooks; the rest is ignored", "文件中的 Hook 超过 {limit} 个，其余会被忽略" } hint { "remove hooks, or move some to another file", "删除部分 Hook，或移到其他文件" };
}

/// Removes hooks and problems over the limits of each file.
pub(crate) fn enforce_hook_limit(parsed: &mut Parsed) {
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    parsed.hooks.retain(|hook| {
        let count = counts.entry(hook.source.path.clone()).or_default();
        *count += 1;
        *count <= MAX_FILE_HOOKS
    });
    let over_limit = counts.into_iter().filter(|(_, count)| *count > MAX_FILE_HOOKS);
    // These problems are first in the list, so that the limit of problems does not remove them.
    let problems = over_limit.map(|(path, _)| {
        let args = args! { "limit" => MAX_FILE_HOOKS };
        Problem::new(TOO_MANY_HOOKS.render(args), &path, None)
    });
    let problems: Vec<Problem> = problems.collect();
    parsed.problems.splice(0..0, problems);
    limit_problems(&mut parsed.problems);
}

/// Limits the problems of each file to [`MAX_PROBLEMS`], the most severe ones, and adds the number of the others. It
/// changes the order.
pub(crate) fn limit_problems<P: Borrow<Problem> + From<Problem> + Clone>(problems: &mut Vec<P>) {
    fn path<P: Borrow<Problem>>(problem: &P) -> &Path {
        &problem.borrow().path
    }
    if problems.len() <= MAX_FILE_PROBLEMS {
        return;
    }
    problems.sort_by(|a, b| (path(a), a.borrow().severity).cmp(&(path(b), b.borrow().severity)));
    let mut kept: Vec<P> = Vec::new();
    for group in problems.chunk_by(|one, other| path(one) == path(other)) {
        let (earlier_counts, others): (Vec<&P>, Vec<&P>) =
            group.iter().partition(|problem| (*problem).borrow().code == Code::More);
        let counted = earlier_counts.into_iter().filter_map(|it| further_count(it.borrow()));
        let excess = others.len().saturating_sub(MAX_FILE_PROBLEMS);
        let count = counted.sum::<u64>() + u64::try_from(excess).unwrap_or(u64::MAX);
        kept.extend(others.into_iter().take(MAX_FILE_PROBLEMS).cloned());
        if let Some(first) = group.first().filter(|_| count > 0) {
            kept.push(further_problems(path(first), count).into());
        }
    }
    *problems = kept;
}

/// Leaves one problem about a number that was probably written in another unit (`engine.md` §14, row "one fault, one
/// line"). It stays a hint (§12).
pub(crate) fn merge_unit_problems(problems: &mut Vec<Problem>) {
    let place = |problem: &Problem| (problem.path.clone(), problem.line, problem.column);
    let is_suspect = |problem: &Problem| problem.code == Code::UnitSuspect && problem.line.is_some();
    let suspects: BTreeSet<_> = problems
        .iter()
        .filter(|problem| is_suspect(problem))
        .map(place)
        .collect();
    problems.retain(|problem| {
        let is_short = problem
            .args
            .get("case")
            .and_then(|case| case.as_str())
            .is_some_and(|case| case.ends_with("short"));
        let of_number = problem.code == Code::OverBudget
            || problem.code == Code::OutOfRange && problem.severity != Severity::Error
            || problem.code == Code::FailsOpen && is_short;
        !(of_number && suspects.contains(&place(problem)))
    });
}

/// The problems of a hook's patterns that are known without compiling them now. Such a hook never runs.
pub(crate) fn pattern_problems(hook: &Hook) -> impl Iterator<Item = Problem> {
    hook.when.patterns().filter_map(move |(key, pattern)| {
        let message = pattern.unusable()?.to_message(key);
        let whole = TextPosition {
            line: hook.source.line,
            column: hook.source.column,
        };
        let within = format!("matcher.{key}");
        let position = hook
            .field_positions
            .get(&within)
            .or_else(|| hook.field_positions.get(key))
            .unwrap_or(whole);
        let problem = Problem::new(message, &hook.source.path, Some(position)).for_hook(&hook.id);
        Some(problem.with_severity(Severity::Warning))
    })
}
