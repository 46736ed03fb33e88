//! Hooks that are not in force as their author wrote them, because of an error in their file: those of a file whose
//! last valid version is in force (`engine.md` §9), and those that are lost (§13).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::definition::DefinitionKind;
use hookwright_model::{
    Args, BrokenFile, Card, Code, EVERY_EVENT, EventSpec, Health, HealthState, Hook, Message, Problem, Severity, args,
};

use super::{LoadedSource, Snapshot};

hookwright_model::messages! {
    /// The last valid version of a file is in force, and the agent runs none of its hooks.
    LAST_GOOD_RUNS_NONE = "last_good" / "runs_none" { "{place} is invalid since {since}; its last valid version is used here, {agent_name} runs none of its hooks", "{place} 自 {since} 起无效，因此 Hookwright 使用上一个有效版本；{agent_name} 不执行其中的任何 Hook" } hint { "correct the file", "更正该文件" };
    /// The same, and the agent goes on with the version that it has loaded.
    LAST_GOOD_RUNS_OLD = "last_good" / "runs_old" { "{place} is invalid since {since}; its last valid version is used here, and by {agent_name} too", "{place} 自 {since} 起无效，因此 Hookwright 使用上一个有效版本；{agent_name} 也使用该版本" } hint { "correct the file", "更正该文件" };
    /// The same, and the agent does not start.
    LAST_GOOD_REFUSES = "last_good" / "refuses_to_start" { "{place} is invalid since {since}; its last valid version is used here, {agent_name} does not start", "{place} 自 {since} 起无效，因此 Hookwright 使用上一个有效版本；{agent_name} 遇到这样的文件不会启动" } hint { "correct the file", "更正该文件" };
    /// The same, and it is not known what the agent does.
    LAST_GOOD_UNKNOWN = "last_good" / "unknown" { "{place} is invalid since {since}; its last valid version is used here. {agent_name} may not run its hooks", "{place} 自 {since} 起无效，因此 Hookwright 使用上一个有效版本；{agent_name} 可能不执行其中的 Hook" } hint { "correct the file", "更正该文件" };
    /// A file cannot be read, and no older version of it is known.
    LOST_FILE = "hooks_lost" / "file" { "{place} cannot be read, so none of its hooks runs", "无法读取 {place}，因此其中的 Hook 均不执行" } hint { "run `hookwright check` to see the error", "执行 `hookwright check` 查看错误" };
    /// Definitions under an event are lost, and their number is known.
    LOST_COUNTED = "hooks_lost" / "counted" { "hooks lost under `{event}` at {place}: {definitions}", "{place} 的 `{event}` 下丢失的 Hook：{definitions} 个" } hint { "run `hookwright check` to see the error", "执行 `hookwright check` 查看错误" };
    /// The same, for definitions that name no event.
    LOST_COUNTED_ANYWHERE = "hooks_lost" / "counted_anywhere" { "hooks lost at {place}: {definitions}", "{place} 丢失的 Hook：{definitions} 个" } hint { "run `hookwright check` to see the error", "执行 `hookwright check` 查看错误" };
    /// Definitions under an event are lost, and their number is not known.
    LOST_UNDER_EVENT = "hooks_lost" / "event" { "hooks under `{event}` are lost because of an error at {place}", "由于 {place} 处的错误，`{event}` 下的 Hook 丢失" } hint { "run `hookwright check` to see the error", "执行 `hookwright check` 查看错误" };
    /// An error that may cost definitions.
    LOST_PART = "hooks_lost" / "part" { "{place} has an error, so hooks may be lost there", "{place} 有错误，其中的 Hook 可能丢失" } hint { "run `hookwright check` to see the error", "执行 `hookwright check` 查看错误" };
}

/// Definitions of a source that are lost because of an error.
#[derive(Debug, Clone, PartialEq)]
pub struct LostHooks {
    /// The id of the dialect.
    pub dialect: &'static str,
    /// The file, absolute.
    pub path: PathBuf,
    /// The line of the first error, from 1; `None` if it is about the whole file.
    pub line: Option<u32>,
    /// The event under which they are written; `None` if it is not known.
    pub event: Option<String>,
    /// How many they are; `None` if it is not known.
    pub definitions: Option<u32>,
    /// The code of the first error.
    pub code: Code,
    /// The arguments of its message.
    pub args: Args,
    /// Whether the file cannot be read at all.
    pub is_whole_file: bool,
    /// Whether a hook that is lost could have blocked: then it counts as a guard.
    pub could_block: bool,
}

impl LostHooks {
    /// What is told with the answer for an event.
    #[must_use]
    pub fn message(&self) -> Message {
        let template = match (&self.event, self.definitions) {
            _ if self.is_whole_file => LOST_FILE,
            (Some(event), Some(_)) if !event.is_empty() => LOST_COUNTED,
            (_, Some(_)) => LOST_COUNTED_ANYWHERE,
            (Some(event), None) if !event.is_empty() => LOST_UNDER_EVENT,
            (_, None) => LOST_PART,
        };
        template.render(args! {
            "place" => place(&self.path, self.line),
            "path" => self.path.display().to_string(),
            "line" => self.line,
            "event" => self.event,
            "definitions" => self.definitions,
        })
    }

    /// Whether one of them could be a hook for this event.
    fn could_be_for(&self, card: &Card, spec: &EventSpec) -> bool {
        let Some(event) = self.event.as_deref() else {
            return true;
        };
        if event == EVERY_EVENT {
            return spec.notify_only;
        }
        if card.event(event).is_some() || card.unfired.contains(&event) {
            return event == spec.name;
        }
        // A misspelled name: the event that it is nearest to, if there is one.
        let nearest = self.args.get("nearest").and_then(|nearest| nearest.as_str());
        card.resolve_alias(event)
            .or(nearest)
            .is_none_or(|meant| meant == spec.name)
    }
}

impl Snapshot {
    /// What is told about files of a dialect whose last valid version is in force; of all dialects if it is `None`.
    #[must_use]
    pub fn last_good_messages(&self, dialect: Option<&str>) -> Vec<Message> {
        let mine = self
            .sources
            .iter()
            .filter(|source| dialect.is_none_or(|wanted| wanted == source.dialect));
        mine.flat_map(LoadedSource::last_good_messages).collect()
    }

    /// The definitions of a dialect that are lost and could be hooks for an event. `is_in_answer` says of which hooks
    /// the answer has a row: what has one says itself that it has an error.
    #[must_use]
    pub fn lost_hooks(&self, dialect: &str, spec: &EventSpec, is_in_answer: impl Fn(&Hook) -> bool) -> Vec<LostHooks> {
        let Ok(known) = find_dialect(dialect) else {
            return Vec::new();
        };
        let mine = self.sources.iter().filter(|source| source.dialect == dialect);
        let lost = mine.flat_map(|source| source.lost_hooks(&is_in_answer));
        lost.filter(|lost| lost.could_be_for(known.card(), spec)).collect()
    }

    /// The messages that the user's files of a dialect are not read because their path is relative.
    pub fn misplaced_messages(&self, dialect: &str) -> impl Iterator<Item = Message> {
        let mine = self.misplaced.iter().filter(move |source| source.dialect == dialect);
        mine.flat_map(|source| source.problems.iter().map(Problem::to_message))
    }

    /// The definitions of all dialects that are lost and have no row in a list of hooks.
    pub fn lost_sources(&self) -> impl Iterator<Item = LostHooks> {
        self.sources
            .iter()
            .chain(&self.misplaced)
            .flat_map(|source| source.lost_hooks(|_| true))
    }
}

impl LoadedSource {
    fn last_good_messages(&self) -> impl Iterator<Item = Message> {
        let card = find_dialect(self.dialect).ok().map(|dialect| dialect.card());
        self.last_good.iter().filter_map(move |older| {
            let card = card?;
            let template = match card.broken_file {
                BrokenFile::RunsNone => LAST_GOOD_RUNS_NONE,
                BrokenFile::RunsOld => LAST_GOOD_RUNS_OLD,
                BrokenFile::RefusesToStart => LAST_GOOD_REFUSES,
                BrokenFile::Unknown => LAST_GOOD_UNKNOWN,
            };
            Some(template.render(args! {
                "place" => place(&older.path, older.line),
                "path" => older.path.display().to_string(),
                "line" => older.line,
                "since" => older.since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "agent" => card.broken_file.as_str(),
                "agent_name" => card.name,
            }))
        })
    }

    /// The health of every hook that an older version of this file defines; `None` if the present version is in force,
    /// or if the agent too runs the older one.
    #[must_use]
    pub fn older_health(&self, path: &Path) -> Option<Health> {
        let older = self.older_version(path)?;
        let agent = find_dialect(self.dialect).ok()?.card().broken_file;
        if agent == BrokenFile::RunsOld {
            return None;
        }
        let since = older.since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let args = args! { "line" => older.line, "since" => since, "agent" => agent.as_str() };
        Some(Health::because(HealthState::Lost, Some("last_good".to_owned()), args))
    }

    /// The health of the source as a whole: lost, if hooks of it are lost that have no row of their own, or if an older
    /// version is in force that the agent does not run.
    #[must_use]
    pub fn health(&self) -> Health {
        if let Some(lost) = self.lost_hooks(|_| true).into_iter().next() {
            return Health::because(HealthState::Lost, Some(lost.code.as_str().to_owned()), lost.args);
        }
        let older = self.last_good.first();
        older
            .and_then(|older| self.older_health(&older.path))
            .unwrap_or_else(|| Health::of(HealthState::Ready))
    }

    /// How many definitions its files have; `None` if one of them cannot be read and no older version is known.
    #[must_use]
    pub fn definitions(&self) -> Option<u32> {
        if self.broken.iter().any(|path| self.older_version(path).is_none()) {
            return None;
        }
        let ids: BTreeSet<_> = self
            .file_hooks
            .iter()
            .map(|hook| (&hook.source.path, &hook.id))
            .collect();
        Some(u32::try_from(ids.len()).unwrap_or(u32::MAX))
    }

    /// The events under which its definitions are written. Of a file that cannot be read these are the names of events
    /// in its text.
    #[must_use]
    pub fn events(&self) -> Vec<String> {
        let mut events: Vec<String> = Vec::new();
        let read = self.file_hooks.iter().map(|hook| hook.event.as_str());
        for event in read.chain(self.unread_events.iter().copied()) {
            if !events.iter().any(|known| known == event) {
                events.push(event.to_owned());
            }
        }
        events
    }

    /// The lost definitions of its files, those of one file under one event together.
    fn lost_hooks(&self, is_in_answer: impl Fn(&Hook) -> bool) -> Vec<LostHooks> {
        let Ok(dialect) = find_dialect(self.dialect) else {
            return Vec::new();
        };
        let card = dialect.card();
        let mut all: Vec<LostHooks> = Vec::new();
        let mut counted: BTreeSet<(&Path, &str)> = BTreeSet::new();
        let errors = self
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error && self.older_version(&problem.path).is_none());
        for problem in errors {
            let rows: Vec<&Hook> = self
                .hooks
                .iter()
                .map(|hook| &**hook)
                .filter(|hook| has_error(hook, problem))
                .collect();
            if rows.iter().any(|hook| is_in_answer(hook)) {
                continue;
            }
            let is_whole_file = self.broken.contains(&problem.path);
            // Of a hook whose list of events has the error, it is not known for which events it was meant.
            let known = rows.first().filter(|hook| !is_in_event_list(card, hook, problem));
            let event = known.map(|hook| hook.event.clone());
            let event = event.or_else(|| problem.event.clone());
            let new = rows.iter().filter(|hook| counted.insert((&hook.source.path, &hook.id)));
            let count = u32::try_from(new.count()).unwrap_or(u32::MAX);
            let known = all
                .iter_mut()
                .find(|lost| lost.path == problem.path && lost.event == event);
            if let Some(known) = known {
                known.definitions = known
                    .definitions
                    .filter(|_| !rows.is_empty())
                    .map(|before| before + count);
                continue;
            }
            let blocks = |spec: &EventSpec| spec.verdicts.iter().any(|kind| kind.blocks());
            let spec = event.as_deref().and_then(|event| card.event(event));
            all.push(LostHooks {
                dialect: self.dialect,
                path: problem.path.clone(),
                line: problem.line,
                event,
                definitions: (!rows.is_empty()).then_some(count),
                code: problem.code,
                args: problem.args.clone(),
                is_whole_file,
                could_block: spec.map_or_else(|| card.events.iter().any(blocks), blocks),
            });
        }
        all
    }
}

/// Whether the row of this hook shows this error.
fn has_error(hook: &Hook, problem: &Problem) -> bool {
    match &problem.hook {
        Some(id) => *id == hook.id && hook.source.path == problem.path,
        None => {
            let of_list = |message: &Message| message.code == problem.code.as_str() && message.text == problem.message;
            hook.source.path == problem.path && hook.invalid.as_ref().is_some_and(of_list)
        }
    }
}

/// Whether the value that the problem is about is, or is in, the list of a hook's events.
fn is_in_event_list(card: &Card, hook: &Hook, problem: &Problem) -> bool {
    let at = problem.line.zip(problem.column);
    let positions = hook.field_positions.iter();
    let before = positions.filter(|(_, position)| Some((position.line, position.column)) <= at);
    let last = before.max_by_key(|(_, position)| (position.line, position.column));
    let fields = card.definition.hook_fields();
    let field = last.and_then(|(name, _)| fields.iter().find(|field| field.name == name));
    field.is_some_and(|field| matches!(field.kind, DefinitionKind::Events(_)))
}

fn place(path: &Path, line: Option<u32>) -> String {
    match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}

/// The events of a dialect that a text names.
pub(crate) fn events_in(card: &'static Card, text: &str) -> Vec<&'static str> {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let words: BTreeSet<&str> = text.split(|sign| !is_word(sign)).collect();
    let names = card.events.iter().map(|event| event.name);
    names.filter(|name| words.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery;
    use hookwright_model::{Layer, Root};

    /// A `hooks.yaml` of j-cli with this text.
    fn jcli(text: &str) -> (tempfile::TempDir, Snapshot) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hooks.yaml");
        std::fs::write(&path, text).unwrap();
        let source = discovery::load_file(find_dialect("jcli").unwrap(), Root::file(Layer::User, path, None));
        let snapshot = Snapshot {
            sources: vec![source],
            ..Snapshot::default()
        };
        (folder, snapshot)
    }

    /// What is told with a trace of this event.
    fn told(text: &str, event: &str) -> Vec<(Option<u32>, Option<String>, Option<u32>)> {
        let (_folder, snapshot) = jcli(text);
        let spec = find_dialect("jcli").unwrap().card().event(event).unwrap();
        let lost = snapshot.lost_hooks("jcli", spec, |hook| hook.matches_event(spec));
        lost.into_iter()
            .map(|lost| (lost.line, lost.event, lost.definitions))
            .collect()
    }

    #[test]
    fn of_a_file_that_cannot_be_read_hooks_of_every_event_may_be_lost() {
        let text = "pre_tool_execution:\n  - command: [\nstop:\n";
        for event in ["pre_tool_execution", "pre_send_message"] {
            let told = told(text, event);
            assert_eq!(told.len(), 1, "{event}");
            assert_eq!((&told[0].1, told[0].2), (&None, None));
        }
        let (_folder, snapshot) = jcli(text);
        let source = &snapshot.sources[0];
        assert_eq!(source.definitions(), None);
        assert_eq!(source.events(), ["pre_tool_execution", "stop"]);
        assert_eq!(source.health().state, HealthState::Lost);
        assert_eq!(source.health().code.as_deref(), Some("syntax"));
        let lost: Vec<LostHooks> = snapshot.lost_sources().collect();
        assert!(lost[0].is_whole_file && lost[0].could_block);
    }

    #[test]
    fn definitions_under_a_misspelled_event_are_lost_for_the_event_that_is_meant() {
        let text = "pre_tool_executon:\n  - command: a\n  - command: b\nstop:\n  - command: c\n";
        let lost = [(Some(1), Some("pre_tool_executon".to_owned()), Some(2))];
        assert_eq!(told(text, "pre_tool_execution"), lost);
        assert_eq!(told(text, "stop"), []);
        assert_eq!(jcli(text).1.sources[0].definitions(), Some(3));
    }

    #[test]
    fn a_row_that_shows_its_error_is_not_lost_as_well() {
        assert_eq!(told("stop:\n  - command: ''\n  - command: a\n", "stop"), []);
        // Another event has no row of it, and it is no hook for that event.
        assert_eq!(told("stop:\n  - command: ''\n", "pre_send_message"), []);
        let second = "stop:\n  - command: a\nstop:\n  - command: b\n";
        assert_eq!(told(second, "stop"), []);
    }

    #[test]
    fn an_event_whose_value_is_no_list_has_lost_hooks_of_unknown_number() {
        let text = "stop:\n  first: {}\npre_send_message:\n  - command: a\n";
        assert_eq!(told(text, "stop"), [(Some(2), Some("stop".to_owned()), None)]);
        assert_eq!(told(text, "pre_send_message"), []);
    }

    #[test]
    fn a_valid_file_loses_nothing() {
        let (_folder, snapshot) = jcli("stop:\n  - command: a\n");
        assert_eq!(snapshot.lost_sources().count(), 0);
        assert_eq!(snapshot.sources[0].health().state, HealthState::Ready);
        assert_eq!(snapshot.sources[0].events(), ["stop"]);
        assert!(snapshot.last_good_messages(None).is_empty());
    }
}
