//! Switches and lists of a settings file that are about the hooks of all files (`claude-code.md` §1).
//!
//! Those of a project count once the user approved them. So what they mean is computed for each choice of approvals.

use std::sync::Arc;

use hookwright_model::{
    ConflictReport, DisabledReason, FileText, Handler, Hook, HttpTarget, Layer, Message, RootKind, SettingsRule, render,
};
use serde_json::{Map, Value};

use super::events::CARD;
use super::messages::answers;
use super::{if_rule, mods, places, plugins, settings};
use crate::definition;

/// The switch that turns all hooks off.
const ALL: &str = "disableAllHooks";
/// The lists that bind requests.
const URLS: &str = "allowedHttpHookUrls";
const VARIABLES: &str = "httpHookAllowedEnvVars";

/// What one settings file says.
#[derive(Clone, Copy)]
struct FileSettings<'a> {
    file: FileText<'a>,
    values: &'a Value,
}

impl<'a> FileSettings<'a> {
    fn flag(&self, name: &str) -> Option<bool> {
        self.values.get(name)?.as_bool()
    }

    fn words(&self, name: &str) -> Option<Vec<&'a str>> {
        let words = self.values.get(name)?.as_array()?;
        Some(words.iter().filter_map(Value::as_str).collect())
    }

    fn is_of_project(&self) -> bool {
        self.file.root.layer == Layer::Project
    }

    fn shown(&self) -> String {
        self.file.path.display().to_string()
    }

    /// What an approval of the settings of a project is for; `None` if they say nothing about hooks.
    fn reviewed(&self) -> Option<Hook> {
        let values = self.values.as_object()?;
        let about_hooks = values
            .iter()
            .filter(|(name, _)| [ALL, URLS, VARIABLES].contains(&name.as_str()));
        let about_hooks: Map<String, Value> = about_hooks.map(|(name, value)| (name.clone(), value.clone())).collect();
        let is_item = self.is_of_project() && !about_hooks.is_empty();
        is_item.then(|| {
            let part = places::id_part(self.file.path);
            definition::settings_item(CARD.id, self.file.root, part, about_hooks)
        })
    }
}

/// The values of a settings file; `None` for a file of another kind, or one that does not parse.
fn values(file: &FileText<'_>) -> Option<Value> {
    let is_settings = file.root.managed || file.root.reads == RootKind::File && places::is_settings(file.path);
    let text = is_settings.then(|| file.text.trim_start_matches('\u{feff}'))?;
    serde_json::from_str(text).ok()
}

/// The settings of all files that count, in the order of their registration.
struct AllSettings<'a>(Vec<FileSettings<'a>>);

/// Switches hooks off, and binds those that are requests, as the settings of all files say.
#[must_use]
pub fn resolve_conflicts(hooks: &[&Hook], files: &[FileText<'_>]) -> ConflictReport {
    let read: Vec<(FileText<'_>, Value)> = files.iter().filter_map(|file| Some((*file, values(file)?))).collect();
    let all: Vec<FileSettings<'_>> = read
        .iter()
        .map(|(file, values)| FileSettings { file: *file, values })
        .collect();
    let items: Vec<(FileSettings<'_>, Hook)> = all
        .iter()
        .filter_map(|settings| Some((*settings, settings.reviewed()?)))
        .collect();
    let without = all.iter().filter(|settings| !settings.is_of_project()).copied();
    let without = AllSettings(without.collect());
    let choices = choices(&without, &items);
    let mut out = ConflictReport::default();
    for (index, hook) in hooks.iter().enumerate() {
        let (off, handler) = without.of_hook(hook);
        let by_settings = choices.iter().map(|(once, settings)| {
            let (off, handler) = settings.of_hook(hook);
            SettingsRule {
                hook: index,
                once: once.clone(),
                off,
                handler,
            }
        });
        let by_settings: Vec<SettingsRule> = by_settings.collect();
        let is_same = |rule: &SettingsRule| rule.off == off && rule.handler == handler;
        if !by_settings.iter().all(is_same) {
            out.replacements.by_settings.extend(by_settings);
        }
        out.disabled
            .extend(off.filter(|_| hook.disabled_reason.is_none()).map(|off| (index, off)));
        if handler != hook.handler {
            out.handlers.push((index, handler));
        }
    }
    out.overridden = mods::overridden(hooks);
    out.replacements.settings = items.into_iter().map(|(_, item)| Arc::new(item)).collect();
    out
}

/// Each choice of the project's files that can be approved, the one with all of them first, with the settings that count
/// then.
fn choices<'a>(without: &AllSettings<'a>, items: &[(FileSettings<'a>, Hook)]) -> Vec<(Vec<String>, AllSettings<'a>)> {
    let choice = |mask: usize| {
        let chosen = items.iter().enumerate().filter(move |(at, _)| mask & (1 << at) != 0);
        let chosen: Vec<_> = chosen.map(|(_, item)| item).collect();
        let once = chosen.iter().map(|(_, item)| item.id.clone()).collect();
        let settings = without
            .0
            .iter()
            .copied()
            .chain(chosen.iter().map(|(settings, _)| *settings));
        (once, AllSettings(settings.collect()))
    };
    // A project has at most two settings files.
    (1..1 << items.len().min(2)).rev().map(choice).collect()
}

impl AllSettings<'_> {
    fn managed(&self) -> impl Iterator<Item = &FileSettings<'_>> {
        self.0.iter().filter(|file| file.file.root.managed)
    }

    /// Why a hook is off, and how it is run.
    fn of_hook(&self, hook: &Hook) -> (Option<DisabledReason>, Handler) {
        let off = hook
            .disabled_reason
            .clone()
            .or_else(|| self.switched_off(hook).map(DisabledReason::Disabled));
        let handler = if let Handler::Http(target) = &hook.handler {
            Handler::Http(self.bound(target))
        } else {
            hook.handler.clone()
        };
        (off, handler)
    }

    /// Why a switch turns a hook off. The first place that sets `disableAllHooks` decides: managed, local, project, user.
    fn switched_off(&self, hook: &Hook) -> Option<Message> {
        let projects = self.0.iter().filter(|file| file.is_of_project()).rev();
        let users = self
            .0
            .iter()
            .filter(|file| !file.is_of_project() && !file.file.root.managed);
        let is_managed = hook.tier == 0 && self.managed().any(|file| file.file.path == hook.source.path);
        let mut places = self.managed().chain(projects.chain(users).filter(|_| !is_managed));
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
        only("allowManagedHooksOnly").or_else(|| only(settings::PLUGIN_ONLY).filter(|_| !is_plugin))
    }

    /// The target of a request with the limits of the lists.
    fn bound(&self, target: &HttpTarget) -> HttpTarget {
        let mut target = target.clone();
        if let Some((listed, _)) = self.united(VARIABLES) {
            target.variables.retain(|name| listed.contains(&name.as_str()));
        }
        if let Some((listed, paths)) = self.united(URLS)
            && !listed.iter().any(|pattern| if_rule::glob(pattern, &target.url))
        {
            target.refused = Some(render!(answers::NOT_LISTED, "url" => target.url, "path" => paths));
        }
        target
    }

    /// A list of all files, and where it is; `None` if no file has it.
    fn united(&self, name: &str) -> Option<(Vec<&str>, String)> {
        let lists: Vec<_> = self
            .0
            .iter()
            .filter_map(|file| Some((file.words(name)?, file.shown())))
            .collect();
        let paths: Vec<&str> = lists.iter().map(|(_, path)| path.as_str()).collect();
        let paths = paths.join(", ");
        let listed = lists.into_iter().flat_map(|(words, _)| words).collect();
        (!paths.is_empty()).then_some((listed, paths))
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use hookwright_model::{Root, SourceTree};

    use super::*;

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

    fn hooks(files: &[(Root, String)]) -> Vec<Arc<Hook>> {
        let parse = |(root, text): &(Root, String)| {
            settings::parse(&SourceTree::with_text(root.clone(), Ok(text.clone()))).hooks
        };
        files.iter().flat_map(parse).collect()
    }

    fn report(files: &[(Root, String)]) -> ConflictReport {
        let texts: Vec<FileText<'_>> = files
            .iter()
            .map(|(root, text)| FileText {
                root,
                path: &root.path,
                text,
            })
            .collect();
        let hooks = hooks(files);
        let listed: Vec<&Hook> = hooks.iter().map(|hook| &**hook).collect();
        resolve_conflicts(&listed, &texts)
    }

    /// The files whose hooks are on before anything is approved.
    fn on(files: &[(Root, String)]) -> Vec<String> {
        let off: Vec<usize> = report(files).disabled.into_iter().map(|(at, _)| at).collect();
        let hooks = hooks(files);
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
        assert_eq!(on(&[user(&plain), shared]).len(), 2, "nobody approved it");
    }

    #[test]
    fn what_an_approval_of_settings_changes_depends_on_which_files_are_approved() {
        let local = project("settings.local.json", "{\"disableAllHooks\": false}");
        let shared = project("settings.json", &format!("{{\"disableAllHooks\": true, {HOOKS}}}"));
        let report = report(&[user(&format!("{{{HOOKS}}}")), shared, local]);
        let items: Vec<&str> = report
            .replacements
            .settings
            .iter()
            .map(|item| item.id.as_str())
            .collect();
        let ids = [
            "claude-code:project:settings:settings",
            "claude-code:project:settings:local",
        ];
        assert_eq!(items, ids);
        let rules = report.replacements.by_settings.iter().filter(|rule| rule.hook == 0);
        let rules: Vec<(Vec<&str>, bool)> = rules
            .map(|rule| (rule.once.iter().map(String::as_str).collect(), rule.off.is_some()))
            .collect();
        assert_eq!(
            rules,
            [(ids.to_vec(), false), (vec![ids[1]], false), (vec![ids[0]], true)]
        );
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
