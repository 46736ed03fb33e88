//! Switches and lists of a settings file that are about the hooks of all files (`claude-code.md` §1).
//!
//! Nobody approves a project's switches. So they count for the hooks of the project only, and may not let through what a
//! list of the user or of an administrator does not.

use hookwright_model::{
    ConflictReport, DisabledReason, FileText, Handler, Hook, HttpTarget, Layer, Message, Problem, RootKind, render,
};
use serde_json::Value;

use super::messages::{self, answers};
use super::{if_rule, places, plugins};

/// What one settings file says.
struct FileSettings<'a> {
    file: FileText<'a>,
    values: Value,
}

impl<'a> FileSettings<'a> {
    /// `None` for a file of another kind, or one that does not parse.
    fn read(file: FileText<'a>) -> Option<Self> {
        let is_settings = file.root.managed || file.root.reads == RootKind::File && places::is_settings(file.path);
        let text = is_settings.then(|| file.text.trim_start_matches('\u{feff}'))?;
        Some(Self {
            file,
            values: serde_json::from_str(text).ok()?,
        })
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.values.get(name)?.as_bool()
    }

    fn words(&self, name: &str) -> Option<Vec<&str>> {
        let words = self.values.get(name)?.as_array()?;
        Some(words.iter().filter_map(Value::as_str).collect())
    }

    fn is_of_project(&self) -> bool {
        self.file.root.layer == Layer::Project
    }

    fn shown(&self) -> String {
        self.file.path.display().to_string()
    }
}

/// The settings of all files, in the order of their registration.
struct AllSettings<'a>(Vec<FileSettings<'a>>);

/// Switches hooks off, and binds those that are requests, as the settings of all files say.
#[must_use]
pub fn resolve_conflicts(hooks: &[&Hook], files: &[FileText<'_>]) -> ConflictReport {
    let all = AllSettings(files.iter().copied().filter_map(FileSettings::read).collect());
    let mut out = ConflictReport::default();
    for (index, hook) in hooks.iter().enumerate() {
        if let Some(why) = all.switched_off(hook).filter(|_| hook.disabled_reason.is_none()) {
            out.disabled.push((index, DisabledReason::Disabled(why)));
        }
        if let Handler::Http(target) = &hook.handler {
            out.handlers.push((index, Handler::Http(all.bound(hook, target))));
        }
    }
    out.problems = all.project_switches();
    out
}

impl AllSettings<'_> {
    fn managed(&self) -> impl Iterator<Item = &FileSettings<'_>> {
        self.0.iter().filter(|file| file.file.root.managed)
    }

    /// Why a switch turns a hook off. The first place that sets `disableAllHooks` decides: managed, local, project, user.
    fn switched_off(&self, hook: &Hook) -> Option<Message> {
        const ALL: &str = "disableAllHooks";
        let of_project = hook.source.layer == Layer::Project;
        let projects = self.0.iter().filter(|file| file.is_of_project()).rev();
        let users = self
            .0
            .iter()
            .filter(|file| !file.is_of_project() && !file.file.root.managed);
        let others = projects.filter(|_| of_project).chain(users);
        let is_managed = hook.tier == 0 && self.managed().any(|file| file.file.path == hook.source.path);
        let mut places = self.managed().chain(others.filter(|_| !is_managed));
        let deciding = places.find_map(|file| Some((file, file.flag(ALL)?)));
        if let Some((file, true)) = deciding {
            return Some(render!(answers::ALL_OFF, "path" => file.shown()));
        }
        let only = |name: &'static str| {
            let is_set = |file: &&FileSettings<'_>| match file.values.get(name) {
                Some(Value::Bool(on)) => *on,
                Some(Value::Array(parts)) => parts.iter().any(|part| part == "hooks"),
                Some(_) | None => false,
            };
            let file = self.managed().find(is_set)?;
            Some(render!(answers::MANAGED_ONLY, "switch" => name, "path" => file.shown()))
        };
        let is_plugin = plugins::folder_of_hook(&hook.source.path).is_some();
        if is_managed {
            return None;
        }
        only("allowManagedHooksOnly").or_else(|| only("strictPluginOnlyCustomization").filter(|_| !is_plugin))
    }

    /// The target of a request with the limits of the lists.
    fn bound(&self, hook: &Hook, target: &HttpTarget) -> HttpTarget {
        let mut target = target.clone();
        let of_project = hook.source.layer == Layer::Project;
        for with_project in [false, true].into_iter().take(if of_project { 2 } else { 1 }) {
            if let Some((listed, _)) = self.united("httpHookAllowedEnvVars", with_project) {
                target.variables.retain(|name| listed.contains(&name.as_str()));
            }
            let Some((listed, paths)) = self.united("allowedHttpHookUrls", with_project) else {
                continue;
            };
            if !listed.iter().any(|pattern| if_rule::glob(pattern, &target.url)) {
                target
                    .refused
                    .get_or_insert_with(|| render!(answers::NOT_LISTED, "url" => target.url, "path" => paths));
            }
        }
        target
    }

    /// A list of all files, with or without those of the project, and where it is; `None` if no file has it.
    fn united(&self, name: &str, with_project: bool) -> Option<(Vec<&str>, String)> {
        let files = self.0.iter().filter(|file| with_project || !file.is_of_project());
        let lists: Vec<_> = files
            .filter_map(|file| Some((file.words(name)?, file.shown())))
            .collect();
        let paths: Vec<&str> = lists.iter().map(|(_, path)| path.as_str()).collect();
        let paths = paths.join(", ");
        let listed = lists.into_iter().flat_map(|(words, _)| words).collect();
        (!paths.is_empty()).then_some((listed, paths))
    }

    /// Says that a switch of a project has an effect on the user's hooks in the agent, and none here.
    fn project_switches(&self) -> Vec<Problem> {
        let projects = self.0.iter().filter(|file| file.is_of_project());
        let on = projects.filter(|file| file.flag("disableAllHooks") == Some(true));
        on.map(|file| Problem::new(messages::PROJECT_SWITCH.render_plain(), file.file.path, None))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use hookwright_model::{Root, SourceTree};

    use super::*;
    use crate::claude_code::settings;

    const HOOKS: &str = r#""hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}"#;

    fn managed(text: &str) -> (Root, String) {
        (Root::managed_file("/m/managed-settings.json".into()), text.to_owned())
    }

    fn user(text: &str) -> (Root, String) {
        (
            Root::file(Layer::User, "/h/.claude/settings.json".into(), None),
            text.to_owned(),
        )
    }

    fn project(name: &str, text: &str) -> (Root, String) {
        let path = Path::new("/p/.claude").join(name);
        (Root::file(Layer::Project, path, Some("/p".into())), text.to_owned())
    }

    fn plugin() -> (Root, String) {
        let path = PathBuf::from("/h/.claude/skills/x/hooks/hooks.json");
        (Root::file(Layer::User, path, None), format!("{{{HOOKS}}}"))
    }

    /// The files whose hooks are on.
    fn on(files: &[(Root, String)]) -> Vec<String> {
        let parse = |(root, text): &(Root, String)| {
            settings::parse(&SourceTree::with_text(root.clone(), Ok(text.clone()))).hooks
        };
        let hooks: Vec<Arc<Hook>> = files.iter().flat_map(parse).collect();
        let texts: Vec<FileText<'_>> = files
            .iter()
            .map(|(root, text)| FileText {
                root,
                path: &root.path,
                text,
            })
            .collect();
        let listed: Vec<&Hook> = hooks.iter().map(|hook| &**hook).collect();
        let off: Vec<usize> = resolve_conflicts(&listed, &texts)
            .disabled
            .into_iter()
            .map(|(at, _)| at)
            .collect();
        let on = hooks.iter().enumerate().filter(|(at, _)| !off.contains(at));
        on.map(|(_, hook)| hook.source.path.display().to_string()).collect()
    }

    #[test]
    fn the_first_place_that_sets_the_switch_decides() {
        let switch = |on: bool| format!("{{\"disableAllHooks\": {on}, {HOOKS}}}");
        let plain = format!("{{{HOOKS}}}");
        let all_off: [&str; 0] = [];
        assert_eq!(on(&[managed(&switch(true)), user(&plain), plugin()]), all_off);
        assert_eq!(
            on(&[managed(&plain), user(&switch(true)), plugin()]),
            ["/m/managed-settings.json"]
        );
        assert_eq!(on(&[managed(&switch(false)), user(&switch(true))]).len(), 2);
        let local = project("settings.local.json", &switch(false));
        let shared = project("settings.json", &switch(true));
        assert_eq!(on(&[user(&plain), shared.clone(), local]).len(), 3);
        assert_eq!(on(&[user(&plain), shared]), ["/h/.claude/settings.json"]);
    }

    #[test]
    fn an_administrator_can_leave_only_some_hooks_on() {
        let with = |switch: &str| managed(&format!("{{{switch}, {HOOKS}}}"));
        let mine = user(&format!("{{{HOOKS}, \"allowManagedHooksOnly\": true}}"));
        let all = |switch: &str| on(&[with(switch), mine.clone(), plugin()]);
        assert_eq!(all("\"allowManagedHooksOnly\": true"), ["/m/managed-settings.json"]);
        let plugins = ["/m/managed-settings.json", "/h/.claude/skills/x/hooks/hooks.json"];
        assert_eq!(all("\"strictPluginOnlyCustomization\": true"), plugins);
        assert_eq!(all("\"strictPluginOnlyCustomization\": [\"hooks\"]"), plugins);
        assert_eq!(all("\"strictPluginOnlyCustomization\": [\"skills\"]").len(), 3);
    }
}
