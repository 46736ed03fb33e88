//! Converts hooks to another dialect, and says what is lost.
//!
//! What it deliberately does not do: it reads and writes no file, and it does not change scripts. A script keeps its
//! text; an [`adapter`] beside it gives it the events that it knows, or the loss report says what is different for it.
//!
//! How it works: [`read`] makes of each hook a [`PortableHook`], which belongs to no dialect. [`adapt`] gives it the
//! event, tools, time limit and order of the other dialect. One writer for each dialect makes the files. The tables of
//! equivalents are in [`moments`] (events and tools) and [`payload`] (fields).

mod adapt;
mod adapter;
mod command;
mod messages;
mod moments;
mod payload;
mod portable;
mod read;
mod tools;
mod write_agent_hooks;
mod write_jcli;
mod write_picoclaw;
mod write_qoder;
mod write_skill;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use hookwright_model::{Args, Card, Hook, HookId, Message, MessageTemplate};

pub use messages::{ALL, COMMENTS, FILE_BINARY, INVALID, SAME_DIALECT};
use portable::PortableHook;

/// The hook systems of this module, in the order of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookSystem {
    Jcli,
    Qoder,
    Skill,
    AgentHooks,
    Picoclaw,
}

impl HookSystem {
    const ALL: [Self; 5] = [Self::Jcli, Self::Qoder, Self::Skill, Self::AgentHooks, Self::Picoclaw];

    fn from_id(dialect: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|system| system.card().id == dialect)
    }

    const fn card(self) -> &'static Card {
        match self {
            Self::Jcli => &crate::jcli::events::CARD,
            Self::Qoder => &crate::qoder::events::CARD,
            Self::Skill => &crate::skill::events::CARD,
            Self::AgentHooks => &crate::agent_hooks::events::CARD,
            Self::Picoclaw => &crate::picoclaw::events::CARD,
        }
    }

    /// The column of [`moments`] with the names of its tools.
    const fn tool_column(self) -> usize {
        match self {
            Self::Jcli | Self::Qoder => 0,
            Self::AgentHooks => 1,
            Self::Skill | Self::Picoclaw => 2,
        }
    }
}

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
    from: HookSystem,
    to: HookSystem,
    losses: Vec<Loss>,
    unconverted: usize,
}

impl LossReport {
    /// Adds a loss of one hook. The arguments `from`, `to` and `target` are added here.
    fn lose(&mut self, hook: &str, template: &MessageTemplate, args: Args) {
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
    fn refuse(&mut self, hook: &str, template: &MessageTemplate, args: Args) {
        self.unconverted += 1;
        self.lose(hook, template, args);
    }

    fn render(&self, template: &MessageTemplate, mut args: Args) -> Message {
        let names = [
            ("from", self.from.card().name),
            ("to", self.to.card().name),
            ("target", self.to.card().id),
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
    match HookSystem::from_id(dialect) {
        Some(HookSystem::Jcli) => starts_any(text, &["#"]),
        Some(HookSystem::Qoder | HookSystem::Skill | HookSystem::Picoclaw) => starts_any(text, &["//", "/*"]),
        Some(HookSystem::AgentHooks) => match crate::front_matter::split(text) {
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
    let (Some(from), Some(to)) = (HookSystem::from_id(from), HookSystem::from_id(to)) else {
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
    let mut files = match to {
        HookSystem::Jcli => write_jcli::write(&portable, &mut report),
        HookSystem::Qoder => write_qoder::write(&portable, &mut report),
        HookSystem::Skill => write_skill::write(&portable, &mut report),
        HookSystem::AgentHooks => write_agent_hooks::write(&portable, &mut report),
        HookSystem::Picoclaw => write_picoclaw::write(&portable, &mut report),
    };
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
