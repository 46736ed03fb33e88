//! `hookwright schema`

use std::process::ExitCode;

use hookwright_app::definitions;

use crate::CommandResult;
use crate::args::SchemaArgs;
use crate::output::Output;

/// Prints the JSON Schema of a dialect's hook files.
pub fn run(output: &Output, what: &SchemaArgs) -> CommandResult {
    let schema = definitions::definition_schema(&what.dialect, what.language.into())?;
    output.document(&schema);
    Ok(ExitCode::SUCCESS)
}
