//! `hookwright trust --deny`: hooks that the user does not want. They do not run, and no longer wait for a review.

use std::process::ExitCode;

use hookwright_app::agent_programs::is_program_id;
use hookwright_workspace::approvals;

use crate::output::Output;
use crate::style::TextStyle;
use crate::trust::Scope;
use crate::trust_list::print_list_again;
use crate::{CommandResult, EXIT_FAILED, line};

/// Denies the present contents of the named hooks.
pub async fn run(scope: &Scope<'_>, of_files: &[String], of_agents: &[String]) -> CommandResult {
    let Scope {
        app, output, snapshot, ..
    } = *scope;
    let mut code = ExitCode::SUCCESS;
    for id in of_files {
        let hook = approvals::project_hook(&app.workspace.trust, snapshot, id)?;
        app.workspace.deny(&hook, &app.workspace.trust.content(&hook))?;
        print_denied(output, id, &hook.label);
    }
    for id in of_agents {
        if is_program_id(id) {
            output.print_note(format!(
                "{id} is a program, not a hook; it cannot register commands unless you allow it"
            ));
            code = ExitCode::from(EXIT_FAILED);
            continue;
        }
        let review = scope.agents.review(id).await?;
        scope.agents.deny(&review).await?;
        print_denied(output, id, &review.label);
    }
    if output.json {
        return print_list_again(scope, code).await;
    }
    Ok(code)
}

fn print_denied(output: &Output, id: &str, label: &str) {
    if !output.json {
        output.line(line![TextStyle::Fail.apply_to("denied"), format!(" {id}  {label}")].single_line());
    }
}
