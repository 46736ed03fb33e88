//! Collects the problems of one definition.

use std::path::Path;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Code, Message, Problem, Severity};

/// The problems of one definition, and the reason why it is invalid.
#[derive(Debug)]
pub struct Problems<'a> {
    /// The file.
    pub path: &'a Path,
    /// The id of the hook that each problem names.
    pub hook: Option<&'a str>,
    /// Where the definition begins. A missing field is reported there.
    pub begin: TextPosition,
    /// The problems so far.
    pub list: Vec<Problem>,
    /// Why the definition is invalid: its first error, or the first part that Hookwright does not run.
    pub invalid: Option<Message>,
}

impl<'a> Problems<'a> {
    /// Of a definition in this file, which begins here. `hook` is the id that each problem names.
    #[must_use]
    pub const fn new(path: &'a Path, hook: Option<&'a str>, begin: TextPosition) -> Self {
        Self {
            path,
            hook,
            begin,
            list: Vec::new(),
            invalid: None,
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
        self.report(message, position);
        if let Some(problem) = self.list.last_mut() {
            problem.rejects_file = true;
        }
    }

    /// Reports a warning. The definition stays valid.
    pub fn warn(&mut self, message: Message, position: TextPosition) {
        self.add(Problem::new(message, self.path, Some(position)).with_severity(Severity::Warning));
    }

    fn add(&mut self, problem: Problem) {
        self.list.push(match self.hook {
            Some(id) => problem.for_hook(id),
            None => problem,
        });
    }
}
