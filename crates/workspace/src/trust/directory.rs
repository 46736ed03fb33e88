//! The directory where a project's hook runs (`engine.md` §3, "Directory"). The agent chooses the directory of a
//! payload. That choice must not replace approved code or switch a guard off.

use std::path::Path;

use hookwright_model::{Hook, OtherDir, args};

use super::HookContent;
use super::covered_files::{self, Machine};
use super::names::start_dir;

hookwright_model::messages! {
    /// The directory of the event is outside the approved project.
    OUTSIDE_PROJECT = "cwd_replaced" { "{cwd} is outside the approved project, so {hook} runs in {project}", "{cwd} 在已批准的项目之外，因此 {hook} 在 {project} 中执行" } hint { "open {cwd} as a separate project if its hooks should run there", "若其 Hook 应在那里执行，将 {cwd} 作为单独的项目打开" };
    /// In the directory of the event, a name of the command leads to another file than the approved one.
    OTHER_FILE = "cwd_replaced" / "file" { "in {cwd}, {hook} would run {found} instead of {approved}, so it runs in {project}", "在 {cwd} 中，{hook} 会执行 {found}，而不是 {approved}，因此改在 {project} 中执行" } hint { "use a path that does not depend on the working directory", "使用不依赖工作目录的路径" };
}

/// The directory in which a hook runs instead of `cwd`, with the reason. It is the project if `cwd` is outside of it,
/// or if names of the command lead to other files there than the approved ones.
pub(super) fn other_dir(hook: &Hook, content: &HookContent, machine: Machine<'_>, cwd: &Path) -> Option<OtherDir> {
    let project = &content.project;
    // The definition names the directory itself, and the user approved that.
    let names_own_dir = start_dir(hook, project) != *project;
    if names_own_dir || cwd == project || hook.source.project.as_deref() == Some(cwd) {
        return None;
    }
    let real = dunce::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    let shown = |path: &Path| path.display().to_string();
    let mut args = args! { "hook" => hook.label, "cwd" => shown(cwd), "project" => shown(project) };
    let template = if real.starts_with(project) {
        let dialect = hookwright_dialects::find(hook.dialect)?;
        let other = covered_files::find_swapped_file(hook, dialect.card(), machine, project, &real)?;
        args.extend(args! { "found" => shown(&other.found), "approved" => other.approved });
        OTHER_FILE
    } else {
        OUTSIDE_PROJECT
    };
    Some(OtherDir {
        cwd: project.clone(),
        why: template.render(args),
    })
}
