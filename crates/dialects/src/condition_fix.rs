//! Fixes of a condition that did not match (`engine.md` §2, near misses; §14, matchers). Only what is certain is offered:
//! one clause, made of plain names, that the event nearly has, or that no event can have.

use hookwright_model::{Card, ConditionFix, FilterTest, Gate, GateName, Handler, Health, Hook, Layer};
use serde_json::Value;

use crate::definition::{NAME_SIGNS, names_of};

/// The changes of a condition after which it matches the event of this gate. A condition that is not meant for the
/// event has none.
#[must_use]
pub fn condition_fixes(card: &Card, hook: &Hook, gate: &Gate, health: &Health) -> Vec<ConditionFix> {
    let ([clause], GateName::Filter, false) = (hook.when.clauses.as_slice(), gate.gate, gate.pass) else {
        return Vec::new();
    };
    let filters = card.definition.filters();
    let filter = filters.iter().find(|filter| filter.key == clause.key);
    let (Some(filter), true) = (filter, is_in_file(hook)) else {
        return Vec::new();
    };
    let value = hook.filter.as_ref().and_then(|value| value.get(clause.key));
    let Some(value) = value else { return Vec::new() };
    let fix = |from: Option<&str>, to: &str, value: Value| ConditionFix {
        field: filter.field.clone(),
        value,
        from: from.map(str::to_owned),
        to: to.to_owned(),
    };
    let fixed = health.args.get("fixed").and_then(Value::as_str);
    if let (Some("never_matches"), Some(fixed), Some(written)) = (health.code.as_deref(), fixed, value.as_str()) {
        return vec![fix(Some(written), fixed, fixed.into())];
    }
    let got = gate.args.get("got").and_then(Value::as_str);
    let (Some(near), Some(got), Some(list)) = (gate.near_miss, got, NameList::read(filter.spec.test, value)) else {
        return Vec::new();
    };
    if !is_name(got) || list.names.iter().any(|name| name == got) {
        return Vec::new();
    }
    let mut fixes = Vec::new();
    if filter.spec.test != FilterTest::Equals {
        let longer = list.names.iter().cloned().chain([got.to_owned()]);
        fixes.push(fix(None, got, list.with(longer.collect())));
    }
    let mut nearest = list.names.iter().filter(|name| near.is_between(name, got));
    if let (Some(name), None) = (nearest.next(), nearest.next()) {
        let changed = list.names.iter().map(|it| if it == name { got } else { it }.to_owned());
        fixes.push(fix(Some(name), got, list.with(changed.collect())));
    }
    fixes
}

/// Whether a file defines the hook.
pub(crate) fn is_in_file(hook: &Hook) -> bool {
    let is_of_file = match hook.source.layer {
        Layer::User | Layer::Project | Layer::Skill => true,
        Layer::Builtin | Layer::Session => false,
    };
    is_of_file
        && !matches!(
            hook.handler,
            Handler::Module { .. } | Handler::Callback { .. } | Handler::Builtin { .. }
        )
}

fn is_name(text: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
    !text.is_empty() && text.chars().all(is_part)
}

/// The plain names of a condition, and how they are written.
struct NameList {
    names: Vec<String>,
    form: NameForm,
}

enum NameForm {
    /// An array.
    Array,
    /// A text with `|` between the names.
    Text,
    /// A pattern for the whole name: `^A$`, `^(A|B)$`, `^(?:A|B)$`; the value is what opens the group.
    Whole(&'static str),
}

impl NameList {
    /// `None` if the condition is not made of names.
    fn read(test: FilterTest, value: &Value) -> Option<Self> {
        let names = |text: &str| -> Option<Vec<String>> {
            let names: Vec<String> = text.split('|').map(|name| name.trim().to_owned()).collect();
            names.iter().all(|name| is_name(name)).then_some(names)
        };
        let text = |form, names| Some(Self { names, form });
        match test {
            FilterTest::List => {
                let names = value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
                text(NameForm::Array, names.collect::<Option<_>>()?)
            }
            FilterTest::Equals => text(NameForm::Text, vec![value.as_str()?.to_owned()]),
            FilterTest::Names => text(NameForm::Text, names(value.as_str()?)?),
            FilterTest::NamesOrSearch | FilterTest::NamesOrRegex | FilterTest::Whole | FilterTest::Search => {
                let written = value.as_str()?;
                let Some(inner) = written.strip_prefix('^').and_then(|inner| inner.strip_suffix('$')) else {
                    let are_names = matches!(test, FilterTest::NamesOrSearch | FilterTest::NamesOrRegex);
                    let listed = are_names.then(|| names_of(written, NAME_SIGNS)).flatten();
                    return text(NameForm::Text, listed.or_else(|| names(written))?);
                };
                let group = ["(?:", "("].into_iter().find(|open| inner.starts_with(open));
                match group {
                    Some(open) => {
                        let inner = inner.strip_prefix(open)?.strip_suffix(')')?;
                        text(NameForm::Whole(open), names(inner)?)
                    }
                    // Without a group the marks belong to the first and the last name alone.
                    None => text(NameForm::Whole("("), names(inner).filter(|names| names.len() == 1)?),
                }
            }
            FilterTest::Prefix | FilterTest::Within => None,
        }
    }

    /// The condition with these names.
    fn with(&self, names: Vec<String>) -> Value {
        let joined = names.join("|");
        match self.form {
            NameForm::Array => names.into(),
            NameForm::Text => joined.into(),
            NameForm::Whole("(") if names.len() == 1 => format!("^{joined}$").into(),
            NameForm::Whole(open) => format!("^{open}{joined})$").into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookwright_model::{Args, HealthState, Match, Payload, Root, SourceTree};
    use serde_json::json;

    use crate::lookup::find_dialect;

    /// What is offered for a hook of this file that gets a call of the tool: the field, its new value, and what is
    /// replaced.
    fn offered(dialect: &str, path: &str, text: &str, tool: &str) -> Vec<(String, Value, Option<String>)> {
        offered_with(dialect, path, text, tool, &Health::of(HealthState::Ready))
    }

    fn offered_with(
        dialect: &str,
        path: &str,
        text: &str,
        tool: &str,
        health: &Health,
    ) -> Vec<(String, Value, Option<String>)> {
        let dialect = find_dialect(dialect).unwrap();
        let root = Root::file(Layer::Project, path.into(), Some("/p".into()));
        let tree = SourceTree::with_text(root, Ok(text.to_owned()));
        let hooks = dialect.parse(&tree).hooks;
        let payload = Payload::from_iter([("tool_name".to_owned(), json!(tool))]);
        let Match::No { why, near } = hooks[0].when.explain(&payload) else {
            return Vec::new();
        };
        let gate = Gate::failed(GateName::Filter, why, near);
        let fixes = condition_fixes(dialect.card(), &hooks[0], &gate, health).into_iter();
        fixes.map(|fix| (fix.field, fix.value, fix.from)).collect()
    }

    fn jcli(filter: &str, tool: &str) -> Vec<(String, Value, Option<String>)> {
        let text = format!("pre_tool_execution:\n  - command: x\n    filter: {{{filter}}}\n");
        offered("jcli", "/p/.jcli/hooks.yaml", &text, tool)
    }

    fn qoder(matcher: &str, tool: &str) -> Vec<Value> {
        let text =
            json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}]}});
        let fixes = offered("qoder", "/p/.qoder/settings.json", &text.to_string(), tool).into_iter();
        fixes.map(|(_, value, _)| value).collect()
    }

    #[test]
    fn a_name_that_the_event_nearly_has_is_added_or_replaced() {
        let field = || "filter.tool_matcher".to_owned();
        assert_eq!(
            jcli("tool_matcher: Bash|Shell", "bash"),
            [
                (field(), json!("Bash|Shell|bash"), None),
                (field(), json!("bash|Shell"), Some("Bash".to_owned()))
            ]
        );
        let exact = jcli("tool_name: psql", "pslq");
        assert_eq!(
            exact,
            [("filter.tool_name".to_owned(), json!("pslq"), Some("psql".to_owned()))],
            "an exact name has no alternatives"
        );
    }

    #[test]
    fn a_condition_that_is_not_meant_for_the_event_is_left_alone() {
        assert_eq!(jcli("tool_matcher: Write|Edit", "Bash"), []);
        assert_eq!(jcli("tool_name: psql", "Bash"), []);
    }

    #[test]
    fn a_pattern_of_names_is_written_as_it_was() {
        for (pattern, longer) in [
            ("Bash", "Bash|bash"),
            ("^Bash$", "^(Bash|bash)$"),
            ("^(Bash|Edit)$", "^(Bash|Edit|bash)$"),
            ("^(?:Bash)$", "^(?:Bash|bash)$"),
        ] {
            assert_eq!(qoder(pattern, "bash")[0], json!(longer), "{pattern}");
        }
        for pattern in ["Ba?sh", "^Bash|Edit$", "[B]ash"] {
            assert_eq!(qoder(pattern, "bash"), [Value::Null; 0], "{pattern}");
        }
    }

    #[test]
    fn a_condition_that_no_event_can_have_gets_the_spelling_that_was_meant() {
        let args = Args::from_iter([("fixed".to_owned(), json!("Edit|Write"))]);
        let health = Health::because(HealthState::Broken, Some("never_matches".to_owned()), args);
        let text = json!({"hooks": {"PreToolUse": [{"matcher": "Edit, Write", "hooks": [{"type": "command", "command": "x"}]}]}});
        let path = "/p/.qoder/settings.json";
        assert_eq!(
            offered_with("qoder", path, &text.to_string(), "Edit", &health),
            [(
                "matcher".to_owned(),
                json!("Edit|Write"),
                Some("Edit, Write".to_owned())
            )]
        );
    }
}
