//! `hookwright mute` and `unmute`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::{App, MuteState};

use crate::page::{Page, parse_duration};
use crate::{Outcome, living};

/// Leaves a hook out.
pub async fn mute(app: &App, page: &Page, project: &Path, hook: String, time: Option<&str>) -> Outcome {
    let for_ms = time.map(parse_duration).transpose()?;
    app.mute_in(project, &hook, for_ms)?;
    told(
        app,
        page,
        &hook,
        time.map_or_else(
            || "muted until you unmute it".to_owned(),
            |time| format!("muted for {time}"),
        ),
    )
    .await
}

/// Takes it back.
pub async fn unmute(app: &App, page: &Page, project: &Path, hook: String) -> Outcome {
    let was = app.unmute_in(project, &hook)?;
    let what = match was {
        MuteState::Unmuted => "runs again",
        MuteState::UnmutedUntrusted => "is not muted any more; it still waits for review (`hookwright trust`)",
        MuteState::NotMuted => "was not muted",
    };
    told(app, page, &hook, what.to_owned()).await
}

async fn told(app: &App, page: &Page, hook: &str, what: String) -> Outcome {
    living::nudge(app).await;
    if page.json {
        page.document(&serde_json::json!({ "hook": hook }));
    } else {
        page.line(format!("{hook} {what}"));
    }
    Ok(ExitCode::SUCCESS)
}
