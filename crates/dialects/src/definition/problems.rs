//! Collects the problems of one definition, or of one file.

use std::path::Path;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Code, MAX_FILE_PROBLEMS, Message, Problem, Severity, render};

hookwright_model::messages! {
    /// The file has more problems than are reported.
    MORE = "more" { "more problems in this file: {count}", "此文件中还有 {count} 个问题" };
    /// The matcher of a hook in the name of its event.
    EVENT_WITH_MATCHER = "unknown_event" / "with_matcher" { "unknown event `{event}`: its name includes a matcher", "未知事件 `{event}`：名称中含有匹配条件" } hint { "write `{known}`, with `\"matcher\": \"{matcher}\"` in its group", "写 `{known}`，并在其分组中写 `\"matcher\": \"{matcher}\"`" };
}

/// The entry that stands for further problems of a file.
#[must_use]
pub fn further_problems(path: &Path, count: u64) -> Problem {
    Problem::new(render!(MORE, "count" => count), path, None)
}

/// How many problems this one stands for, if it is such an entry.
#[must_use]
pub fn further_count(problem: &Problem) -> Option<u64> {
    let count = problem.args.get("count").filter(|_| problem.code == Code::More);
    count?.as_u64()
}

/// The problems of one definition or of one file, and the reason why it is invalid.
///
/// A file is listed with at most [`MAX_FILE_PROBLEMS`], the most severe ones. So no more are kept of one severity, and
/// the others are only counted.
#[derive(Debug)]
pub struct Problems<'a> {
    /// The file.
    pub path: &'a Path,
    /// The id of the hook that each problem names.
    pub hook: Option<&'a str>,
    /// The key of the event under which the problems stand, while a file of lists by event is read.
    pub event: Option<String>,
    /// Where the definition begins. A missing field is reported there.
    pub begin: TextPosition,
    /// Why the definition is invalid: its first error, or the first part that Hookwright does not run.
    pub invalid: Option<Message>,
    kept: Vec<Problem>,
    /// The number of those in `kept`, by severity.
    counts: [usize; 3],
    /// The number of the others.
    further: u64,
}

/// The state of [`Problems`] at one moment.
#[derive(Debug)]
pub struct Checkpoint {
    invalid: Option<Message>,
    kept: usize,
    counts: [usize; 3],
    further: u64,
}

impl<'a> Problems<'a> {
    /// Of a definition in this file, which begins here. `hook` is the id that each problem names.
    #[must_use]
    pub const fn new(path: &'a Path, hook: Option<&'a str>, begin: TextPosition) -> Self {
        Self {
            path,
            hook,
            event: None,
            begin,
            invalid: None,
            kept: Vec::new(),
            counts: [0; 3],
            further: 0,
        }
    }

    /// Reports a problem with the severity of its code. An error or an unsupported part makes the definition invalid.
    pub fn report(&mut self, message: Message, position: TextPosition) {
        self.push(Problem::new(message, self.path, Some(position)));
    }

    /// Adds a problem. An error or an unsupported part makes the definition invalid.
    pub fn push(&mut self, problem: Problem) {
        if problem.severity == Severity::Error || problem.code == Code::Unsupported {
            self.invalid.get_or_insert_with(|| Message {
                code: problem.code.as_str(),
                text: problem.message.clone(),
                hint: problem.hint.clone(),
                args: problem.args.clone(),
            });
        }
        self.add(problem);
    }

    /// Reports a problem because of which the agent rejects the whole file.
    pub fn report_rejected(&mut self, message: Message, position: TextPosition) {
        let mut problem = Problem::new(message, self.path, Some(position));
        problem.rejects_file = true;
        self.push(problem);
    }

    /// Reports a warning. The definition stays valid.
    pub fn warn(&mut self, message: Message, position: TextPosition) {
        self.add(Problem::new(message, self.path, Some(position)).with_severity(Severity::Warning));
    }

    fn add(&mut self, problem: Problem) {
        self.keep(match self.hook {
            Some(id) => problem.for_hook(id),
            None => problem,
        });
    }

    fn keep(&mut self, mut problem: Problem) {
        if let Some(count) = further_count(&problem) {
            self.further += count;
            return;
        }
        if problem.event.is_none() {
            problem.event.clone_from(&self.event);
        }
        let count = &mut self.counts[problem.severity as usize];
        if *count == MAX_FILE_PROBLEMS {
            self.further += 1;
        } else {
            *count += 1;
            self.kept.push(problem);
        }
    }

    /// Takes back that the problems so far cost the whole file.
    pub fn spare_file(&mut self) {
        self.kept.iter_mut().for_each(|problem| problem.rejects_file = false);
    }

    /// Adds the problems of a part of this file. They keep their hooks, and the rest of the file stays valid.
    pub fn extend(&mut self, found: Vec<Problem>) {
        found.into_iter().for_each(|problem| self.keep(problem));
    }

    /// The state to which [`Self::reset`] returns.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            invalid: self.invalid.clone(),
            kept: self.kept.len(),
            counts: self.counts,
            further: self.further,
        }
    }

    /// Forgets what was reported since then.
    pub fn reset(&mut self, then: Checkpoint) {
        self.kept.truncate(then.kept);
        self.invalid = then.invalid;
        self.counts = then.counts;
        self.further = then.further;
    }

    /// The problems in the order in which they were reported. The last one has the number of those that are left out.
    #[must_use]
    pub fn into_list(self) -> Vec<Problem> {
        let further = (self.further > 0).then(|| further_problems(self.path, self.further));
        self.kept.into_iter().chain(further).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::nul_checks;

    const AT: TextPosition = TextPosition { line: 1, column: 1 };

    fn any_message() -> Message {
        nul_checks::ALL
            .iter()
            .map(|template| template.render_plain())
            .next()
            .unwrap()
    }

    fn counts(list: &[Problem]) -> (usize, usize, Option<u64>) {
        let of = |severity| {
            list.iter()
                .filter(|it| it.severity == severity && it.code != Code::More)
                .count()
        };
        (
            of(Severity::Error),
            of(Severity::Warning),
            list.last().and_then(further_count),
        )
    }

    #[test]
    fn as_many_are_kept_of_each_severity_as_a_file_shows_and_the_others_are_counted() {
        let path = PathBuf::from("/p/hooks");
        let mut problems = Problems::new(&path, Some("a"), AT);
        for _ in 0..MAX_FILE_PROBLEMS + 7 {
            problems.warn(any_message(), AT);
        }
        let before = problems.checkpoint();
        problems.push(Problem::new(any_message(), &path, None).with_severity(Severity::Error));
        problems.warn(any_message(), AT);
        assert!(problems.invalid.is_some());
        problems.reset(before);
        assert!(problems.invalid.is_none());
        let of_hook = problems.into_list();
        assert_eq!(counts(&of_hook), (0, MAX_FILE_PROBLEMS, Some(7)));
        let mut of_file = Problems::new(&path, None, AT);
        of_file.extend(of_hook.clone());
        of_file.extend(of_hook);
        of_file.push(Problem::new(any_message(), &path, None).with_severity(Severity::Error));
        let of_file = of_file.into_list();
        let further = u64::try_from(MAX_FILE_PROBLEMS).unwrap() + 14;
        assert_eq!(counts(&of_file), (1, MAX_FILE_PROBLEMS, Some(further)));
        assert_eq!(of_file[0].hook.as_deref(), Some("a"));
    }

    #[test]
    fn a_rejected_file_is_told_by_its_own_problem() {
        let path = PathBuf::from("/p/hooks");
        let mut problems = Problems::new(&path, None, AT);
        problems.report_rejected(any_message(), AT);
        problems.warn(any_message(), AT);
        let rejects: Vec<bool> = problems
            .into_list()
            .iter()
            .map(|problem| problem.rejects_file)
            .collect();
        assert_eq!(rejects, [true, false]);
    }
}
