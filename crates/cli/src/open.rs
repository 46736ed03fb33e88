//! `hookwright open`: shows a project in the desktop window. A running window is used if there is one. With `--web`, it
//! prints a new link to the page of the running engine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hookwright_app::dto::PathRequest;
use hookwright_app::{App, Fault, programs, projects};
use hookwright_model::render;

use crate::output::Output;
use crate::{CommandResult, running_engine};

hookwright_model::messages! {
    /// No desktop program is next to this program or on the PATH.
    NO_DESKTOP = "no_desktop" { "the desktop program {name} is neither next to this program nor on the PATH", "桌面程序 {name} 不在本程序所在的文件夹，也不在 PATH 中" } hint { "build it with `./dev run`, or use `hookwright serve --web`", "用 `./dev run` 构建，或使用 `hookwright serve --web`" };
    /// There is no display for a window.
    NO_DISPLAY = "no_display" { "no display is available", "没有可用的显示器" } hint { "run `hookwright serve --web` to use the same interface in a browser", "执行 `hookwright serve --web`，在浏览器中使用同样的界面" };
    /// The desktop program did not start.
    DESKTOP_FAILED = "desktop_failed" { "the desktop program {path} did not start: {why}", "桌面程序 {path} 无法启动：{why}" };
}

const DESKTOP: &str = "hookwright-desktop";

/// Starts the desktop program on a project. If one is already running, that one shows the project and the new one
/// exits.
pub async fn run(app: &App, output: &Output, dir: &Path) -> CommandResult {
    let path = app.workspace.env.absolute(dir);
    let is_set = |name| app.workspace.env.var(name).is_some();
    if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        return Err(NO_DISPLAY.render_plain().into());
    }
    projects::add_project(
        app,
        PathRequest {
            path: path.display().to_string(),
        },
    )
    .await?;
    let program = find_desktop_program(app).ok_or_else(|| Fault::from(render!(NO_DESKTOP, "name" => DESKTOP)))?;
    programs::start_detached(&program, &["--project".as_ref(), path.as_os_str()]).map_err(|error| {
        Fault::from(render!(DESKTOP_FAILED, "path" => program.display().to_string(), "why" => error.to_string()))
    })?;
    if output.json {
        output.document(&serde_json::json!({ "project": path, "program": program }));
    } else {
        output.line(format!("opening {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a link that admits one window, once, to the page that the running engine serves.
pub async fn print_page_link(app: &App, output: &Output) -> CommandResult {
    let page: PageLink = running_engine::ask(app, "web.link", serde_json::json!({})).await?;
    if output.json {
        output.document(&page);
    } else {
        output.line(&page.link);
        output.print_note("open this link in a browser on this machine; it works once");
    }
    Ok(ExitCode::SUCCESS)
}

/// The reply of the running engine.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct PageLink {
    link: String,
}

fn find_desktop_program(app: &App) -> Option<PathBuf> {
    let name = format!("{DESKTOP}{}", std::env::consts::EXE_SUFFIX);
    let sibling = app.workspace.env.program.with_file_name(&name);
    if sibling.is_file() {
        return Some(sibling);
    }
    programs::which(&name, app.workspace.env.var("PATH").unwrap_or_default().as_ref())
}
