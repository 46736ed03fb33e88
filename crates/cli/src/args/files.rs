//! Arguments of the commands that read hook files: `list`, `check`, `schema` and `convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hookwright_app::definitions::SchemaLanguage;

/// `list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List only hooks of this hook system
    #[arg(long, value_name = "D")]
    pub dialect: Option<String>,
    /// List only hooks of this event
    #[arg(long, value_name = "E")]
    pub event: Option<String>,
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files and folders (default: this project and your own files)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The hook system of the files, if location and name do not show it
    #[arg(long, value_name = "D")]
    pub dialect: Option<String>,
    /// Import the approved Python modules to list their hooks
    #[arg(long)]
    pub import: bool,
    /// Correct scripts that cannot start: executable bits, line endings, `#!` lines
    #[arg(long)]
    pub fix: bool,
    /// Write the fixes without asking
    #[arg(long, requires = "fix")]
    pub yes: bool,
}

/// `schema`
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The hook system of the files: jcli, qoder, claude-code, codex, skill, agent-hooks or picoclaw
    #[arg(long, value_name = "NAME")]
    pub dialect: String,
    /// The language of the descriptions
    #[arg(long, value_enum, default_value_t = LanguageArg::En, value_name = "LANGUAGE")]
    pub language: LanguageArg,
}

/// A language of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// English
    En,
    /// Simplified Chinese
    Zh,
}

impl From<LanguageArg> for SchemaLanguage {
    fn from(language: LanguageArg) -> Self {
        match language {
            LanguageArg::En => Self::En,
            LanguageArg::Zh => Self::Zh,
        }
    }
}

/// `convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The hook system to convert from, such as jcli
    #[arg(long, value_name = "D")]
    pub from: String,
    /// The hook system to convert to
    #[arg(long, value_name = "D")]
    pub to: String,
    /// A configuration file, a hook's folder, or a folder that contains some
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Write the files into this folder, as for a project
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
