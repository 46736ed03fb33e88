//! Property tests: a value at a key that names a secret is nowhere in the redacted trace, and nothing else is changed.

use proptest::prelude::*;

use super::*;

fn escaped(text: &str, levels: usize) -> String {
    (0..levels).fold(text.to_owned(), |text, _| {
        let quoted = serde_json::to_string(&text).unwrap();
        quoted[1..quoted.len() - 1].to_owned()
    })
}

/// Escapes all but ASCII, as some JSON writers do.
fn ascii(text: &str) -> String {
    text.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
            _ => format!("\\u{unit:04x}"),
        })
        .collect()
}

/// A value that is long enough to be masked everywhere, with characters that JSON writers escape in different ways.
fn secret() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            4 => prop::char::range('a', 'z'),
            2 => prop::char::range('0', '9'),
            1 => prop::sample::select(vec!['"', '\\', '/', '\n', '\t', '\u{1}', '<', '&', '+', '\'', ' ', '{', '=']),
            1 => prop::sample::select(vec!['中', 'é', '😀', 'ß', '\u{2028}']),
        ],
        9..40,
    )
    .prop_map(|chars| format!("Q{}", chars.into_iter().collect::<String>()))
}

/// A text around the secret that no rule matches.
fn surrounding_text() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        " ",
        "x: ",
        "中 ",
        "\\",
        "\"",
        "{",
        "[1, ",
        "line\n",
        "\n{\"a\": ",
        "a\tb",
    ])
    .prop_map(str::to_owned)
}

fn write_secret(secret: &str, way: usize, before: &str, after: &str) -> String {
    match way {
        0..=3 => format!("{before}{}{after}", escaped(secret, way)),
        4 => json!({ "a": [format!("{before}{secret}{after}")] }).to_string(),
        5 => json!({ "a": json!({ "b": secret }).to_string() }).to_string(),
        6 => json!({ before: json!([json!({ after: format!("{before}{secret}") }).to_string()]).to_string() })
            .to_string(),
        7 => ascii(&json!({ "a": secret }).to_string()),
        8 => json!({ "log": format!("got {}", json!({ "b": secret })) }).to_string(),
        _ => format!("{before}\n{}\n{after}", json!({ "b": [secret] })),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_secret_is_left_anywhere_in_the_trace(
        secrets in prop::collection::vec(secret(), 1..4),
        insertions in prop::collection::vec((0_usize..4, 0_usize..10, surrounding_text(), surrounding_text(), 0_usize..8), 1..12),
        key in prop::sample::select(vec!["api_key", "password", "x-api-key", "accessToken", "cookies", "credentials"]),
        as_text in any::<bool>(),
    ) {
        let secret_fields = json!({ key: secrets });
        let payload = if as_text { json!({ "tool_arguments": secret_fields.to_string() }) } else { json!({ "input": secret_fields }) };
        let mut whole = trace(payload, vec![step(vec![attempt("", "", "")])]);
        for (which, way, before, after, target) in &insertions {
            let text = write_secret(&secrets[which % secrets.len()], *way, before, after);
            let one = &mut whole.steps[0];
            match target {
                0 => one.attempts[0].stdin.push_str(&text),
                1 => one.attempts[0].stdout = text,
                2 => one.attempts[0].stderr.push_str(&text),
                3 => one.edits.push(FieldEdit { field: "f".to_owned(), before: json!(text), after: json!([{ "a": text }]), ..FieldEdit::default() }),
                4 => whole.verdict.reason = Some(text),
                5 => whole.reply.json = json!({ "out": text, secrets[0].as_str(): 1 }),
                6 => whole.notices.push(Notice { kind: NoticeKind::UserMessage, text, hook: None, code: None, args: args! {} }),
                _ => one.attempts[0].command.push(text),
            }
        }
        let after = redactor().redact_trace(whole).recorded;
        let shown = serde_json::to_string(&after).unwrap();
        for secret in &secrets {
            for levels in 0..=6 {
                let form = escaped(secret, levels);
                prop_assert!(!shown.contains(&form), "{:?} is left in {}", secret, shown);
            }
            prop_assert!(!shown.contains(&ascii(&escaped(secret, 1))) || ascii(secret) == *secret);
        }
        prop_assert!(after.redacted);
        prop_assert_eq!(redactor().redact_trace(after.clone()).recorded, after);
    }

    #[test]
    fn only_the_masked_values_change(
        entries in prop::collection::vec(("[ \n\t]{0,2}", any::<bool>(), "[a-z中/\"\\\\]{0,7}", "[ \n]{0,2}", any::<bool>()), 0..8),
        levels in 0_usize..4,
    ) {
        let (mut text, mut wanted) = ("{".to_owned(), "{".to_owned());
        for (index, (space, secret, value, blank, slashes)) in entries.iter().enumerate() {
            let name = if *secret { "token" } else { "plain" };
            let comma = if index == 0 { "" } else { "," };
            let lead = format!("{comma}{space}\"{name}\"{blank}:{space}");
            let string = serde_json::to_string(value).unwrap();
            let string = if *slashes { string.replace('/', "\\/").replace('中', "\\u4E2d") } else { string };
            let masked = if *secret && !value.is_empty() { format!("\"{REPLACEMENT}\"") } else { string.clone() };
            text.push_str(&format!("{lead}{string}"));
            wanted.push_str(&format!("{lead}{masked}"));
        }
        text.push('}');
        wanted.push('}');
        for _ in 0..levels {
            text = json!({ "in": text }).to_string();
            wanted = json!({ "in": wanted }).to_string();
        }
        prop_assert_eq!(masked(&text), wanted);
    }

    #[test]
    fn any_text_is_accepted_and_a_second_pass_changes_nothing(text in "\\PC{0,200}|[{}\\[\\]\",:a-z0-9\\\\ntu\n]{0,200}") {
        let (out, count) = redactor().text(&text);
        prop_assert_eq!(out == text, count == 0);
        prop_assert_eq!(redactor().text(&out).0, out);
    }
}
