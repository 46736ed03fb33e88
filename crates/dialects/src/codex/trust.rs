//! The agent's own trust (`codex.md` §13): Codex starts a hook only if its user reviewed it there.
//!
//! What it deliberately does not do: it forges no trust. [`facts`] computes what Codex would decide from the user's
//! `config.toml`; [`change`] makes the entries of hooks for which the user asked.

use std::path::{Path, PathBuf};

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    AgentTrust, AgentTrustChange, AgentTrustContext, AgentTrustEdit, AgentTrustFact, FileChange, FileKind, Hook, Layer,
    Message, MessageTemplate, PathStep, Problem, render,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::events::CARD;
use super::places::{CONFIG, REQUIREMENTS, user_folder};
use super::plugins::{is_of_source, plugin_of};
use super::schema::{CONTEXT_TOKENS, TIMEOUT_SECS};
use super::{entry, messages};
use crate::editing;
use crate::node::{Node, sort_keys};
use crate::splice::{self, Format, Op};
use crate::toml;

/// The keys of a hook's table in `[hooks.state]`.
const HASH: &str = "trusted_hash";
const ENABLED: &str = "enabled";
/// The names of the switch in `[features]`, the present one and an older one.
pub const FEATURES: [&str; 2] = ["hooks", "codex_hooks"];
/// The switch of an administrator that leaves his own hooks only.
const MANAGED_ONLY: &str = "allow_managed_hooks_only";

/// What Codex itself says about each hook: its trust, which is not known without a folder of the user, and its switches.
#[must_use]
pub fn facts(hooks: &[&Hook], context: &AgentTrustContext<'_>) -> Vec<Option<AgentTrustFact>> {
    let folder = user_folder(context.locations);
    // A change refuses such a file with the reason; facts are only what can be read.
    let read = |path: &Path| toml::read(&(context.text)(path).ok()?.unwrap_or_default()).ok();
    let config = read(&folder.join(CONFIG));
    let requirements = read(Path::new(REQUIREMENTS));
    let switches = switches(&folder.join(CONFIG), config.as_deref(), requirements.as_deref());
    // A file that cannot be read has no entries.
    let config = config
        .or_else(|| toml::read("").ok())
        .filter(|_| (context.is_dir)(&folder));
    hooks
        .iter()
        .map(|hook| {
            let off = switches
                .iter()
                .find(|(spares_managed, _)| !(*spares_managed && is_managed(hook)));
            let off = off.map(|(_, message)| message.clone());
            let judged = config.as_deref().and_then(|config| judge(hook, config, context));
            fact(hook, judged, off)
        })
        .collect()
}

/// The switches that are off, and whether each of them spares an administrator's hooks.
fn switches(path: &Path, config: Option<&Node>, requirements: Option<&Node>) -> Vec<(bool, Message)> {
    let mut off = Vec::new();
    if let Some(name) = config.and_then(switched_off) {
        let (key, path) = (format!("features.{name} = false"), path.display().to_string());
        off.push((
            false,
            render!(messages::answers::SWITCHED_OFF, "key" => key, "path" => path),
        ));
    }
    let managed_only = requirements.and_then(|requirements| requirements.get(MANAGED_ONLY));
    if managed_only.is_some_and(|flag| flag.to_value() == json!(true)) {
        let key = format!("{MANAGED_ONLY} = true");
        off.push((
            true,
            render!(messages::answers::SWITCHED_OFF, "key" => key, "path" => REQUIREMENTS),
        ));
    }
    off
}

/// The switch of a file with settings that turns all hooks off, if it does.
pub fn switched_off(config: &Node) -> Option<&'static str> {
    let features = config.get("features")?;
    let is_off = |name: &&str| features.get(name).is_some_and(|flag| flag.to_value() == json!(false));
    FEATURES.into_iter().find(is_off)
}

fn is_managed(hook: &Hook) -> bool {
    hook.source.path == Path::new(REQUIREMENTS)
}

fn fact(hook: &Hook, judged: Option<Judged>, off: Option<Message>) -> Option<AgentTrustFact> {
    let (state, why) = judged.unzip();
    if state.is_none() && off.is_none() {
        return None;
    }
    let disabled = (state == Some(AgentTrust::Disabled)).then(|| messages::answers::AGENT_DISABLED.render_plain());
    let off = off.or(disabled);
    // What Hookwright does not run either is told elsewhere.
    let runs = hook.invalid.is_none() && hook.disabled_reason.is_none() && off.is_none();
    let position = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let problem = why.flatten().filter(|_| runs).map(|template| {
        let problem = Problem::new(template.render_plain(), &hook.source.path, Some(position));
        problem.for_hook(&hook.id).skipped_by_agent()
    });
    Some(AgentTrustFact { state, off, problem })
}

/// The state of a hook, and what is said about one that Codex skips.
type Judged = (AgentTrust, Option<&'static MessageTemplate>);

fn judge(hook: &Hook, config: &Node, context: &AgentTrustContext<'_>) -> Option<Judged> {
    if is_managed(hook) {
        return Some((AgentTrust::Managed, None));
    }
    let entry = match hook.source.layer {
        Layer::Project if is_of_source(hook) => return None,
        Layer::User | Layer::Project => entry_of(hook, config, context).map(|(_, entry)| entry),
        Layer::Builtin | Layer::Session | Layer::Skill => return None,
    };
    let field = |name: &str| entry.and_then(|entry| entry.get(name));
    if field(ENABLED).is_some_and(|enabled| enabled.to_value() == json!(false)) {
        return Some((AgentTrust::Disabled, None));
    }
    if hook.source.layer == Layer::Project && !is_folder_trusted(hook, config, context) {
        return Some((AgentTrust::Untrusted, Some(&messages::AGENT_PROJECT_UNTRUSTED)));
    }
    Some(match field(HASH).and_then(|hash| hash.string()) {
        None => (AgentTrust::Untrusted, Some(&messages::AGENT_UNTRUSTED)),
        Some(written) if hash(hook).as_deref() == Some(written) => (AgentTrust::Trusted, None),
        Some(_) => (AgentTrust::Modified, Some(&messages::AGENT_MODIFIED)),
    })
}

/// What the agent's file says about a hook, with its key.
fn entry_of<'c>(hook: &Hook, config: &'c Node, context: &AgentTrustContext<'_>) -> Option<(String, &'c Node)> {
    let states = config.get("hooks")?.get("state")?;
    let keys = [agent_key(hook, context), key(hook, &hook.source.path)];
    let mut keys = keys.into_iter().flatten();
    keys.find_map(|key| Some((key.clone(), &**states.get(&key)?)))
}

/// The key that Codex gives a hook.
fn agent_key(hook: &Hook, context: &AgentTrustContext<'_>) -> Option<String> {
    match plugin_of(&hook.source.path) {
        Some(plugin) => key(hook, Path::new(&plugin.trust_name(&hook.source.path))),
        None => key(hook, &agent_path(hook, context)),
    }
}

/// The file of a hook as the agent names it: with the links of its own folder and of the project's folders resolved.
fn agent_path(hook: &Hook, context: &AgentTrustContext<'_>) -> PathBuf {
    let path = &hook.source.path;
    let folder = path.parent().unwrap_or(path);
    let resolved = match hook.source.layer {
        Layer::Project => folder.parent().unwrap_or(folder),
        Layer::User | Layer::Builtin | Layer::Session | Layer::Skill => folder,
    };
    let rest = path.strip_prefix(resolved).unwrap_or(path);
    (context.real)(resolved).join(rest)
}

/// Changes the user's `config.toml` so that Codex's own trust in these hooks changes. Other entries stay.
///
/// # Errors
/// The file cannot be read, is no TOML, or has a form that cannot be edited.
pub fn change(
    hooks: &[&Hook],
    change: AgentTrustChange,
    context: &AgentTrustContext<'_>,
) -> Result<AgentTrustEdit, Message> {
    let path = user_folder(context.locations).join(CONFIG);
    let text = (context.text)(&path)?.unwrap_or_default();
    let config = toml::read(&text);
    let config = config.map_err(|error| editing::with_file(splice::syntax_message(&error), &path))?;
    let (mut keys, mut ops, mut removed) = (Vec::new(), Vec::new(), Vec::new());
    for hook in hooks {
        let entry = entry_of(hook, &config, context);
        let written = entry.as_ref().map(|(key, _)| key.clone());
        let Some(name) = written.or_else(|| agent_key(hook, context)) else {
            continue;
        };
        let field = |field: &str| entry.as_ref().and_then(|(_, entry)| Some(entry.get(field)?.to_value()));
        let at = |last: &str| [&table_of(&name), &[splice::key(last)][..]].concat();
        let has_hash = field(HASH) == hash(hook).map(Value::from);
        match change {
            AgentTrustChange::Approve if !has_hash => ops.extend(hash(hook).map(|hash| Op::Set {
                at: at(HASH),
                value: hash.into(),
            })),
            AgentTrustChange::Forget if has_hash => {
                let table = table_of(&name);
                removed.push(table.clone());
                ops.push(Op::Remove { at: table });
            }
            AgentTrustChange::SwitchOff if field(ENABLED) != Some(json!(false)) => ops.push(Op::Set {
                at: at(ENABLED),
                value: json!(false),
            }),
            AgentTrustChange::SwitchOn if field(ENABLED).is_some() => ops.push(Op::Unset { at: at(ENABLED) }),
            AgentTrustChange::Approve
            | AgentTrustChange::Forget
            | AgentTrustChange::SwitchOff
            | AgentTrustChange::SwitchOn => {}
        }
        keys.push(name);
    }
    if matches!(ops.first(), Some(Op::Set { .. })) && is_empty_inline(&text) {
        // A table in braces takes no further one, and an empty one says nothing.
        let at = vec![splice::key("hooks")];
        ops.insert(0, Op::Remove { at });
    }
    let mut now = splice::apply(Format::Toml, &text, &ops).map_err(|message| editing::with_file(message, &path))?;
    for table in &removed {
        now = splice::without_empty(Format::Toml, &now, &table[..table.len() - 1]);
    }
    let file = (*now != *text).then_some(FileChange::Write {
        path,
        text: now,
        kind: FileKind::Plain,
    });
    Ok(AgentTrustEdit { keys, file })
}

/// Whether a text has `hooks = {}`.
fn is_empty_inline(text: &str) -> bool {
    let document = toml_edit::Document::parse(text);
    let hooks = document.as_ref().ok().and_then(|document| document.get("hooks"));
    let inline = hooks.and_then(toml_edit::Item::as_inline_table);
    inline.is_some_and(toml_edit::InlineTable::is_empty)
}

fn table_of(key: &str) -> splice::Path {
    ["hooks", "state", key].map(splice::key).to_vec()
}

/// Whether the folder with the `.codex` of a hook, or the root of its repository, is trusted.
fn is_folder_trusted(hook: &Hook, config: &Node, context: &AgentTrustContext<'_>) -> bool {
    let projects = config.get("projects");
    let own = hook.source.path.parent().and_then(Path::parent);
    let folders = own.into_iter().chain(hook.source.project.as_deref());
    let real = |folder: &Path| [(context.real)(folder), folder.to_owned()];
    folders.flat_map(real).any(|folder| {
        let level = projects.and_then(|projects| projects.get(&folder.to_string_lossy())?.get("trust_level"));
        level.and_then(|level| level.string()) == Some("trusted")
    })
}

/// The group and the index of a hook in its file.
fn place(hook: &Hook) -> Option<(usize, usize)> {
    match hook.at.as_slice() {
        [_, _, PathStep::Item(group), _, PathStep::Item(index)] => Some((*group, *index)),
        _ => None,
    }
}

/// The key of a hook in `[hooks.state]`.
fn key(hook: &Hook, file: &Path) -> Option<String> {
    let (group, index) = place(hook)?;
    Some(format!(
        "{}:{}:{group}:{index}",
        file.display(),
        snake_case(&hook.event)
    ))
}

fn snake_case(event: &str) -> String {
    let mut out = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The hash by which Codex recognizes a hook.
#[must_use]
pub fn hash(hook: &Hook) -> Option<String> {
    let mut hashed = Map::new();
    hashed.insert("event_name".to_owned(), snake_case(&hook.event).into());
    hashed.insert("hooks".to_owned(), json!([hashed_entry(hook)?]));
    let has_subject = CARD.event(&hook.event).is_some_and(|event| event.subject.is_some());
    let matcher = hook.filter.as_ref().and_then(|filter| filter.get("matcher"));
    let matcher = matcher.filter(|matcher| has_subject && !matcher.is_null());
    hashed.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher.clone())));
    let text = sort_keys(&Value::Object(hashed)).to_string();
    let digest = Sha256::digest(text.as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("sha256:{digits}"))
}

fn hashed_entry(hook: &Hook) -> Option<Map<String, Value>> {
    let definition = hook.definition.as_object()?;
    let given = |name: &str| definition.get(name).filter(|value| !value.is_null()).cloned();
    let kind = given("type")?;
    let mut out = Map::new();
    let names: &[&str] = if kind == "mcp_tool" {
        let input = given("input").unwrap_or_else(|| json!({}));
        out.insert("input".to_owned(), with_private_numbers(input));
        &["server", "tool", "statusMessage"]
    } else {
        out.insert("async".to_owned(), given("async").unwrap_or(Value::Bool(false)));
        &["command", "statusMessage"]
    };
    out.insert("type".to_owned(), kind);
    for name in names {
        out.extend(given(name).map(|value| ((*name).to_owned(), value)));
    }
    let limit = given("additionalContextLimit").filter(|limit| *limit != CONTEXT_TOKENS);
    out.extend(limit.map(|limit| ("additionalContextLimit".to_owned(), limit)));
    let written = given("timeout").and_then(|timeout| timeout.as_i64());
    let seconds = match entry::short_limits(&hook.event) {
        Some((usual, most)) => written.unwrap_or(usual).clamp(1, most),
        None => written.unwrap_or(TIMEOUT_SECS).max(1),
    };
    out.insert("timeout".to_owned(), seconds.into());
    Some(out)
}

/// Numbers in the form in which Codex hashes them.
fn with_private_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => json!({ "$serde_json::private::Number": number.to_string() }),
        Value::Array(items) => items.into_iter().map(with_private_numbers).collect(),
        Value::Object(entries) => {
            let entries = entries
                .into_iter()
                .map(|(name, value)| (name, with_private_numbers(value)));
            Value::Object(entries.collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;
    use std::sync::Arc;

    use hookwright_model::{Locations, Root, SourceTree};

    use super::*;

    const GUARD: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 .codex/guard.py", "statusMessage": "Checking"}]}]}}"#;
    const GUARD_HASH: &str = "sha256:4560f2aa7dc1abfc93ed4d20ad31892628230c7b4b28fcc6822a869c4c22fff1";

    fn hook(text: &str) -> Hook {
        let root = Root::file(
            Layer::Project,
            "/srv/shop/.codex/hooks.json".into(),
            Some("/srv/shop".into()),
        );
        let parsed = super::super::settings::parse(&SourceTree::with_text(root, Ok(text.to_owned())));
        (*parsed.hooks[0]).clone()
    }

    fn locations() -> Locations {
        Locations {
            home: "/h".into(),
            project: "/srv/shop".into(),
            skills_roots: Vec::new(),
            vars: BTreeMap::new(),
        }
    }

    fn state_with(config: Option<&str>, hook: &Hook) -> Option<(AgentTrust, Option<&'static str>)> {
        let locations = locations();
        let context = AgentTrustContext {
            locations: &locations,
            text: &|path| {
                let config = config.filter(|_| path == Path::new("/h/.codex/config.toml"));
                Ok(config.map(Arc::from))
            },
            real: &|path| PathBuf::from(path),
            is_dir: &|path| config.is_some() && path == Path::new("/h/.codex"),
        };
        let facts = facts(&[hook], &context);
        facts.into_iter().next().flatten().map(|fact| {
            let code = fact.problem.map(|problem| problem.code.as_str());
            (fact.state.unwrap(), code)
        })
    }

    #[test]
    fn a_switch_of_the_user_switches_every_hook_off() {
        let hook = hook(GUARD);
        let locations = locations();
        let off = |path: &'static str, text: &'static str| {
            let context = AgentTrustContext {
                locations: &locations,
                text: &|asked| Ok((asked == Path::new(path)).then(|| Arc::from(text))),
                real: &|path| PathBuf::from(path),
                is_dir: &|_| true,
            };
            let fact = facts(&[&hook], &context).remove(0)?;
            Some(fact.off?.args["key"].as_str()?.to_owned())
        };
        for (path, text, key) in [
            (
                "/h/.codex/config.toml",
                "[features]\nhooks = false\n",
                Some("features.hooks = false"),
            ),
            (
                "/h/.codex/config.toml",
                "features.codex_hooks = false\n",
                Some("features.codex_hooks = false"),
            ),
            ("/h/.codex/config.toml", "features.hooks = true\n", None),
            (
                REQUIREMENTS,
                "allow_managed_hooks_only = true\n",
                Some("allow_managed_hooks_only = true"),
            ),
            ("/srv/shop/.codex/config.toml", "features.hooks = false\n", None),
        ] {
            assert_eq!(off(path, text).as_deref(), key, "{text}");
        }
    }

    #[test]
    fn the_hashes_are_those_of_the_agent() {
        assert_eq!(hash(&hook(GUARD)).as_deref(), Some(GUARD_HASH));
        let at_end = r#"{"hooks": {"SessionEnd": [{"matcher": "other", "hooks": [{"type": "command", "command": "python3 .codex/guard.py", "timeout": 30}]}]}}"#;
        let stop = r#"{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
        for (text, wanted) in [
            (
                at_end,
                "sha256:de939449453b497016204208890263883593e152554f66dbc8bd0621421e406d",
            ),
            (
                stop,
                "sha256:2ba34c7a02841fada06b868a093d041fd3d9de81883c789a321916b0aa118851",
            ),
        ] {
            assert_eq!(hash(&hook(text)).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn an_approval_takes_the_place_of_empty_braces() {
        let hook = hook(GUARD);
        let locations = locations();
        let context = AgentTrustContext {
            locations: &locations,
            text: &|_| Ok(Some(Arc::from("hooks = {}\n"))),
            real: &|path| PathBuf::from(path),
            is_dir: &|_| true,
        };
        let edit = change(&[&hook], AgentTrustChange::Approve, &context).unwrap();
        let Some(FileChange::Write { text, .. }) = &edit.file else {
            panic!("{edit:?}")
        };
        let table = "[hooks.state.\"/srv/shop/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = ";
        assert!(text.starts_with(table), "{text}");
    }

    #[test]
    fn each_state_is_what_the_configuration_says() {
        let hook = hook(GUARD);
        let trusted_folder = "[projects.\"/srv/shop\"]\ntrust_level = \"trusted\"\n";
        let with_entry = |entry: &str| {
            format!("{trusted_folder}[hooks.state.\"/srv/shop/.codex/hooks.json:pre_tool_use:0:0\"]\n{entry}\n")
        };
        let hash_line = format!("trusted_hash = \"{GUARD_HASH}\"");
        let upper = hash_line.to_uppercase().replace("TRUSTED_HASH", "trusted_hash");
        for (config, wanted) in [
            (None, None),
            (
                Some(String::new()),
                Some((AgentTrust::Untrusted, Some("agent_project_untrusted"))),
            ),
            (
                Some(trusted_folder.to_owned()),
                Some((AgentTrust::Untrusted, Some("agent_untrusted"))),
            ),
            (
                Some(with_entry("")),
                Some((AgentTrust::Untrusted, Some("agent_untrusted"))),
            ),
            (Some(with_entry(&hash_line)), Some((AgentTrust::Trusted, None))),
            (
                Some(with_entry(&upper)),
                Some((AgentTrust::Modified, Some("agent_modified"))),
            ),
            (
                Some(with_entry("trusted_hash = \"sha256:0\"")),
                Some((AgentTrust::Modified, Some("agent_modified"))),
            ),
            (
                Some(with_entry(&format!("{hash_line}\nenabled = false"))),
                Some((AgentTrust::Disabled, None)),
            ),
        ] {
            assert_eq!(state_with(config.as_deref(), &hook), wanted, "{config:?}");
        }
    }
}
