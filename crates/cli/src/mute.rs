//! `hookwright mute` and `unmute`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::mute_commands::{MuteState, is_session_id};
use hookwright_app::{App, mute_commands};
use serde_json::{Value, json};

use crate::output::{Output, parse_duration};
use crate::{CommandResult, running_engine};

/// Mutes a hook, for a time such as `30m` or until it is unmuted.
pub async fn mute(app: &App, output: &Output, project: &Path, hook: String, time: Option<&str>) -> CommandResult {
    let for_ms = time.map(parse_duration).transpose()?;
    // Only the running engine knows the hooks that an agent registered.
    if is_session_id(&hook) {
        let params = json!({ "project": project.display().to_string(), "hook": hook, "for_ms": for_ms });
        running_engine::ask::<Value>(app, "mute", params).await?;
    } else {
        mute_commands::mute_in(app, project, &hook, for_ms)?;
    }
    report(
        app,
        output,
        &hook,
        time.map_or_else(
            || "muted until you unmute it".to_owned(),
            |time| format!("muted for {time}"),
        ),
    )
    .await
}

/// Ends the mute of a hook. A hook that is not approved still needs its review.
pub async fn unmute(app: &App, output: &Output, project: &Path, hook: String) -> CommandResult {
    if is_session_id(&hook) {
        let params = json!({ "project": project.display().to_string(), "hook": hook });
        running_engine::ask::<Value>(app, "unmute", params).await?;
        return report(app, output, &hook, "is no longer muted".to_owned()).await;
    }
    let was = mute_commands::unmute_in(app, project, &hook)?;
    let what = match was {
        MuteState::Unmuted => "runs again",
        MuteState::UnmutedUntrusted => "is no longer muted; run `hookwright trust` to review it",
        MuteState::NotMuted => "was not muted",
    };
    report(app, output, &hook, what.to_owned()).await
}

async fn report(app: &App, output: &Output, hook: &str, what: String) -> CommandResult {
    running_engine::notify_files_changed(app).await;
    if output.json {
        output.document(&json!({ "hook": hook }));
    } else {
        output.line(format!("{hook} {what}"));
    }
    Ok(ExitCode::SUCCESS)
}
