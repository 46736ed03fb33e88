//! Converts hooks to another dialect, and says what is lost.
//!
//! What it deliberately does not do: it reads and writes no file, and it does not change scripts. A script keeps its
//! text; an [`adapter`] beside it gives it the events that it knows, or the loss report says what is different for it.
//!
//! How it works: [`read`] makes of each hook a [`PortableHook`], which belongs to no dialect. [`adapt`] gives it the
//! event, tools, time limit and order of the other dialect. What differs between dialects is in the [`ConvertForm`] of
//! each, which also has its writer. [`moments`] finds the equivalents of events and tools, [`payload`] those of fields.

pub(crate) mod adapt;
mod adapter;
pub(crate) mod command;
pub(crate) mod form;
pub(crate) mod messages;
mod moments;
mod payload;
pub(crate) mod portable;
mod read;
pub(crate) mod tools;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use hookwright_model::definition::DefinitionFormat;
use hookwright_model::{Args, Hook, HookId, Message, MessageTemplate};

use form::ConvertForm;
pub use messages::{ALL, COMMENTS, FILE_BINARY, INVALID, SAME_DIALECT};
use portable::PortableHook;

/// A hook to convert.
#[derive(Debug, Clone)]
pub struct SourceHook<'a> {
    /// The hook, as the dialect's reader made it.
    pub hook: &'a Hook,
    /// The files that come along: those of the hook's folder, or those that its command names.
    pub files: Vec<ScriptFile>,
}

/// A file that comes along with a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// The path in the hook's folder, or in the project for a file that a command names.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Unix permissions.
    pub mode: u32,
}

/// A file of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The path in the project.
    pub path: PathBuf,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Unix permissions.
    pub mode: u32,
}

/// Something that the other dialect says in another way, or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// The hook; `None` for a whole file.
    pub hook: Option<HookId>,
    /// What is lost.
    pub message: Message,
}

/// The result of a conversion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversion {
    /// The files, the configuration first.
    pub files: Vec<NewFile>,
    /// What is lost, in the order of the hooks.
    pub losses: Vec<Loss>,
    /// How many hooks could not be converted at all.
    pub unconverted: usize,
}

/// What is lost so far.
pub(crate) struct LossReport {
    pub from: &'static ConvertForm,
    pub to: &'static ConvertForm,
    losses: Vec<Loss>,
    unconverted: usize,
}

impl LossReport {
    /// Adds a loss of one hook. The arguments `from`, `to` and `target` are added here.
    pub fn lose(&mut self, hook: &str, template: &MessageTemplate, args: Args) {
        let message = self.render(template, args);
        let loss = Loss {
            hook: Some(hook.to_owned()),
            message,
        };
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    /// Says why a hook is not converted.
    pub fn refuse(&mut self, hook: &str, template: &MessageTemplate, args: Args) {
        self.unconverted += 1;
        self.lose(hook, template, args);
    }

    fn render(&self, template: &MessageTemplate, mut args: Args) -> Message {
        let names = [
            ("from", self.from.card.name),
            ("to", self.to.card.name),
            ("target", self.to.card.id),
        ];
        for (name, value) in names {
            let placeholder = format!("{{{name}}}");
            let texts = [template.en, template.hint_en];
            if texts.iter().any(|text| text.contains(&placeholder)) {
                args.entry(name).or_insert_with(|| value.into());
            }
        }
        template.render(args)
    }
}

/// Whether a hook file contains comments or notes, which are not converted.
#[must_use]
pub fn has_notes(dialect: &str, text: &str) -> bool {
    let starts_any = |text: &str, marks: &[&str]| {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| marks.iter().any(|mark| line.starts_with(mark)))
    };
    let format = crate::find(dialect).map(|dialect| dialect.card().definition.format);
    match format {
        Some(DefinitionFormat::Yaml) => starts_any(text, &["#"]),
        Some(DefinitionFormat::Json) => starts_any(text, &["//", "/*"]),
        Some(DefinitionFormat::FrontMatter) => match crate::front_matter::split(text) {
            crate::front_matter::FrontMatter::Found { yaml, body } => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                !text[body..].trim().is_empty() || starts_any(yaml, &["#"])
            }
            crate::front_matter::FrontMatter::Missing | crate::front_matter::FrontMatter::Unclosed => false,
        },
        None => false,
    }
}

/// Converts hooks of one dialect. The result is for a project.
#[must_use]
pub fn convert(hooks: &[SourceHook<'_>], from: &str, to: &str) -> Conversion {
    let form = |id: &str| crate::convert_forms().find(|form| form.card.id == id);
    let (Some(from), Some(to)) = (form(from), form(to)) else {
        return Conversion::default();
    };
    let mut report = LossReport {
        from,
        to,
        losses: Vec::new(),
        unconverted: 0,
    };
    let mut portable: Vec<PortableHook> = hooks
        .iter()
        .filter_map(|source| adapt::adapt(read::read(source, &mut report)?, &mut report))
        .collect();
    adapt::order(&mut portable, &mut report);
    portable::name_all(&mut portable, &mut report);
    let mut files = (to.write)(&portable, &mut report);
    for hook in &portable {
        for file in hook.project_files(to) {
            if !files.iter().any(|known| known.path == file.path) {
                files.push(file);
            }
        }
    }
    Conversion {
        files,
        losses: report.losses,
        unconverted: report.unconverted,
    }
}
