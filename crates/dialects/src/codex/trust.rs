//! The agent's own trust (`codex.md` §13): Codex starts a hook only if its user reviewed it there.
//!
//! What it deliberately does not do: it writes nothing. It computes what Codex would decide from the user's `config.toml`.

use std::path::Path;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    AgentTrust, AgentTrustContext, AgentTrustFact, Hook, Layer, MessageTemplate, PathStep, Problem,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::events::CARD;
use super::places::{CONFIG, REQUIREMENTS, user_folder};
use super::schema::{CONTEXT_TOKENS, TIMEOUT_SECS};
use super::{entry, messages};
use crate::node::{Node, sort_keys};
use crate::toml;

/// What Codex's own trust says about each hook. Without a folder of the user nothing is known.
#[must_use]
pub fn facts(hooks: &[&Hook], context: &AgentTrustContext<'_>) -> Vec<Option<AgentTrustFact>> {
    let folder = user_folder(context.locations);
    if !(context.is_dir)(&folder) {
        return Vec::new();
    }
    let text = (context.text)(&folder.join(CONFIG)).unwrap_or_default();
    let config = toml::read(&text).ok();
    hooks
        .iter()
        .map(|hook| fact(hook, config.as_deref(), context))
        .collect()
}

fn fact(hook: &Hook, config: Option<&Node>, context: &AgentTrustContext<'_>) -> Option<AgentTrustFact> {
    let (state, why) = judge(hook, config, context)?;
    // What Hookwright does not run either is told elsewhere.
    let runs = hook.invalid.is_none() && hook.disabled_reason.is_none();
    let position = TextPosition {
        line: hook.source.line,
        column: hook.source.column,
    };
    let problem = why.filter(|_| runs).map(|template| {
        let problem = Problem::new(template.render_plain(), &hook.source.path, Some(position));
        problem.for_hook(&hook.id).skipped_by_agent()
    });
    Some(AgentTrustFact {
        state,
        off: (state == AgentTrust::Disabled).then(|| messages::answers::AGENT_DISABLED.render_plain()),
        problem,
    })
}

/// The state of a hook, and what is said about one that Codex skips.
type Judged = Option<(AgentTrust, Option<&'static MessageTemplate>)>;

fn judge(hook: &Hook, config: Option<&Node>, context: &AgentTrustContext<'_>) -> Judged {
    if hook.source.path == Path::new(REQUIREMENTS) {
        return Some((AgentTrust::Managed, None));
    }
    let entry = match hook.source.layer {
        Layer::User | Layer::Project => config.and_then(|config| {
            let states = config.get("hooks")?.get("state")?;
            let real = (context.real)(&hook.source.path);
            let keys = [&*real, &hook.source.path].map(|path| key(hook, path));
            keys.into_iter().flatten().find_map(|key| states.get(&key))
        }),
        Layer::Builtin | Layer::Session | Layer::Skill => return None,
    };
    let field = |name: &str| entry.and_then(|entry| entry.get(name));
    if field("enabled").is_some_and(|enabled| enabled.to_value() == json!(false)) {
        return Some((AgentTrust::Disabled, None));
    }
    if hook.source.layer == Layer::Project && !is_folder_trusted(hook, config, context) {
        return Some((AgentTrust::Untrusted, Some(&messages::AGENT_PROJECT_UNTRUSTED)));
    }
    Some(match field("trusted_hash").and_then(|hash| hash.string()) {
        None => (AgentTrust::Untrusted, Some(&messages::AGENT_UNTRUSTED)),
        Some(written) if hash(hook).as_deref() == Some(written) => (AgentTrust::Trusted, None),
        Some(_) => (AgentTrust::Modified, Some(&messages::AGENT_MODIFIED)),
    })
}

/// Whether the folder with the `.codex` of a hook, or the root of its repository, is trusted.
fn is_folder_trusted(hook: &Hook, config: Option<&Node>, context: &AgentTrustContext<'_>) -> bool {
    let projects = config.and_then(|config| config.get("projects"));
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

    fn state_with(config: Option<&str>, hook: &Hook) -> Option<(AgentTrust, Option<&'static str>)> {
        let locations = Locations {
            home: "/h".into(),
            project: "/srv/shop".into(),
            skills_roots: Vec::new(),
            vars: BTreeMap::new(),
        };
        let context = AgentTrustContext {
            locations: &locations,
            text: &|path| {
                config
                    .filter(|_| path == Path::new("/h/.codex/config.toml"))
                    .map(Arc::from)
            },
            real: &|path| PathBuf::from(path),
            is_dir: &|path| config.is_some() && path == Path::new("/h/.codex"),
        };
        let facts = facts(&[hook], &context);
        facts.into_iter().next().flatten().map(|fact| {
            let code = fact.problem.map(|problem| problem.code.as_str());
            (fact.state, code)
        })
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
