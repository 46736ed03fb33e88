//! Compares JSON documents: reports each place where a document lacks an expected value.

use serde_json::Value;

/// Lists where `got` differs from `wanted`, one line per difference. The list is empty if nothing differs.
///
/// An object must have the wanted keys and may have others; a wanted `null` also matches an absent key. A list must
/// have the same length, and elements are compared by position. An empty object or list matches only an empty one.
#[must_use]
pub fn differences(wanted: &Value, got: &Value) -> Vec<String> {
    let mut out = Vec::new();
    compare(wanted, got, "", Extra::Allowed, &mut out);
    out
}

/// Like [`differences`], but an object must not have other keys, and a wanted `null` needs its key.
#[must_use]
pub fn exact_differences(wanted: &Value, got: &Value) -> Vec<String> {
    let mut out = Vec::new();
    compare(wanted, got, "", Extra::Refused, &mut out);
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Extra {
    Allowed,
    Refused,
}

fn compare(wanted: &Value, got: &Value, path: &str, extra: Extra, out: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => {
            for (key, value) in wanted {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                match got.get(key) {
                    Some(found) => compare(value, found, &path, extra, out),
                    None if value.is_null() && extra == Extra::Allowed => {}
                    None => out.push(format!("{path}: wanted {}, but there is none", shorten(value))),
                }
            }
            let nothing_more = extra == Extra::Refused || wanted.is_empty();
            for (key, value) in got.iter().filter(|(key, _)| nothing_more && !wanted.contains_key(*key)) {
                out.push(format!(
                    "{}: {key} is not wanted, got {}",
                    path_name(path),
                    shorten(value)
                ));
            }
        }
        (Value::Array(wanted), Value::Array(got)) if wanted.len() == got.len() => {
            for (index, (value, found)) in wanted.iter().zip(got).enumerate() {
                compare(value, found, &format!("{path}[{index}]"), extra, out);
            }
        }
        (Value::Array(wanted), Value::Array(list)) => {
            let (many, found) = (wanted.len(), list.len());
            out.push(format!(
                "{}: wanted {many} elements, got {found}: {}",
                path_name(path),
                shorten(got)
            ));
        }
        (Value::Number(wanted), Value::Number(got)) if wanted.as_f64() == got.as_f64() => {}
        _ if wanted == got => {}
        _ => out.push(format!(
            "{}: wanted {}, got {}",
            path_name(path),
            shorten(wanted),
            shorten(got)
        )),
    }
}

fn path_name(path: &str) -> &str {
    if path.is_empty() { "the whole" } else { path }
}

fn shorten(value: &Value) -> String {
    const MAX_CHARS: usize = 400;
    let text = value.to_string();
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_expectation_ignores_other_keys() {
        assert!(differences(&json!({"a": {"b": 1}}), &json!({"a": {"b": 1.0, "c": 2}, "d": 3})).is_empty());
        assert!(differences(&json!({"a": null}), &json!({})).is_empty());
    }

    #[test]
    fn each_difference_names_its_path() {
        let wanted = json!({"steps": [{"outcome": "changed"}, {"outcome": "denied"}], "reply": {}, "x": 1});
        let got = json!({"steps": [{"outcome": "changed"}, {"outcome": "no_opinion"}], "reply": {"action": "stop"}});
        let found = differences(&wanted, &got);
        assert_eq!(
            found,
            [
                "steps[1].outcome: wanted \"denied\", got \"no_opinion\"",
                "reply: action is not wanted, got \"stop\"",
                "x: wanted 1, but there is none",
            ]
        );
    }

    #[test]
    fn lists_are_compared_element_by_element() {
        assert_eq!(
            differences(&json!([1]), &json!([1, 2])),
            ["the whole: wanted 1 elements, got 2: [1,2]"]
        );
    }

    #[test]
    fn an_exact_comparison_refuses_other_keys() {
        assert_eq!(
            exact_differences(&json!({"a": 1}), &json!({"a": 1, "b": 2})),
            ["the whole: b is not wanted, got 2"]
        );
    }
}
