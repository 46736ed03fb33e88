//! Opens a hook file.

use std::path::Path;
use std::sync::Arc;

use hookwright_model::definition::DefinitionError::{EmptyFile, NoFrontMatter, OpenFrontMatter, WrongType};
use hookwright_model::definition::{DefinitionError, DefinitionFormat, DefinitionSpec, ValueType};
use hookwright_model::problem::TextPosition;
use hookwright_model::{Args, Parsed, Problem, Severity, SourceFile, SourceTree, args};

use crate::front_matter::{self, FrontMatter};
use crate::jsonc;
use crate::node::{Node, SyntaxError};
use crate::{odd_characters, yaml};

const START: TextPosition = TextPosition { line: 1, column: 1 };

/// A hook file that could be read.
#[derive(Debug)]
pub struct HookFile {
    /// The mapping that it contains.
    pub root: Arc<Node>,
    /// What is in the file and no strict JSON.
    lax: Option<SyntaxError>,
    /// Keys and values that are not what they look like.
    odd: Vec<SyntaxError>,
}

/// Opens a file of the dialect. Returns `None` for a file without a value, where that is no error.
///
/// # Errors
/// The file cannot be read or is no mapping. The problem has the message of the schema.
pub fn open(spec: &DefinitionSpec, path: &Path, file: &SourceFile) -> Result<Option<HookFile>, Problem> {
    let text = file.text.as_ref().map_err(Clone::clone)?;
    let syntax = |error: SyntaxError| Problem::new(error.message, path, Some(error.position));
    let wrong = |error: DefinitionError, facts: Args, position: TextPosition| {
        let says = spec.messages.iter().find(|says| says.error == error)?;
        Some(Problem::new(says.template.render(facts), path, Some(position)))
    };
    let (root, lax, odd) = match spec.format {
        DefinitionFormat::Yaml => {
            let (root, odd) = yaml::read_with_warnings(text).map_err(syntax)?;
            (root, None, odd)
        }
        DefinitionFormat::Json => {
            let read = jsonc::read(text).map_err(syntax)?;
            (read.root, read.non_strict, read.warnings)
        }
        DefinitionFormat::FrontMatter => {
            let error = match front_matter::split(text) {
                FrontMatter::Found { yaml, .. } => Ok(yaml::read_with_warnings(yaml).map_err(syntax)?),
                FrontMatter::Missing => match odd_characters::explain_front_matter(text) {
                    Some(message) => return Err(Problem::new(message, path, Some(START))),
                    None => Err(NoFrontMatter),
                },
                FrontMatter::Unclosed => Err(OpenFrontMatter),
            };
            match error {
                Ok((root, odd)) => (root, None, odd),
                Err(error) => return wrong(error, Args::new(), START).map_or(Ok(None), Err),
            }
        }
    };
    let (found, position) = match &root {
        Some(root) if root.entries().is_some() => {
            return Ok(Some(HookFile {
                root: Arc::clone(root),
                lax,
                odd,
            }));
        }
        None if spec.format != DefinitionFormat::FrontMatter => {
            return wrong(EmptyFile, Args::new(), START).map_or(Ok(None), Err);
        }
        Some(root) => (root.type_in(spec.format), root.position),
        None => (hookwright_model::term!("null"), START),
    };
    let problem = wrong(WrongType(ValueType::File), args! { "found" => found }, position);
    problem.map_or(Ok(None), Err)
}

impl HookFile {
    /// The warnings about keys and values that are not what they look like.
    #[must_use]
    pub fn odd_warnings(&mut self, path: &Path) -> Vec<Problem> {
        let odd = std::mem::take(&mut self.odd).into_iter();
        odd.map(|found| warning(found, path)).collect()
    }

    /// The warning that the file is no strict JSON.
    #[must_use]
    pub fn lax_warning(self, path: &Path) -> Option<Problem> {
        Some(warning(self.lax?, path))
    }
}

/// A warning about a file that can be read.
#[must_use]
pub fn warning(found: SyntaxError, path: &Path) -> Problem {
    Problem::new(found.message, path, Some(found.position)).with_severity(Severity::Warning)
}

/// Reads the file of a root with `read`. A file that cannot be read has no hooks. That it is no strict JSON is reported
/// if anything in it is about hooks.
#[must_use]
pub fn parse_root(spec: &DefinitionSpec, tree: &SourceTree, read: impl FnOnce(&Node) -> Parsed) -> Parsed {
    let path = &tree.root.path;
    let Some(file) = tree.files.get(path) else {
        return Parsed::default();
    };
    match open(spec, path, file) {
        Ok(None) => Parsed::default(),
        Ok(Some(mut file)) => {
            let mut parsed = read(&file.root);
            let is_about_hooks = !parsed.hooks.is_empty() || !parsed.problems.is_empty();
            let odd = file.odd_warnings(path).into_iter().filter(|_| is_about_hooks);
            parsed.problems.extend(odd);
            parsed
                .problems
                .extend(file.lax_warning(path).filter(|_| is_about_hooks));
            parsed
        }
        Err(problem) => Parsed {
            hooks: Vec::new(),
            problems: vec![problem],
            broken: vec![path.clone()],
        },
    }
}
