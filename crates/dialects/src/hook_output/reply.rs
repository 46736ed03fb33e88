//! The reply: one merged object in the form of an answer.

use hookwright_model::event::EventSpec;
use hookwright_model::{Reply, Resolution, Verdict, VerdictKind};
use serde_json::{Map, Value, json};

use super::{HookOutputRules, OutputLevel, SPECIFIC_OUTPUT, decides_by_behavior, decides_by_permission};

/// The reply of a chain. Keys without a value are left out.
#[must_use]
pub fn reply(rules: &HookOutputRules, event: &EventSpec, resolution: &Resolution) -> Reply {
    let mut json = Map::new();
    let verdict = &resolution.verdict;
    let ends = verdict.kind == rules.ends && !is_block(rules, event, resolution);
    if ends {
        json.insert("continue".to_owned(), Value::Bool(false));
        let reason = resolution.additions.get("stopReason").cloned();
        let reason = reason.or_else(|| verdict.reason.clone().map(Value::String));
        insert_some(&mut json, "stopReason", reason);
    }
    for row in rules.rows.iter().filter(|row| row.level == OutputLevel::Top) {
        insert_some(&mut json, row.name, resolution.additions.get(row.name).cloned());
    }
    // The end of the session or the turn does not hide a denial.
    let decided = if ends {
        resolution.weaker_verdict.as_ref()
    } else {
        Some(verdict)
    };
    let (action, denied) = rules.denied_by;
    let mut specific = specific_output(rules, event, resolution, decided);
    if decided.is_some_and(|verdict| verdict.kind == VerdictKind::Deny) && event.output(action).is_some() {
        // A denial counts, whatever word another hook gave. Only a word that denies too stays.
        let own_words = rules
            .field_decisions
            .iter()
            .filter(|row| row.event == event.name && row.field == action);
        let mut own_words = own_words.flat_map(|row| row.words);
        let denies = specific
            .get(action)
            .is_some_and(|word| own_words.any(|(known, kind)| *kind == VerdictKind::Deny && *word == *known));
        if !denies {
            specific.insert(action.to_owned(), denied.into());
        }
    }
    let has_own_form = decides_by_behavior(event) || decides_by_permission(event) || event.output(action).is_some();
    let blocks = decided.filter(|verdict| {
        if verdict.kind == VerdictKind::Retry {
            // Context alone makes the agent continue, too.
            verdict.reason.is_some() || !specific.contains_key("additionalContext")
        } else if verdict.kind == VerdictKind::Deny {
            !has_own_form
        } else {
            verdict.kind == rules.ends && !ends
        }
    });
    let mut reply = Reply {
        json: Value::Null,
        exit_code: 0,
        stderr: String::new(),
    };
    if let Some(verdict) = blocks.filter(|_| !decides_by_behavior(event)) {
        if event.output("decision").is_some() {
            json.insert("decision".to_owned(), "block".into());
            insert_some(&mut json, "reason", verdict.reason.clone().map(Value::String));
        } else {
            // An event that reads no `decision` is blocked by the exit code.
            reply.exit_code = 2;
            reply.stderr = verdict.reason.clone().unwrap_or_default();
        }
    }
    if !specific.is_empty() {
        let mut named = Map::from_iter([("hookEventName".to_owned(), Value::from(event.name))]);
        named.extend(specific);
        json.insert(SPECIFIC_OUTPUT.to_owned(), Value::Object(named));
    }
    reply.json = Value::Object(json);
    reply
}

/// Whether the verdict that could be the end of a turn is the event's own block, which nobody gave a reason to stop.
fn is_block(rules: &HookOutputRules, event: &EventSpec, resolution: &Resolution) -> bool {
    event.exit_2 == Some(rules.ends) && !resolution.additions.contains_key("stopReason")
}

/// The fields of `hookSpecificOutput`, without the event's name.
fn specific_output(
    rules: &HookOutputRules,
    event: &EventSpec,
    resolution: &Resolution,
    decided: Option<&Verdict>,
) -> Map<String, Value> {
    let mut out = Map::new();
    let replaced = |name: &str| resolution.replaced.get(name).cloned();
    if decides_by_behavior(event) {
        let decision = decided.and_then(|verdict| behavior(verdict, resolution, replaced("updatedInput")));
        insert_some(&mut out, "decision", decision);
        return out;
    }
    if let Some(verdict) = decided.filter(|_| decides_by_permission(event))
        && let Some(word) = permission_word(verdict.kind)
    {
        out.insert("permissionDecision".to_owned(), word.into());
        insert_some(
            &mut out,
            "permissionDecisionReason",
            verdict.reason.clone().map(Value::String),
        );
    }
    for row in rules.rows.iter().filter(|row| row.level == OutputLevel::Specific) {
        let value = replaced(row.name).or_else(|| resolution.additions.get(row.name).cloned());
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        let is_added = !resolution.replaced.contains_key(row.name);
        insert_some(&mut out, row.name, value.filter(|value| !(is_added && is_empty(value))));
    }
    out
}

fn permission_word(kind: VerdictKind) -> Option<&'static str> {
    match kind {
        VerdictKind::Approve => Some("allow"),
        VerdictKind::Ask => Some("ask"),
        VerdictKind::Deny => Some("deny"),
        VerdictKind::Proceed
        | VerdictKind::Respond
        | VerdictKind::Skip
        | VerdictKind::Retry
        | VerdictKind::Stop
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => None,
    }
}

/// The decision about a permission.
fn behavior(verdict: &Verdict, resolution: &Resolution, input: Option<Value>) -> Option<Value> {
    let mut out = Map::new();
    match verdict.kind {
        VerdictKind::Approve => {
            out.insert("behavior".to_owned(), json!("allow"));
            insert_some(&mut out, "updatedInput", input);
            let permissions = resolution.additions.get("updatedPermissions").cloned();
            insert_some(&mut out, "updatedPermissions", permissions);
        }
        VerdictKind::Deny => {
            out.insert("behavior".to_owned(), json!("deny"));
            insert_some(&mut out, "message", verdict.reason.clone().map(Value::String));
            insert_some(&mut out, "interrupt", resolution.additions.get("interrupt").cloned());
        }
        VerdictKind::Proceed
        | VerdictKind::Respond
        | VerdictKind::Ask
        | VerdictKind::Skip
        | VerdictKind::Retry
        | VerdictKind::Stop
        | VerdictKind::EndTurn
        | VerdictKind::EndSession => return None,
    }
    Some(Value::Object(out))
}

fn insert_some(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    object.extend(value.map(|value| (name.to_owned(), value)));
}
