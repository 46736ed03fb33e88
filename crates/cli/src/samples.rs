//! `hookwright samples`

use std::process::ExitCode;

use hookwright_app::{App, samples};

use crate::CommandResult;
use crate::output::Output;

/// Lists the samples that `add --sample` adds.
pub fn list(app: &App, output: &Output) -> CommandResult {
    let doc = samples::list(app);
    if output.json {
        output.document(&doc);
        return Ok(ExitCode::SUCCESS);
    }
    let width = doc.samples.iter().map(|sample| sample.sample.len()).max().unwrap_or(0);
    for sample in &doc.samples {
        output.line(format!("{:width$}  {}", sample.sample, sample.about.en));
    }
    Ok(ExitCode::SUCCESS)
}
